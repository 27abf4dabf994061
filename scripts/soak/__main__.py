"""Attack the library for so many minutes, with fresh seeds, and stop at the first thing found.

    python scripts/soak --minutes 30 [--seed 1] [NAME ...]

The attacks take turns: each is a process of its own, so that a crash is seen as one. Those of tests/attack are repeated with another seed
(`LITTLESTONE_SEED`, `LITTLESTONE_ATTACKS` times as many cases where an attack counts them); the others are scripts that take a count or a
time. What was done is printed as a table, for docs/reliability.md.
"""
# ruff: noqa: T201

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PYTEST = ("-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-o", "addopts=--import-mode=importlib")


@dataclass
class Attack:
    """An attack: what Python is to run for one turn, and what is counted in what it prints."""

    name: str
    command: tuple[str, ...]  # {seed} is the turn's
    counted: str  # a pattern with the number as its group
    of: str  # what that is a number of
    minutes: float = 20  # the longest a turn may take: more is a hang
    turns: int = 0
    cases: int = 0
    seconds: float = 0.0


def attacks() -> list[Attack]:
    """Every attack there is: the scripts, and each file of tests/attack."""
    listed = [
        Attack("kills", ("scripts/soak/kills.py", "30", "--seed", "{seed}"), r"(\d+) kills, nothing found", "kills"),
        Attack("other ends", ("scripts/soak/ends.py", "100", "--seed", "{seed}"), r"(\d+) ends, nothing found", "ends", minutes=40),
        Attack("fuzzed files", ("scripts/fuzz.py", "--folder", ".cache/soak", "--seconds", "15"), r"([\d,]+) inputs", "damaged files"),
    ]
    listed.append(Attack("workers", (*PYTEST, "tests/test_cluster.py", "-k", "killed"), r"(\d+) passed", "runs in which 100 workers die"))
    if (ROOT / "scripts" / "hostile_states.py").exists():
        states = ("scripts/hostile_states.py", "60", "--seed", "{seed}")
        listed.append(Attack("hostile states", states, r"([\d,]+) states:", "states"))
    for path in sorted((ROOT / "tests" / "attack").glob("test_*.py")):
        name = path.stem.removeprefix("test_").replace("_", " ")
        listed.append(Attack(name, (*PYTEST, str(path.relative_to(ROOT))), r"(\d+) passed", "tests"))
    return listed


def turn(attack: Attack, seed: int) -> str:
    """One turn of it; what went wrong, or nothing."""
    command = [sys.executable, *(word.format(seed=seed) for word in attack.command)]
    environment = os.environ | {"LITTLESTONE_SEED": str(seed), "LITTLESTONE_ATTACKS": "10"}
    begun = time.monotonic()
    try:
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60 * attack.minutes)
    except subprocess.TimeoutExpired as late:
        return f"hangs: more than {attack.minutes:g} minutes\n{late.stdout or ''}"
    attack.turns += 1
    attack.seconds += time.monotonic() - begun
    attack.cases += sum(int(number.replace(",", "")) for number in re.findall(attack.counted, done.stdout))
    return "" if done.returncode == 0 else f"exit code {done.returncode}\n{done.stdout[-8000:]}\n{done.stderr[-4000:]}"


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--minutes", type=float, default=30)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("names", nargs="*", metavar="NAME", help="only attacks whose names contain one of these words")
    chosen = options.parse_args()
    chosen_attacks = [a for a in attacks() if not chosen.names or any(word in a.name for word in chosen.names)]
    assert chosen_attacks, f"no attack is called {' or '.join(chosen.names)}"
    begun, seed = time.monotonic(), chosen.seed
    fault, guilty = "", ""
    while not fault and time.monotonic() - begun < 60 * chosen.minutes:
        for attack in chosen_attacks:
            fault = turn(attack, seed)
            print(f"{(time.monotonic() - begun) / 60:6.1f} min  seed {seed}  {attack.name}: {attack.cases:,} {attack.of}", flush=True)
            if fault:
                guilty = f"{attack.name}, seed {seed}"
            if fault or time.monotonic() - begun >= 60 * chosen.minutes:
                break
        seed += 1
    print("\n| attack | turns | cases | minutes |\n|---|---|---|---|")
    for attack in chosen_attacks:
        print(f"| {attack.name} | {attack.turns} | {attack.cases:,} {attack.of} | {attack.seconds / 60:.1f} |")
    print(f"\n{(time.monotonic() - begun) / 60:.0f} minutes, {'something' if fault else 'nothing'} found")
    if fault:
        print(f"\nFOUND by {guilty}: {fault}", file=sys.stderr)
    return 1 if fault else 0


if __name__ == "__main__":
    sys.exit(main())
