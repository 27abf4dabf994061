"""End the other side of every pipe and socket of a command: it answers, or says what happened, and never ends without a word.

    python scripts/soak/ends.py 100 [--seed 7]

So many times each: a process that replays a part of a certificate for `verify`, the process that compiles beside `run`, a connection to
`lab` that is closed before its answer, and the process that works for `lab`. Linux: children are found in /proc.
"""
# ruff: noqa: T201

from __future__ import annotations

import argparse
import os
import random
import re
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

SECONDS = 120  # the longest that a command may take
BROKEN = "littlestone: a process that replays a part of the run was ended before it was done\n"
#: The command, with a part of its work in other processes, however little there is to do.
SPREAD = {
    "verify": "import littlestone.verifier as v; v.FEW, v.cores = 0, lambda: 2",
    "run": "import littlestone.streams.stream as s; s.CORES = 2",
    "lab": "",
}


def command(name: str, *arguments: str) -> list[str]:
    return [sys.executable, "-c", f"{SPREAD[name]}\nfrom littlestone.cli import main; main()", name, *arguments]


def rows(folder: Path) -> None:
    """Make a stream, and the certificate of a panel's run over it."""
    draw = random.Random(5)
    with (folder / "rows.libsvm").open("w") as out:
        for _ in range(200):
            row = sorted(draw.sample(range(1, 30), 5))
            out.write(f"{int(row[0] < 4)} {' '.join(f'{i}:1' for i in row)}\n")
    made = [sys.executable, "-m", "littlestone", "run", "rows.libsvm", "--quiet", "--certificate", "c.json"]
    subprocess.run(made, cwd=folder, check=True, capture_output=True, timeout=SECONDS)


def children(process: int) -> list[int]:
    with suppress(OSError):
        return [int(word) for word in Path(f"/proc/{process}/task/{process}/children").read_text().split()]
    return []


def kill_a_child(process: subprocess.Popen, draw: random.Random) -> bool:
    """Kill a child of a process some time after it has begun. Return whether there was one."""
    until = time.monotonic() + SECONDS
    while process.poll() is None and time.monotonic() < until:
        if children(process.pid):
            time.sleep(draw.uniform(0, 4))  # while they begin, or while they work
            with suppress(ProcessLookupError, IndexError):
                os.kill(draw.choice(children(process.pid)), signal.SIGKILL)
                return True
            return False
        time.sleep(0.002)
    return False


def of_command(name: str, arguments: tuple[str, ...], folder: Path, times: int, draw: random.Random) -> Counter[str]:
    """Run a command so many times, and kill one of its children each time; what came of it."""
    seen = Counter[str]()
    for _ in range(times):
        with subprocess.Popen(command(name, *arguments), cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            killed = kill_a_child(process, draw)
            out, err = process.communicate(timeout=SECONDS)
        told = (process.returncode, err) == (2, BROKEN) if name == "verify" else False
        done = process.returncode == 0 and bool(out)
        assert told or done, f"{name} ended with exit code {process.returncode} and said {out!r} and {err!r}"
        seen["told" if told else "done" if killed else "not hit"] += 1
    return seen


def request(url: str, send: str, *, wait: bool = True, reset: bool = False) -> bytes:
    """Send a request to the lab; without `wait` close the connection at once, or `reset` it, as one that is broken off."""
    port = int(re.search(r":(\d+)/", url)[1])  # type: ignore[index]
    with socket.create_connection(("127.0.0.1", port), timeout=SECONDS) as connection:
        connection.sendall(send.format(port=port).encode())
        if not wait:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", int(reset), 0))
            return b""
        parts = []
        while part := connection.recv(2**16):
            parts.append(part)
        return b"".join(parts)


def of_lab(folder: Path, times: int, draw: random.Random) -> Counter[str]:
    """Break connections to a lab off, and kill its worker now and then; its page is there after each."""
    seen = Counter[str]()
    how = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "text": True}
    with subprocess.Popen(command("lab", "--no-browser", "--port", "0"), cwd=folder, **how) as process:  # type: ignore[call-overload]
        try:
            url = process.stdout.readline().split(": ", 1)[1].strip()
            token = url.rpartition("=")[2]
            head = "Host: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n"
            for _ in range(times):
                for path in ("/", f"/?token={token}", "/api/none"):
                    request(url, f"GET {path} HTTP/1.1\r\n" + head, wait=False, reset=draw.random() < 0.2)
                    seen["broken off"] += 1
                if draw.random() < 0.1 and (workers := children(process.pid)):
                    with suppress(ProcessLookupError):
                        os.kill(draw.choice(workers), signal.SIGKILL)
                        seen["workers killed"] += 1
                assert process.poll() is None, f"the lab ended with exit code {process.returncode}"
            assert b" 200 OK" in request(url, f"GET /?token={token} HTTP/1.1\r\n" + head)[:20]
        finally:
            process.kill()
    return seen


def attack(name: str, times: int, seed: int = 0) -> Counter[str]:
    """End the other sides of one command so many times; what came of it."""
    draw = random.Random(seed)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        rows(folder)
        attacks: dict[str, Callable[[], Counter[str]]] = {
            "verify": lambda: of_command("verify", ("c.json", "rows.libsvm"), folder, times, draw),
            "run": lambda: of_command("run", ("rows.libsvm", "--quiet"), folder, times, draw),
            "lab": lambda: of_lab(folder, times, draw),
        }
        return attacks[name]()


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("times", type=int)
    options.add_argument("--seed", type=int, default=0)
    chosen = options.parse_args()
    for name in SPREAD:
        seen = attack(name, chosen.times, chosen.seed)
        print(f"{name}: {', '.join(f'{count} {what}' for what, count in sorted(seen.items()))}", flush=True)
    print(f"{len(SPREAD) * chosen.times} ends, nothing found")
    return 0


if __name__ == "__main__":
    sys.exit(main())
