"""`make sanitize`: run what drives the native core hardest on a build of it with AddressSanitizer, UBSan and bounds-checked columns.

What runs: wide rows, every learner's contract, parsers and events, hostile files and states, and then `scripts/fuzz.py` with damaged files.
The build, and a copy of the package around it, stand in build/sanitize, so that processes which a test starts use it, too. `--threads`
builds with ThreadSanitizer instead, and runs the tests of threads. Further arguments go to pytest.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TESTS = {
    "address,undefined": [
        "tests/test_wide_golden.py",
        "tests/contract",
        "tests/attack/test_hostile_states.py",
        "tests/attack/test_inputs.py",
        "tests/test_bad_inputs.py",
        "tests/test_bad_streams.py",
        "tests/test_findings.py",
        "tests/test_plain_formats.py",
        "tests/test_libsvm.py",
        "tests/test_text.py",
        "tests/test_vw.py",
        "tests/test_tables.py",
        "tests/test_vocabulary.py",
        "tests/test_fast_path.py",
    ],
    "thread": ["tests/attack/test_threads.py"],
}
FUZZED = ("libsvm", "vw", "text", "csv")
SECONDS = "30"  # for each of them
#: The libraries that have to be there before Python starts, or the sanitizer sees only a part of what happens.
RUNTIMES = {"address,undefined": ("libasan.so", "libstdc++.so"), "thread": ("libtsan.so",)}
OPTIONS = {
    "ASAN_OPTIONS": "detect_leaks=0",  # Python keeps what it interned until it ends
    "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
    "TSAN_OPTIONS": "halt_on_error=1:report_thread_leaks=0",
}


def main() -> None:
    compiler = os.environ.get("CXX") or shutil.which("g++") or shutil.which("clang++")
    if compiler is None or compiler == "zig":
        sys.exit("make sanitize needs g++ or clang++, whose sanitizers can be loaded into Python; neither is installed")
    more = sys.argv[1:]
    kind = "thread" if "--threads" in more else "address,undefined"
    place = ROOT / "build" / "sanitize" / kind.partition(",")[0]
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    build(place, kind, compiler, environment)
    found = (
        subprocess.run([compiler, f"-print-file-name={name}"], capture_output=True, text=True).stdout.strip() for name in RUNTIMES[kind]
    )
    environment |= OPTIONS | {"LD_PRELOAD": ":".join(found), "PYTHONPATH": str(place / "src")}
    command = [sys.executable, "-m", "pytest", "-q", *TESTS[kind], *(argument for argument in more if argument != "--threads")]
    failed = subprocess.run(command, cwd=ROOT, env=environment).returncode
    if not failed and kind != "thread":
        fuzz = [sys.executable, "scripts/fuzz.py", "--folder", place / "fuzz", "--seconds", SECONDS, *FUZZED]
        failed = subprocess.run(fuzz, cwd=ROOT, env=environment).returncode
    sys.exit(failed)


def build(place: Path, kind: str, compiler: str, environment: dict[str, str]) -> None:
    """Build the core with sanitizers of this kind, into a copy of the package."""
    configure = ["cmake", "-S", ROOT / "native", "-B", place / "build", "-G", "Ninja", f"-DLITTLESTONE_SANITIZE={kind}"]
    subprocess.run(
        [*configure, f"-DCMAKE_CXX_COMPILER={compiler}", f"-DPython_EXECUTABLE={sys.executable}"],
        check=True,
        env=environment,
        stdout=subprocess.DEVNULL,
    )
    subprocess.run(["cmake", "--build", place / "build"], check=True, env=environment)
    shutil.rmtree(place / "src", ignore_errors=True)
    shutil.copytree(ROOT / "src", place / "src", ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    subprocess.run(
        ["cmake", "--install", place / "build", "--prefix", place / "src"], check=True, env=environment, stdout=subprocess.DEVNULL
    )


if __name__ == "__main__":
    main()
