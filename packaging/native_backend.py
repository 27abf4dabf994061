"""The build backend: scikit-build-core, with the C++ compiler of the package index where the machine has none.

`ziglang` is a C++ compiler that installs as a wheel. It is asked for only if no compiler here accepts a C++20 program.
Run as a program, this file prints what a build without isolation needs installed.
"""

import os
import platform
import shlex
import shutil
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PROBE = "#include <concepts>\n#include <span>\ntemplate <std::integral T> T twice(T x) { return x + x; }\nint main() { return twice(0); }\n"
USUAL = ("c++", "g++", "clang++")  # in the order in which CMake looks for them
NEEDED = ("scikit-build-core>=0.11", "nanobind>=3.0")
TOOLS = ("cmake>=3.20", "ninja>=1.10")


def has_compiler() -> bool:
    """Return whether CMake will find a C++ compiler that knows C++20: the one CXX names, or a usual one.

    Windows and macOS have no probe: there CMake finds the system's own compiler by other means than the path.
    """
    if sys.platform != "linux":
        return True
    if "CXX" in os.environ:
        return True
    found = next((path for path in map(shutil.which, USUAL) if path), None)
    return found is not None and compiles(found)


def compiles(compiler: str) -> bool:
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "probe.cpp"
        source.write_text(PROBE)
        command = [compiler, "-std=c++20", str(source), "-o", str(source.with_suffix(""))]
        return subprocess.run(command, capture_output=True).returncode == 0


def use_zig() -> None:
    """Point CMake at the compiler in the package ziglang, by scripts that pass its subcommand and the target on.

    Without a target zig compiles for this very processor, and the result would not run on an older one.
    """
    target = os.environ.get("LITTLESTONE_ZIG_TARGET") or f"{platform.machine()}-linux-{'musl' if is_musl() else 'gnu.2.17'}"
    import ziglang

    zig = Path(ziglang.__file__).parent / "zig"
    folder = ROOT / ".cache" / "zig" / target
    folder.mkdir(parents=True, exist_ok=True)
    os.environ.setdefault("ZIG_GLOBAL_CACHE_DIR", str(folder / "global"))
    os.environ.setdefault("ZIG_LOCAL_CACHE_DIR", str(folder / "local"))
    compile_for = f"c++ -target {target} -mcpu=baseline"
    tools = {"c++": compile_for, "ar": "ar", "ranlib": "ranlib"}
    for name, subcommand in tools.items():
        script = folder / name
        script.write_text(f'#!/bin/sh\nexec {shlex.quote(str(zig))} {subcommand} "$@"\n')
        script.chmod(0o755)
    os.environ["CXX"] = str(folder / "c++")
    more = f"-DCMAKE_AR={folder / 'ar'} -DCMAKE_RANLIB={folder / 'ranlib'}"
    os.environ["CMAKE_ARGS"] = f"{os.environ.get('CMAKE_ARGS', '')} {more}".strip()


def is_musl() -> bool:
    return platform.libc_ver()[0] != "glibc"


def wants_zig() -> bool:
    """Return whether zig compiles: no compiler is there, or a target for it was named."""
    return "LITTLESTONE_ZIG_TARGET" in os.environ or not has_compiler()


def requirements() -> list[str]:
    return ["ziglang>=0.13"] if wants_zig() else []


def prepare() -> None:
    if wants_zig():
        if find_spec("ziglang") is None:
            raise SystemExit("no C++20 compiler was found, and the package ziglang is not installed: install one of them")
        use_zig()


def get_requires_for_build_sdist(config_settings=None):
    from scikit_build_core import build

    return build.get_requires_for_build_sdist(config_settings)


def get_requires_for_build_wheel(config_settings=None):
    from scikit_build_core import build

    return [*build.get_requires_for_build_wheel(config_settings), *requirements()]


def get_requires_for_build_editable(config_settings=None):
    from scikit_build_core import build

    return [*build.get_requires_for_build_editable(config_settings), *requirements()]


def build_sdist(sdist_directory, config_settings=None):
    from scikit_build_core import build

    return build.build_sdist(sdist_directory, config_settings)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    from scikit_build_core import build

    prepare()
    return build.build_wheel(wheel_directory, config_settings, metadata_directory)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    from scikit_build_core import build

    prepare()
    return build.build_editable(wheel_directory, config_settings, metadata_directory)


if __name__ == "__main__":
    sys.stdout.write(" ".join([*NEEDED, *TOOLS, *requirements()]) + "\n")
