"""`littlestone certify`: play a stream and write down the proof."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from littlestone.cli.options import AsJson, Assume, Given, Learner, Members, Quiet, takes_reading

if TYPE_CHECKING:
    import numpy as np

    from littlestone.protocol import Block, Run
    from littlestone.streams import Stream
    from littlestone.theory import Claim


@takes_reading
def certify(
    streams: Annotated[list[str], typer.Argument(metavar="STREAM", help="Files of any format, plain, gzip or zstd.")],
    given: Given,
    learner: Learner = None,
    members: Members = None,
    output: Annotated[Path, typer.Option("--output", "-o", help="Where the certificate goes.")] = Path("certificate.json"),
    n: Annotated[int | None, typer.Option(help="Number of features, where the learner needs it; counted if left out.")] = None,
    assume: Assume = None,
    iid: Annotated[str | None, typer.Option(metavar="DELTA", help="Declare the rounds independent draws: bound the risk too.")] = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Play a learner over a stream and write the certificate of the run; `run --certificate` does the same on the side.

    Example: littlestone certify mail.libsvm --learner winnow --boolean -o mail.cert.json
    """
    from littlestone.cli.job import Wanted, carry_out

    options = {
        "learner": learner,
        "members": members,
        "n": n,
        "assume": assume,
        "certificate": output,
        "iid": iid,
        "as_json": as_json,
        "quiet": quiet,
    }
    raise typer.Exit(carry_out(Wanted(streams, given, **options)))  # type: ignore[arg-type]


class Kept:
    """What a run keeps for its certificate: the predictions, and on which rounds the learner updated."""

    def __init__(self, stream: Stream, learner: Any, path: Path, iid: str | None) -> None:
        from littlestone.api.certify import uncertified
        from littlestone.errors import require
        from littlestone.protocol import Learner

        self.stream, self.path, self.iid = stream, path, iid
        self.predictions: list[np.ndarray] = []
        require(isinstance(learner, Learner), f"--certificate: {learner.name} takes several classes; certificates are of two, so far")
        uncertified(learner)
        require(stream.is_file, "--certificate: a pipe can be read only once, and a certificate needs a second look; expected files")

    def take(self, runner: Any, block: Block) -> np.ndarray:
        self.predictions.append(runner.take(block))
        return self.predictions[-1]

    def run(self, runner: Any, seconds: float) -> Run:
        import numpy as np

        return runner.run(np.concatenate([np.empty(0, np.bool_), *self.predictions]), seconds)

    def certify(self, done: Any, assume: str | None, say: Any) -> list[Claim]:
        """Write the certificate, or one for each segment, numbered; the bounds of the last, with their witnesses."""
        from littlestone.api.certify import certify
        from littlestone.errors import require

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
