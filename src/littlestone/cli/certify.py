"""`littlestone certify`: play a stream and write down the proof."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    import numpy as np

    from littlestone.protocol import Block, Run
    from littlestone.streams import Stream
    from littlestone.theory import Claim


def certify(
    streams: Annotated[list[str], typer.Argument(metavar="STREAM", help="libsvm files, plain or gzip.")],
    learner: Annotated[str, typer.Option(help="NAME[:key=value...]")] = "perceptron",
    output: Annotated[Path, typer.Option("--output", "-o", help="Where the certificate goes.")] = Path("certificate.json"),
    n: Annotated[int | None, typer.Option(help="Number of features, where the learner needs it; counted if left out.")] = None,
    boolean: Annotated[bool, typer.Option("--boolean", help="Take presence only: every value that is not 0 counts as 1.")] = False,
    assume: Annotated[str | None, typer.Option(help="What you know beforehand: disjunction:r=5, margin:gamma=0.1,R=1, ...")] = None,
    iid: Annotated[str | None, typer.Option(metavar="DELTA", help="Declare the rounds independent draws: bound the risk too.")] = None,
    labels: Annotated[str | None, typer.Option(metavar="NEG,POS", help="The two labels.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress; only the result.")] = False,
) -> None:
    """Play a learner over a stream and write the certificate of the run; `run --certificate` does the same on the side.

    Example: littlestone certify mail.libsvm --learner winnow --boolean -o mail.cert.json
    """
    from littlestone.cli.run import run

    run(
        streams, learner=learner, n=n, boolean=boolean, assume=assume, certificate=output, iid=iid, labels=labels, as_json=as_json,
        quiet=quiet,
    )  # fmt: skip


class Kept:
    """What a run keeps for its certificate: the predictions, and on which rounds the learner updated."""

    def __init__(self, stream: Stream, learner: Any, path: Path, iid: str | None) -> None:
        from littlestone.errors import require
        from littlestone.protocol import Learner

        self.stream, self.path, self.iid = stream, path, iid
        self.predictions: list[np.ndarray] = []
        require(isinstance(learner, Learner), f"--certificate: {learner.name} takes several classes; certificates are of two, so far")
        require(stream.is_file, "--certificate: a pipe can be read only once, and a certificate needs a second look; expected files")

    def take(self, runner: Any, block: Block) -> np.ndarray:
        self.predictions.append(runner.take(block))
        return self.predictions[-1]

    def run(self, runner: Any, seconds: float) -> Run:
        import numpy as np

        return runner.run(np.concatenate([np.empty(0, np.bool_), *self.predictions]), seconds)

    def certify(self, done: Any, assume: str | None, say: Any) -> list[Claim]:
        """Write the certificate, or one for each segment, numbered; the bounds of the last, with their witnesses."""
        from littlestone.errors import require
        from littlestone.front_certify import certify

        bad = self.stream.bad_lines
        require(
            not bad, f"--certificate: {bad:,} malformed lines were left out, and nobody could check it against such a file; mend it first"
        )
        say("Searching for witnesses.")
        runs = getattr(done, "segments", (done,))
        for number, run in enumerate(runs, 1):
            path = self.path if len(runs) == 1 else self.path.with_name(f"{self.path.stem}-{number}{self.path.suffix}")
            cert = certify(run, self.stream, assume=assume, iid=self.iid)
            cert.save(path)
            say(f"Certificate: {path}")
        return cert.bounds
