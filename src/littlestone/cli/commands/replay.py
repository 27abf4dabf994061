"""`littlestone replay`: make a model again from the rounds it learned from, and see that it is the same bit for bit."""

from littlestone.cli.options import ModelPath, ReadingOptions, takes_options
from littlestone.cli.rebuild import RemakeOptions, counts_of
from littlestone.cli.terminal import put_json, put_wrapped

RANK = 12


@takes_options
def replay(path: ModelPath, options: RemakeOptions, reading: ReadingOptions) -> None:
    """Make a model again from the rounds it learned from, and see that it is the same bit for bit.

    The rounds are those of its ledger; a model without one, of a learner that updates on every round, needs its whole stream again.

    Example: littlestone replay spam.littlestone
    """
    model, played = options.open(path, reading)
    again = model.replay(**played)
    if options.as_json:
        put_json({"model": str(path), "same": True, **counts_of(again)})
        return
    source = ", ".join(options.stream) if options.stream else "its ledger"
    put_wrapped(f"{path}: the same, bit for bit, made again from {source}: {again.mistakes:,} mistakes in {again.rounds:,} rounds.")
