"""`littlestone watch`: is a saved model still as good as it must be?"""

from pathlib import Path
from typing import Annotated, Any

import typer

from littlestone.api.observers import Observer
from littlestone.cli.model_files import one_loaded
from littlestone.cli.options import AsJson, ModelPath, OwnLearner, Quiet, ReadingOptions, Streams, takes_options
from littlestone.cli.outputs import refuse_outputs
from littlestone.cli.terminal import note, put_json, put_wrapped
from littlestone.errors import require

RANK = 3


@takes_options
def watch(
    path: ModelPath,
    streams: Streams,
    reading: ReadingOptions,
    delta: Annotated[str, typer.Option(metavar="DELTA", help="The chance that what is said is false.")] = "0.05",
    limit: Annotated[str | None, typer.Option(metavar="P", help="Exit with code 1 once the error is surely above this.")] = None,
    certificate: Annotated[
        Path | None, typer.Option(metavar="OUT", help="Write what is said to this file, for `littlestone verify --model MODEL`.")
    ] = None,
    follow: Annotated[bool, typer.Option("--follow", help="Wait for more at the end of the file, until Ctrl-C or the limit.")] = False,
    learner: OwnLearner = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Predict rows with a saved model as their labels come, and say between which limits its error lies. It learns nothing.

    The limits are true at every round at once: look as often as you like. They are on the average error of the rounds so far, whatever
    the rounds are; where they are independent draws from one distribution, that is the error of the model.

    Example: littlestone watch spam.littlestone today.libsvm --limit 0.1
    """
    from littlestone.api.watch import watch as watched

    require(certificate is None or not follow, "--certificate and --follow: what is to be checked must have an end; one at a time")
    refuse_outputs({"--certificate": certificate}, streams, {"MODEL": path})
    model = one_loaded(path, learner)
    ends = Ends()
    if model.kind == "advice":
        reading.refuse_for_tables()
        require(certificate is None and not follow, "--certificate, --follow: not for a table of experts")
        result = watched(model, streams, delta=delta, limit=limit)
    else:
        stream = reading.open(streams, model, follow=follow)
        stated = certificate is not None
        result = watched(model, stream, delta=delta, limit=limit, certificate=stated, stop=follow, observers=[ends])
        if certificate is not None:
            stream.refuse_left_out("--certificate")
        if stream.left_out and not quiet:
            note(f"{stream.left_out}.")
    if result.certificate is not None and certificate is not None:
        result.certificate.save(certificate)
    if as_json:
        put_json(result.as_json())
    else:
        put_wrapped(in_words(result))
    raise typer.Exit(1 if result.crossed_at is not None else ends.code)


class Ends(Observer):
    """Ends the watch at Ctrl-C, with what is known by then."""

    code = 0  # to exit with

    def interrupted(self) -> bool:
        self.code = 130
        return True


def in_words(result: Any) -> str:
    """What the labels say, in sentences."""
    from littlestone.report import words
    from littlestone.theory.risk import span, sureness

    if not result.rounds:
        return "No row has a label: nothing is known of the error."
    rate = words.percent(result.mistakes, result.rounds)
    lines = [f"{words.many(result.mistakes, 'mistake')} in {words.many(result.rounds, 'round')} with a label ({rate})."]
    ends, sure = span(result.lower, result.upper), sureness(result.delta)
    lines.append(f"Average error of these rounds: {ends}, with probability {sure}, at every round at once.")
    lines.append("Where rounds are independent draws from one distribution, that is the error of the model.")
    if result.limit is not None:
        limit = f"{100 * result.limit:g} %"
        crossed = (
            f"By round {result.crossed_at:,} it was surely above {limit}." if result.crossed_at else f"It was never surely above {limit}."
        )
        lines.append(crossed)
    return "\n".join(lines)
