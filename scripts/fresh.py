"""`make fresh`: run each make target as the first one in a clone of its own, with an empty home; MINUTES=1 for those that take MINUTES.

Clones hold what is committed. What a target printed stands in build/fresh/TARGET.log. Exits with 1 where a target failed.
With --without-compiler no C++ compiler is found, and the package index has to bring one; all targets are followed by such a `make demo`.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

ROOT = Path(__file__).resolve().parents[1]
LOGS = ROOT / "build" / "fresh"
NOT_RUN = {"clean", "fresh"}
#: Variables that make passes on to a make inside it, and those of an environment that is active: a clone begins without them.
INHERITED = {"MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES", "VIRTUAL_ENV", "PYTHONPATH", "PYTHONHOME"}

#: Names of compilers, with what may stand before and after them: x86_64-linux-gnu-g++-12.
HIDDEN = r"(^|-)(c\+\+|g\+\+|gcc|cc|CC|clang|clang\+\+|icx|icpx|cmake|ninja)(-[\d.]+)?$"


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("targets", nargs="*", metavar="TARGET", help="the targets to run; all of the Makefile if left out")
    arguments.add_argument("--without-compiler", action="store_true", help="hide every C++ compiler of this machine")
    options = arguments.parse_args()
    chosen = options.targets
    known = targets_of((ROOT / "Makefile").read_text("utf-8"))
    if strange := [target for target in chosen if target not in known]:
        arguments.error(f"{strange[0]}: no such target; expected some of {', '.join(known)}")
    if git("status", "--porcelain", cwd=ROOT):
        say("Some changes are not committed: the clones do not have them.")
    LOGS.mkdir(parents=True, exist_ok=True)
    runs = [(target, options.without_compiler) for target in chosen or known] + ([] if chosen else [("demo", True)])
    failed = [target for target, hidden in runs if not passes(target, hidden)]
    say(f"failed: {', '.join(failed)}" if failed else "all passed")
    return int(bool(failed))


def targets_of(makefile: str) -> list[str]:
    """Return the targets that a Makefile declares as phony, in its order, without those that would not end or clean up.

    >>> targets_of(".PHONY: demo docs clean fresh")
    ['demo', 'docs']
    """
    declared = re.findall(r"^\.PHONY: (.*)$", makefile, re.MULTILINE)
    return [target for line in declared for target in line.split() if target not in NOT_RUN]


def passes(target: str, without_compiler: bool) -> bool:
    """Run a target in a clone, and say whether it passed."""
    name = f"{target} without a compiler" if without_compiler else target
    log, begun = LOGS / f"{name.replace(' ', '_')}.log", perf_counter()
    with tempfile.TemporaryDirectory() as folder, log.open("w") as out:
        clone, home = Path(folder) / "clone", Path(folder) / "home"
        home.mkdir()
        git("clone", "--quiet", "--no-hardlinks", str(ROOT), str(clone), cwd=ROOT)
        environment = {name: value for name, value in os.environ.items() if name not in INHERITED and not name.startswith("XDG_")}
        environment |= {"HOME": str(home), "USERPROFILE": str(home)}
        if without_compiler:
            environment.pop("CXX", None)
            environment["PATH"] = str(programs_without_compilers(Path(folder) / "programs"))
        make = [shutil.which("make") or "make", target, "MINUTES=1", f"PYTHON={sys.executable}"]
        code = subprocess.run(make, cwd=clone, env=environment, stdout=out, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL).returncode
    end = f"exit code {code}, see {log.relative_to(ROOT)}" if code else "passed"
    say(f"{name:<10} {end}, {perf_counter() - begun:.0f} s")
    return not code


def programs_without_compilers(folder: Path) -> Path:
    """Fill a folder with links to all programs on the path but compilers, and the build tools that may lie beside them."""
    folder.mkdir()
    for place in map(Path, os.environ["PATH"].split(os.pathsep)):
        for program in place.iterdir() if place.is_dir() else ():
            link = folder / program.name
            if not re.search(HIDDEN, program.name) and not link.is_symlink():
                link.symlink_to(program)
    return folder


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def git(*arguments: str, cwd: Path) -> str:
    return subprocess.run(["git", *arguments], cwd=cwd, check=True, capture_output=True, text=True).stdout.strip()


if __name__ == "__main__":
    sys.exit(main())
