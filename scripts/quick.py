"""`make quick`: the tests that say most in little time, on any system; `make test` has all of them."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FILES = (
    "test_house.py",
    "test_repository.py",
    "test_theory.py",
    "test_plain_formats.py",
    "test_plain_streams.py",
    "test_streams.py",
    "test_model.py",
    "test_certificates.py",
    "test_report.py",
)

if __name__ == "__main__":
    tests = [str(ROOT / "tests" / name) for name in FILES]
    sys.exit(subprocess.run([sys.executable, "-m", "pytest", *sys.argv[1:], *tests], cwd=ROOT).returncode)
