"""Kill `littlestone run` at random moments, as a power cut or the system would, and see that nothing it wrote is half of something.

    python scripts/soak/kills.py 200 [--seed 7]

After each kill: the model file is the old one or a new one, whole, and going on from it ends where an undisturbed run ends; the
certificate is the old one or a whole one; predictions are the beginning of the right ones; and the next run works, and leaves no part of
a file behind.
"""
# ruff: noqa: T201

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import littlestone as ls
from littlestone.theory.certificate import read

ROWS, CHECKPOINT = 3000, 200
LEARNERS = ("perceptron", "one_vs_rest:learner=perceptron", "conservative:learner=arow")

#: Imports once, and then forks a run for each line that it is told: arguments, and the seconds until it is killed.
FORKS = """
import json, os, signal, sys, time
import numpy, pyarrow, littlestone as ls
from littlestone.cli import main

for line in sys.stdin:
    order = json.loads(line)
    begun = time.monotonic()
    child = os.fork()
    if child == 0:
        os.dup2(os.open(os.devnull, os.O_RDWR), 0)
        os.dup2(0, 1)
        os.dup2(os.open(order["log"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 2)
        sys.argv = ["littlestone", *order["arguments"]]
        try:
            main()
        except SystemExit as exit:
            os._exit(exit.code or 0)
        os._exit(0)
    if order["seconds"] is not None:
        time.sleep(order["seconds"])
        os.kill(child, signal.SIGKILL)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    print(json.dumps({"status": status, "seconds": time.monotonic() - begun}), flush=True)
"""


class Runs:
    """Runs of one stream, each in a process of its own."""

    def __init__(self, folder: Path, learner: str) -> None:
        self.folder, self.learner = folder, learner
        self.stream, self.log = folder / "stream.libsvm", folder / "log.txt"
        draw = random.Random(5)
        with self.stream.open("w") as out:
            for _ in range(ROWS):
                row = sorted(draw.sample(range(60), 8))
                label = int(min(row) < 6) if draw.random() < 0.9 else draw.randint(0, 1)
                out.write(f"{label} {' '.join(f'{i}:1' for i in row)}\n")
        self.process = subprocess.Popen([sys.executable, "-c", FORKS], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def close(self) -> None:
        self.process.communicate()  # an end of orders is an end of it

    def run(self, seconds: float | None = None) -> dict[str, Any]:
        """One run, killed after so many seconds: its exit code, and how long it took."""
        assert self.process.stdin is not None and self.process.stdout is not None
        saved = ["--model", "m.littlestone", "--checkpoint-every", str(CHECKPOINT), "--predictions", "p.txt", "--certificate", "c.json"]
        paths = [word if word.startswith("-") or word.isdigit() else str(self.folder / word) for word in saved]
        arguments = ["run", str(self.stream), "--learner", self.learner, "--quiet", *paths]
        self.process.stdin.write(json.dumps({"arguments": arguments, "seconds": seconds, "log": str(self.log)}) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def check(self, whole: dict[str, bytes], before: set[str]) -> str:
        """That every file is whole; which of them are there."""
        there = {name for name in whole if (self.folder / name).exists()}
        assert before - {"p.txt"} <= there, f"{sorted(before - there)} were there before the kill, and are gone"
        if "p.txt" in there:
            assert whole["p.txt"].startswith((self.folder / "p.txt").read_bytes()), "predictions that are no beginning of the right ones"
        if "c.json" in there:
            read(self.folder / "c.json")
        if "m.littlestone" in there:
            model = ls.load(self.folder / "m.littlestone")
            after = ls.play(model, ls.open_stream(str(self.stream)), skip=model.rounds + model.unlabelled)
            final = ls.play(model.learner, ls.open_stream(str(self.stream)))
            assert after.mistakes == final.mistakes, f"going on from round {model.rounds} makes {after.mistakes}, not {final.mistakes}"
        return "+".join(sorted(there)) or "nothing"


def attack(kills: int, seed: int = 0, learner: str = LEARNERS[0]) -> Counter[str]:
    """So many kills; what was there after each."""
    draw, seen = random.Random(seed), Counter[str]()
    with tempfile.TemporaryDirectory() as name:
        runs = Runs(Path(name), learner)
        try:
            undisturbed = [runs.run() for _ in range(2)]  # the first one loads what is compiled
            assert all(run["status"] == 0 for run in undisturbed), runs.log.read_text()
            files = ("m.littlestone", "c.json", "p.txt")
            whole = {name: (runs.folder / name).read_bytes() for name in files}
            for k in range(kills):
                if k % 2:  # no file of an earlier run
                    for file in files:
                        (runs.folder / file).unlink(missing_ok=True)
                before = {file for file in files if (runs.folder / file).exists()}
                killed = runs.run(seconds=draw.uniform(0, 1.1) * undisturbed[1]["seconds"])
                assert killed["status"] in (0, -9), f"exit code {killed['status']}: {runs.log.read_text()}"
                seen[runs.check(whole, before)] += 1
            last = runs.run()
            assert last["status"] == 0, runs.log.read_text()
            assert (runs.folder / "p.txt").read_bytes() == whole["p.txt"]
            left = [path.name for path in runs.folder.iterdir() if path.name.endswith(".part")]
            assert not left, f"parts of files that nobody sweeps: {left}"
        finally:
            runs.close()
    return seen


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("kills", type=int)
    options.add_argument("--seed", type=int, default=0)
    chosen = options.parse_args()
    for number, learner in enumerate(LEARNERS):
        share = chosen.kills // len(LEARNERS) + (number < chosen.kills % len(LEARNERS))
        seen = attack(share, chosen.seed + number, learner)
        left = ", ".join(f"{count} left {what}" for what, count in sorted(seen.items()))
        print(f"{learner}: {share} kills; {left}", flush=True)
    print(f"{chosen.kills} kills, nothing found")
    return 0


if __name__ == "__main__":
    sys.exit(main())
