"""The digest of the native sources, by which a module that was built from other ones is told. The build runs this file by itself."""

import hashlib
import sys
from pathlib import Path


def digest_of(folder: Path) -> str:
    """Return the SHA-256 over names and contents of the C++ files in a folder, and of its CMakeLists.txt."""
    digest = hashlib.sha256()
    files = [path for path in folder.rglob("*") if path.suffix in (".h", ".cpp") or path.name == "CMakeLists.txt"]
    for name, path in sorted((path.relative_to(folder).as_posix(), path) for path in files):
        digest.update(f"{name}\n".encode() + path.read_bytes())
    return digest.hexdigest()


if __name__ == "__main__":
    Path(sys.argv[2]).write_text(f'#define LITTLESTONE_SOURCE_DIGEST "{digest_of(Path(sys.argv[1]))}"\n', "utf-8")
