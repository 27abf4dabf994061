"""The build backend: scikit-build-core, with the C++ compiler of the package index where the machine has none.

`ziglang` is a C++ compiler that installs as a wheel. It is asked for only if no compiler here accepts a C++20 program, or if CXX says zig.
An editable install has no hook on imports: the modules are built into src/littlestone, and a plain .pth names src.

python packaging/native_backend.py requirements   what a build without isolation needs installed
python packaging/native_backend.py build          builds what changed in native/, with the compiler's warnings as errors
"""

import base64
import hashlib
import os
import platform
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import zipfile
from functools import cache
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BUILD = ROOT / "build" / "native"
MODULES = ROOT / "src" / "littlestone"
PROBE = "#include <concepts>\n#include <span>\ntemplate <std::integral T> T twice(T x) { return x + x; }\nint main() { return twice(0); }\n"
USUAL = ("c++", "g++", "clang++")
ZIG = "zig"
NEEDED = ("scikit-build-core>=0.11", "nanobind>=3.0")
TOOLS = ("cmake>=3.20", "ninja>=1.10")
#: CMake asks a compiler for its name by a program; an object of it says as much, and spares zig a build of its C++ library for that alone.
UNLINKED = 'case "$*" in *CMakeCXXCompilerId.cpp*) set -- -c "$@" ;; esac\n'
#: What scikit-build-core is told where it makes metadata alone.
WITHOUT_MODULES = {"wheel.cmake": "false", "wheel.py-api": "py3"}


@cache
def chosen_compiler() -> str:
    """Return the compiler to use: the one CXX names, or the first usual one that knows C++20, or `zig`; "" leaves the choice to CMake.

    Windows and macOS have no probe: there CMake finds the system's own compiler by other means than the path.
    """
    asked = os.environ.get("CXX", "")
    if asked == ZIG or "LITTLESTONE_ZIG_TARGET" in os.environ:
        return ZIG
    if asked and not knows_cpp20(asked):
        raise SystemExit(
            f"CXX={asked}: does not build a C++20 program; name another compiler, or CXX=zig for the one in the package ziglang"
        )
    if asked or sys.platform != "linux":
        return asked
    return next((found for found in map(shutil.which, USUAL) if found and knows_cpp20(found)), ZIG)


def knows_cpp20(compiler: str) -> bool:
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "probe.cpp"
        source.write_text(PROBE)
        command = [*shlex.split(compiler), "-std=c++20", str(source), "-o", str(source.with_suffix(""))]
        try:
            return subprocess.run(command, capture_output=True).returncode == 0
        except OSError:
            return False


def requirements() -> list[str]:
    return ["ziglang>=0.13"] if chosen_compiler() == ZIG else []


def prepare() -> None:
    """Point CMake at the chosen compiler, by CXX and CMAKE_ARGS."""
    check_headers()
    compiler = chosen_compiler()
    if compiler == ZIG:
        use_zig()
    elif compiler:
        os.environ["CXX"] = compiler


def use_zig() -> None:
    """Point CMake at the compiler in the package ziglang, by scripts that pass its subcommand and the target on.

    Without a target zig compiles for this very processor, and the result would not run on an older one.
    """
    try:
        import ziglang
    except ImportError:
        raise SystemExit("no C++20 compiler was found, and the package ziglang is not installed: install one of them") from None
    zig = Path(ziglang.__file__).parent / "zig"
    target = os.environ.get("LITTLESTONE_ZIG_TARGET") or f"{platform.machine()}-linux-{'musl' if is_musl() else 'gnu.2.17'}"
    folder = ROOT / ".cache" / "zig" / target
    folder.mkdir(parents=True, exist_ok=True)
    os.environ.setdefault("ZIG_GLOBAL_CACHE_DIR", str(folder.parent / "global"))
    os.environ.setdefault("ZIG_LOCAL_CACHE_DIR", str(folder / "local"))
    found = shlex.join(["-isystem", str(debian_headers(folder))])
    for name, subcommand in {"c++": f"c++ -target {target} -mcpu=baseline {found}", "ar": "ar", "ranlib": "ranlib"}.items():
        script = folder / name
        script.write_text(f'#!/bin/sh\n{UNLINKED}exec {shlex.quote(str(zig))} {subcommand} "$@"\n')
        script.chmod(0o755)
    os.environ["CXX"] = str(folder / "c++")
    told = {
        "CMAKE_TRY_COMPILE_TARGET_TYPE": "STATIC_LIBRARY",  # zig compiles its C++ library once more for a program that is linked
        "CMAKE_AR": folder / "ar",
        "CMAKE_RANLIB": folder / "ranlib",
        "LITTLESTONE_COMPILER": f"zig {metadata.version('ziglang')} for {target}",
    }
    os.environ["CMAKE_ARGS"] = shlex.join(
        [*shlex.split(os.environ.get("CMAKE_ARGS", "")), *(f"-D{name}={value}" for name, value in told.items())]
    )


def debian_headers(folder: Path) -> Path:
    """Return a folder with the part of Python's headers that Debian keeps in /usr/include itself, where zig does not look."""
    include, multiarch = Path(sysconfig.get_path("include")), sysconfig.get_config_var("MULTIARCH") or ""
    link = folder / "include" / multiarch / include.name
    link.parent.mkdir(parents=True, exist_ok=True)
    if multiarch and not link.is_symlink():
        link.symlink_to(include.parent / multiarch / include.name)
    return folder / "include"


