"""`littlestone run`: a stream in, mistakes and their bound out."""

import typer

from littlestone.cli.options import ReadingOptions, Streams, takes_options
from littlestone.cli.stream_run import RunOptions, carry_out

RANK = 1


@takes_options
def run(streams: Streams, options: RunOptions, reading: ReadingOptions) -> None:
    """Predict each row of a stream, then learn from its label.

    Rows are played once, in the order of the file. For each, the learner says the label; then the true one is told, and it learns. What is
    printed is how often it was wrong, what guessing would have cost, and how often it can have been wrong at most, by a theorem that was
    checked on these rows.

    Begin with the file alone: several learners play at once, and there is nothing to tune.

    Example: littlestone run mail.csv --label spam

    Example: littlestone run mail.csv --label spam --model spam.littlestone --report spam.html

    Example: littlestone run mail.libsvm --learner winnow --boolean --assume disjunction:r=5
    """
    raise typer.Exit(carry_out(streams, reading, options))
