"""`make wheel`: build wheel and sdist into dist/, check what they say and hold, and run the wheel where nothing else is installed."""

import argparse
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CONSTRAINTS = ["--constraint", str(ROOT / "constraints.txt"), "--quiet", "--disable-pip-version-check"]
IN_WHEEL = ("py.typed", "theory/certificate.schema.json", "report/page/page.css", "adapters/sklearn.pyi")
IN_SDIST = (
    "pyproject.toml",
    "Makefile",
    "constraints.txt",
    "LICENSE",
    "CITATION.cff",
    "SECURITY.md",
    "tests/test_house.py",
    "docs/reports.md",
)
SAME = ("Name", "Version", "Requires-Python", "License-Expression")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--no-run", action="store_true", help="build and check alone; nothing is installed")
    options = arguments.parse_args()
    dist = ROOT / "dist"
    shutil.rmtree(dist, ignore_errors=True)
    with tempfile.TemporaryDirectory() as folder:
        builder = python_in(Path(folder) / "builder")
        call(builder, "-m", "pip", "install", *CONSTRAINTS, "build", "hatchling")
        call(builder, "-m", "build", "--no-isolation", "--outdir", dist, ROOT)
        (wheel,), (sdist,) = dist.glob("*.whl"), dist.glob("*.tar.gz")
        check(wheel, sdist)
        if not options.no_run:
            run(wheel, Path(folder))
    for path in (wheel, sdist):
        sys.stdout.write(f"{path.relative_to(ROOT)}: {path.stat().st_size:,} bytes\n")


def python_in(place: Path) -> Path:
    """The Python of a new, empty environment."""
    venv.create(place, with_pip=True)
    return place / ("Scripts" if sys.platform == "win32" else "bin") / "python"


def call(*command: object, **more: object) -> None:
    subprocess.run([str(part) for part in command], check=True, **more)  # type: ignore[call-overload]


def check(wheel: Path, sdist: Path) -> None:
    """Refuse metadata that is wrong or differs, a version that is not the library's, and files that are missing or too many."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        (place,) = (name for name in names if name.endswith(".dist-info/METADATA"))
        of_wheel = archive.read(place).decode("utf-8")
    with tarfile.open(sdist) as archive:
        members = [name.partition("/")[2] for name in archive.getnames()]
        record = archive.extractfile(f"{sdist.name.removesuffix('.tar.gz')}/PKG-INFO")
        assert record is not None
        of_sdist = record.read().decode("utf-8")
    heads = [fields_of(text) for text in (of_wheel, of_sdist)]
    version = re.search(r'"(.+)"', (ROOT / "src/littlestone/_version.py").read_text("utf-8"))
    assert version is not None and heads[0]["Version"] == [version[1]], f"the wheel has version {heads[0]['Version']}"
    for name in SAME:
        assert heads[0].get(name) and heads[0][name] == heads[1].get(name), f"{name}: {heads[0].get(name)} and {heads[1].get(name)}"
    assert heads[0].get("Description-Content-Type") == ["text/markdown"] and len(of_wheel.partition("\n\n")[2]) > 1000, (
        "the README is missing"
    )
    missing = [name for name in IN_WHEEL if f"littlestone/{name}" not in names] + [name for name in IN_SDIST if name not in members]
    assert not missing, f"missing: {', '.join(missing)}"
    strange = [name for name in names if not name.startswith(("littlestone/", "littlestone-")) or "__pycache__" in name]
    assert not strange, f"not to be in a wheel: {', '.join(strange[:5])}"


def fields_of(text: str) -> dict[str, list[str]]:
    """The fields of METADATA or PKG-INFO, which are written as the head of a mail is."""
    fields: dict[str, list[str]] = {}
    for line in text.partition("\n\n")[0].splitlines():
        name, _, value = line.partition(": ")
        fields.setdefault(name, []).append(value)
    return fields


def run(wheel: Path, folder: Path) -> None:
    """Install the wheel into an empty environment, and let the demo run there, away from the sources."""
    python = python_in(folder / "empty")
    call(python, "-m", "pip", "install", *CONSTRAINTS, f"{wheel}[plot]")
    here = folder / "elsewhere"
    here.mkdir()
    call(python, "-m", "littlestone", "demo", "--rounds", "2000", cwd=here)
    assert (here / "littlestone-demo.png").read_bytes().startswith(b"\x89PNG"), "the demo drew no figure"


if __name__ == "__main__":
    main()