def is_musl() -> bool:
    return platform.libc_ver()[0] != "glibc"


def check_headers() -> None:
    """Refuse a Python without its headers, which some systems keep in a package of their own."""
    if not (Path(sysconfig.get_path("include")) / "Python.h").exists():
        raise SystemExit(
            f"littlestone's native core cannot be built for {sys.executable}: the headers of this Python are missing; "
            "install them (python3-dev on Debian and Ubuntu, python3-devel on Fedora), or use a Python that has them"
        )


def build_in_place(defines: dict[str, str]) -> None:
    """Build what changed into build/native, and put the modules beside the package's files.

    The folder is begun anew with another compiler, interpreter or tool: CMake remembers them all.
    """
    prepare()
    cmake, ninja = program("cmake"), program("ninja")
    nanobind = subprocess.run([sys.executable, "-m", "nanobind", "--cmake_dir"], capture_output=True, text=True, check=True).stdout.strip()
    tools = "\n".join([os.environ.get("CXX", ""), sys.prefix, sys.version, cmake, ninja, nanobind])
    record = BUILD / "tools.txt"
    if BUILD.exists() and (not record.exists() or record.read_text("utf-8") != tools):
        shutil.rmtree(BUILD)
    BUILD.mkdir(parents=True, exist_ok=True)
    record.write_text(tools, "utf-8")
    defined = [f"-D{name}={value}" for name, value in {"LITTLESTONE_WARNINGS": "OFF", **defines}.items()]
    # On Windows CMake's own choice finds the compiler, which Ninja would not.
    basis = [] if sys.platform == "win32" else ["-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={ninja}"]
    basis += [f"-DPython_EXECUTABLE={sys.executable}", "-DCMAKE_BUILD_TYPE=Release"]
    more = shlex.split(os.environ.get("CMAKE_ARGS", ""))
    run_quietly(cmake, "-S", ROOT / "native", "-B", BUILD, *basis, *more, *defined)
    run_quietly(cmake, "--build", BUILD, "--config", "Release")
    run_quietly(cmake, "--install", BUILD, "--config", "Release", "--prefix", ROOT / "src")


def program(name: str) -> str:
    """Return where a build tool is: beside this Python, or on the path."""
    found = shutil.which(name, path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}")
    if found is None:
        raise SystemExit(f"the build of littlestone's native core needs {name}: install the package {name}")
    return found


def run_quietly(*command: object) -> None:
    """Run a tool; what it printed is shown only where it failed."""
    done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        sys.stderr.write(done.stdout)
        raise SystemExit(f"littlestone's native core was not built: {Path(str(command[0])).name} failed, as told above")


def compiler_of_modules() -> str:
    """Return what the modules in src/littlestone say of their compiler."""
    code = "import _native; print(_native.compiler())"
    return subprocess.run([sys.executable, "-c", code], cwd=MODULES, capture_output=True, text=True, check=True).stdout.strip()


def packed(folder: Path, wheel: Path) -> None:
    """Write a wheel that holds the files of a folder, and the record of them."""
    record = []
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            name, content = path.relative_to(folder).as_posix(), path.read_bytes()
            archive.writestr(name, content)
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            record.append(f"{name},sha256={digest},{len(content)}\n")
        (info,) = folder.glob("*.dist-info")
        archive.writestr(f"{info.name}/RECORD", "".join([*record, f"{info.name}/RECORD,,\n"]))


# The hooks that pip and build call; those of a wheel and an sdist are scikit-build-core's own.


def get_requires_for_build_sdist(config_settings=None):
    from scikit_build_core import build

    return build.get_requires_for_build_sdist(config_settings)


def get_requires_for_build_wheel(config_settings=None):
    from scikit_build_core import build

    return [*build.get_requires_for_build_wheel(config_settings), *requirements()]


get_requires_for_build_editable = get_requires_for_build_wheel


def build_sdist(sdist_directory, config_settings=None):
    from scikit_build_core import build

    return build.build_sdist(sdist_directory, config_settings)


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    from scikit_build_core import build

    return build.prepare_metadata_for_build_wheel(metadata_directory, config_settings)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    from scikit_build_core import build

    prepare()
    return build.build_wheel(wheel_directory, config_settings, metadata_directory)


def prepare_metadata_for_build_editable(metadata_directory, config_settings=None):
    from scikit_build_core import build

    return build.prepare_metadata_for_build_wheel(metadata_directory, WITHOUT_MODULES)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    prefix = "cmake.define."
    build_in_place({name.removeprefix(prefix): str(value) for name, value in (config_settings or {}).items() if name.startswith(prefix)})
    with tempfile.TemporaryDirectory() as folder:
        info = prepare_metadata_for_build_editable(folder)
        # site reads a .pth in the encoding of the locale.
        (Path(folder) / "littlestone.pth").write_text(f"{MODULES.parent}\n", "locale")
        name = f"{info.removesuffix('.dist-info')}-py3-none-any.whl"
        packed(Path(folder), Path(wheel_directory) / name)
    return name


def main() -> None:
    match sys.argv[1:]:
        case ["requirements"]:
            sys.stdout.write(" ".join([*NEEDED, *TOOLS, *requirements()]) + "\n")
        case ["build"]:
            build_in_place({"LITTLESTONE_WARNINGS": "ON"})
            sys.stdout.write(f"native core: built by {compiler_of_modules()}\n")
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
