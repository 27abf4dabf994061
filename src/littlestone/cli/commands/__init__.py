"""One command, one file, found by walking this folder; `RANK` says where `--help` lists it."""
