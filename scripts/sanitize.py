"""`make sanitize`: build the native core with AddressSanitizer, UBSan and bounds-checked columns, and run the contract suite on it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BUILD = ROOT / "build" / "sanitize"
TESTS = ["tests/test_native.py", "tests/contract", "-k", "native or perceptron or winnow"]


def main() -> None:
    compiler = os.environ.get("CXX") or shutil.which("g++") or shutil.which("clang++")
    if compiler is None:
        sys.exit("make sanitize needs g++ or clang++, whose AddressSanitizer can be loaded into Python; neither is installed")
    tools = Path(sys.executable).parent
    environment = os.environ | {"PATH": f"{tools}{os.pathsep}{os.environ['PATH']}"}
    configure = ["cmake", "-S", ROOT / "native", "-B", BUILD, "-G", "Ninja", "-DLITTLESTONE_SANITIZE=ON", "-DLITTLESTONE_WARNINGS=ON"]
    subprocess.run([*configure, f"-DCMAKE_CXX_COMPILER={compiler}", f"-DPython_EXECUTABLE={sys.executable}"], check=True, env=environment)
    subprocess.run(["cmake", "--build", BUILD], check=True, env=environment)
    (module,) = BUILD.glob("_native*.so")
    runtime = subprocess.run([compiler, "-print-file-name=libasan.so"], capture_output=True, text=True, check=True).stdout.strip()
    loaded = subprocess.run([compiler, "-print-file-name=libstdc++.so"], capture_output=True, text=True, check=True).stdout.strip()
    environment |= {
        "LITTLESTONE_SANITIZED": str(module),
        "LD_PRELOAD": f"{runtime}:{loaded}",  # the C++ library too, or exceptions cannot be followed
        "ASAN_OPTIONS": "detect_leaks=0",  # Python keeps what it interned until it ends
        "UBSAN_OPTIONS": "print_stacktrace=1",
    }
    command = [sys.executable, "-m", "pytest", "-q", "-p", "sanitized", "-n", "0", *TESTS, *sys.argv[1:]]
    environment["PYTHONPATH"] = str(ROOT / "scripts")
    sys.exit(subprocess.run(command, cwd=ROOT, env=environment).returncode)


if __name__ == "__main__":
    main()
