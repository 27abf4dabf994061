"""Feed damaged files to the readers of streams, and hold what they say against the plain reader of the verifier.

For each input both must refuse it, or both give the same rounds. A crash, a hang, an error that is not a LittlestoneError, a place read or
written outside an array (kernels are compiled with checks, and texts end at a page that may not be touched) is a finding. Findings are
kept as files; `--replay FILE ...` shows them again, and needs no atheris. Where atheris is not installed, mutations are blind.

    python scripts/fuzz.py --seconds 60 vw text     a minute each
    python scripts/fuzz.py --replay .cache/fuzz/findings/vw-*

An input is one byte that chooses options and sizes of chunks, and then the file.
"""
# ruff: noqa: T201

from __future__ import annotations

import argparse
import contextlib
import ctypes
import faulthandler
import io
import json
import mmap
import os
import random
import re
import subprocess
import sys
import tempfile
import time
import traceback
from concurrent.futures import Future
from importlib.util import find_spec
from pathlib import Path
from typing import Any

LINES = ("libsvm", "vw", "text")
#: Options that an input may choose, by format; "numbers" and others are what they exercise.
OPTIONS: dict[str, list[dict[str, Any]]] = {
    "libsvm": [{}, {"sum_duplicates": True}, {"bits": 3}, {"names": True}, {"label": ">0.5"}, {"labels": (-1, 1)}, {"boolean": True}],
    "vw": [
        {}, {"names": True}, {"bits": 4}, {"names": True, "sum_duplicates": True}, {"names": True, "cross": "a*b"},
        {"bits": 20, "cross": "a*a"}, {"sum_duplicates": True}, {"names": True, "boolean": True}, {"label": "=1"},
    ],
    "text": [{}, {"ngrams": 2}, {"bits": 5}, {"bits": 12, "ngrams": 3}, {"labels": ("ham", "spam")}, {"boolean": True}, {"label": "=spam"}],
    "csv": [
        {}, {"bins": 2}, {"cross": "a*b"}, {"bits": 6}, {"sum_duplicates": True}, {"text": "c", "ngrams": 2}, {"categorical": "a"},
        {"weight": "a", "id": "c"}, {"label": "a>1"}, {"header": False, "label": "1"}, {"delimiter": ";"}, {"boolean": True},
        {"quotes": False},
    ],
    "jsonl": [
        {}, {"bins": 2}, {"cross": "a*b"}, {"bits": 6}, {"sum_duplicates": True}, {"text": "c"}, {"categorical": "a"},
        {"weight": "a", "id": "c"}, {"label": "a>1"}, {"numeric": "a"}, {"boolean": True},
    ],
    "parquet": [{}, {"bits": 6}, {"sum_duplicates": True}, {"boolean": True}, {"ignore": "label", "label": "a>1"}, {"bins": 2}],
}  # fmt: skip
OPTIONS["tsv"] = OPTIONS["csv"]
OPTIONS["arrow"] = OPTIONS["parquet"]

SEEDS: dict[str, list[bytes]] = {
    "libsvm": [
        b"1 1:1 3:0.5 # so\n-1 2:1\n\n+1 7:2e1 9:-.5\n", b"0 5:1 4:2\r\n1 123456789:1.25\r\n1:1\n", b"# littlestone names: n\n1 0:1\n",
        b"2 1:12345678 2:1.2345678\n1 2:1.\n", b"\xef\xbb\xbf1 1:1e-50\n-1 2147483647:3.4e38 0:1\n",
    ],
    "vw": [
        b"1 0.5 'tag |a x:2 y |b z\n-1 |a x\n| q\n", b"1 | 1:0.5 7 12:3\n0 | 3\n", b"1 2 0 tag|n:2 a%20b:3 %7C |m c\n",
        b"-1 'm\n|a:0.5 b:1e2\n",
        b"1 |a caf\xc3\xa9 longer_than_sixteen_bytes:1.5 |b x y\r\n\n0 |b long_namespace^x\n",
    ],
    "text": [
        b"ham\tSee you at ten\nspam\tFREE offer, free!\n\tno label\n", "ham\tÉté İstanbul ǅ a\u0301\nspam\t\u2028x\n".encode(),
        b"1\ta a a\r\n0\tb_b 42\n",
    ],
    "csv": [
        b"label,a,b,c\n1,2.5,x,one two three four\n0,NA,y,\"say \"\"hi\"\", you there\"\n", b"a;b;y\n1;u;no\n2;v;yes\n", b"1,2,3\n0,5,6\n",
        b"label,weight,id,|\n1,0.5,k,free:2 a%20b\n0,1,,\n", b"label,|\n1,3:1 7\n0,12\n", b'label,a\n1,"x\ny"\n\n0,"z"\n',
    ],
    "jsonl": [
        b'{"label": 1, "a": 2.5, "b": "x", "c": "one two three four"}\n{"label": 0, "a": null, "b": "y"}\n',
        b'{"label":"no","a":[1,2.5,0],"b":["u","v"]}\n{"label":"yes","a":[3],"b":[]}\n',
        b'{"label": true, "features": {"x": 1, "y": {"z": "s"}, "w": [1, 2]}, "weight": 2, "id": "k"}\n',
        b'{"label":1,"a":1e3,"b":true}\n{"label":0,"a":-0.0,"b":false,"new":"k"}\n',
    ],
}  # fmt: skip
SEEDS["tsv"] = [seed.replace(b",", b"\t").replace(b";", b"\t") for seed in SEEDS["csv"]]
WORDS: dict[str, list[bytes]] = {
    "libsvm": [b"1:", b":1", b"e5", b"-1 ", b"#", b"2147483648", b"1e400", b"nan", b"inf", b"\r", b"0x1", b"1_0", b"12345678", b".", b"+"],
    "vw": [b"|", b" |a ", b"|b:2 ", b"%3A", b"%7C", b"%20", b"'t", b":1e39", b"^", b"\r", b"\t", b"2147483648", b"01", b"nan", b"\xc3\xa9"],
    "text": [b"\t", b"ham\t", b"\r", "İ".encode(), "ß".encode(), "\u2028".encode(), b"\xff", b"_", b"\x85", "Σ".encode(), b"\0", b"  "],
    "csv": [b'"', b'""', b",", b";", b"\r", b"\n\n", b"NA", b"nan", b"inf", b"1e400", b"1_000", b"0x10", b" ", b"|", b"\xff", b"true"],
    "jsonl": [
        b"null", b"true", b"NaN", b"1e400", b"-Infinity", b'"a":', b"[]", b"{}", b"\\u0000", b"\\ud800", b"[[1]]", b"12345678901234567890",
        b"{", b"}", b"\r", b'"features":{',
    ],
    "parquet": [],
}  # fmt: skip
WORDS["tsv"] = [*WORDS["csv"], b"\t"]
WORDS["arrow"] = WORDS["parquet"]
FORMATS = tuple(OPTIONS)


def binary_seeds(format: str) -> list[bytes]:
    """Small Parquet or Arrow files."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    tables = [
        pa.table({"label": [1, 0, 1], "a": [1.5, None, 2.0], "b": ["x", "y", None], "c": ["one two three four", "", "five"]}),
        pa.table({"label": [1, 0], "indices": pa.array([[1, 2], [7]], pa.list_(pa.int32())),
                  "values": pa.array([[1.5, 2], [3]], pa.list_(pa.float32()))}),
        pa.table({"label": ["no", "yes"], "names": [["u", "v"], []], "weight": [1.0, 0.5]}),
        pa.table({"label": [True, False], "features": pa.array([[("x", 1.0)], []], pa.map_(pa.string(), pa.float64()))}),
        pa.table({"label": [1, 0], "a": pa.array(["p", "q"]).dictionary_encode(), "b": [{"k": 1, "l": "m"}, None], "d": [[1.0, 2], None]}),
    ]  # fmt: skip
    faults = []
    for table in tables:
        sink = io.BytesIO()
        if format == "parquet":
            for how in ({"compression": "none"}, {"compression": "none", "use_dictionary": False, "data_page_version": "2.0"}):
                sink = io.BytesIO()
                pq.write_table(table.replace_schema_metadata(None), sink, store_schema=False, **how)
                faults.append(sink.getvalue())
            continue
        for make in (pa.ipc.new_file, pa.ipc.new_stream):
            sink = io.BytesIO()
            with make(sink, table.schema) as writer:
                writer.write_table(table)
            faults.append(sink.getvalue())
    return faults


class Done:
    """A pool of threads that has none: coverage is counted where it belongs, and an error is found where it arises."""

    def __init__(self, *_: Any) -> None:
        pass

    def __enter__(self) -> Done:
        return self

    def __exit__(self, *_: Any) -> None:
        pass

    def submit(self, work: Any) -> Future[Any]:
        future: Future[Any] = Future()
        try:
            future.set_result(work())
        except BaseException as error:
            future.set_exception(error)
        return future


class Guarded:
    """numpy, but texts that kernels read are laid so that they end where a page begins that nobody may touch."""

    SIZE, MANY = 2**15, 256

    def __init__(self, numpy: Any) -> None:
        self._numpy, self._next = numpy, 0
        page = mmap.PAGESIZE
        self._map = mmap.mmap(-1, (self.SIZE + page) * self.MANY)
        start = ctypes.addressof(ctypes.c_char.from_buffer(self._map))
        protect = ctypes.CDLL(None, use_errno=True).mprotect
        for k in range(self.MANY):
            if protect(ctypes.c_void_p(start + k * (self.SIZE + page) + self.SIZE), ctypes.c_size_t(page), 0):
                raise OSError(ctypes.get_errno(), "mprotect")
        self._whole = numpy.frombuffer(self._map, numpy.uint8)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._numpy, name)

    def frombuffer(self, data: Any, kind: Any = float, *more: Any) -> Any:
        made = self._numpy.frombuffer(data, kind, *more)
        if made.dtype != self._numpy.uint8 or len(made) > self.SIZE:
            return made
        self._next = (self._next + 1) % self.MANY
        end = self._next * (self.SIZE + mmap.PAGESIZE) + self.SIZE
        view = self._whole[end - len(made) : end]
        view[:] = made
        return view


def guard() -> None:
    """Lay texts before pages that may not be touched."""
    from littlestone.streams import csv_records, line_rows
    from littlestone.streams.formats import csv, libsvm

    guarded = Guarded(libsvm.np)
    for module in (libsvm, line_rows, csv_records, csv):
        module.np = guarded  # type: ignore[attr-defined]


class Target:
    """One format: plays an input both ways, and keeps what is wrong."""

    def __init__(self, format: str, folder: Path) -> None:
        from littlestone.errors import LittlestoneError
        from littlestone.streams import files, lines, stream
        from littlestone.streams.formats import arrow, parquet

        self.format, self.folder, self.error = format, folder, LittlestoneError
        self.files, self.lines, self.arrow, self.parquet = files, lines, arrow, parquet
        self.seen: set[str] = set()
        self.runs = self.played = 0
        self.path = str(Path("/dev/shm" if Path("/dev/shm").is_dir() else tempfile.gettempdir()) / f"fuzz-{os.getpid()}")
        stream.CORES, stream.ThreadPoolExecutor = 1, Done  # type: ignore[attr-defined,misc,assignment]
        self._plain = files.Input.plain
        for seed in self.seeds():
            for choice in range(len(OPTIONS[format])):
                self.rounds_of_stream(seed, OPTIONS[format][choice], {})

    def seeds(self) -> list[bytes]:
        return SEEDS[self.format] if self.format in SEEDS else binary_seeds(self.format)

    def sizes(self, chunk: int, more: int, in_turn: bool) -> None:
        """Cut the file into pieces of this size; `in_turn` as if it were a pipe."""
        self.lines.CHUNK, self.lines.MORE, self.files.MORE = chunk, more, more
        for module in (self.arrow, self.parquet):
            module.PIECE, module.LEAST_ROWS = max(chunk, 64), 64 if chunk > 99 else 1  # type: ignore[attr-defined]
        self.files.Input.plain = property(lambda source: False) if in_turn else self._plain  # type: ignore[assignment]

    def rounds_of_stream(self, data: bytes, options: dict[str, Any], more: dict[str, Any]) -> tuple[Any, list | None, Any]:
        """(stream or None, rounds or None, error or None)."""
        import littlestone as ls
        from littlestone.rounds.digest import coded

        Path(self.path).write_bytes(data)
        made, rounds = None, []
        try:
            made = ls.open_stream(self.path, format=self.format, **options, **more)
            for block in made.lent_blocks():
                starts, columns = block.indptr.tolist(), block.indices.tolist()
                values = [1.0] * len(columns) if block.values is None else block.values.tolist()
                weights = [1.0] * len(block) if block.weights is None else block.weights.tolist()
                names = {c: (str(c) if made.names is None else made.names.name(c)).encode("utf-8", "surrogatepass") for c in set(columns)}
                for t, label in enumerate(block.labels.tolist()):
                    lo, hi = starts[t], starts[t + 1]
                    row = [names[c] for c in columns[lo:hi]]
                    rounds.append((label, weights[t], coded(row, values[lo:hi]), len(set(row)) == len(row), int(block.lines[t])))
        except self.error as error:
            return made, None, error
        return made, rounds, None

    def rounds_of_plain(self, made: Any) -> tuple[list | None, Any]:
        from littlestone.rounds.sources import rounds_of_files

        codes, reading = made.codes, made.reading
        both = reading.labels or (
            (0, 1) if codes is None else tuple("\0" if name == "" else name for name in (codes.negative, codes.positive))
        )
        try:
            with contextlib.closing(rounds_of_files([self.path], reading, both, format=self.format)) as rounds:  # type: ignore[type-var]
                return [(-1 if row.y is None else int(row.y), row.c, row.coded) for row in rounds], None
        except self.error as error:
            return None, error

    def check(self, data: bytes) -> str:
        """What is wrong; nothing where all is well."""
        choice, data = (data[0], data[1:]) if data else (0, b"")
        kinds = OPTIONS[self.format]
        options, way = kinds[choice % len(kinds)], choice // len(kinds) % 4
        self.sizes(*((2**20, 2**16), (9, 8), (64, 16), (9, 8))[way], way >= 2)
        self.runs += 1
        try:
            made, rounds, refused = self.rounds_of_stream(data, options, {})
        except Exception as error:
            return f"stream: {self.shown(error)}"
        if refused is not None and "has no rounds" in str(refused):
            rounds = []
        if made is None or not made.reading.settled:
            return ""  # refused before there was anything to tell a stranger
        if options.get("header") is False and b"label" in data.split(b"\n")[0]:
            return ""  # to a stranger this is a table that `convert` wrote
        try:
            plain, why = self.rounds_of_plain(made)
        except Exception as error:
            return f"plain: {self.shown(error)}"
        if rounds is None and plain is None:
            return self.skipping(data, options, made) if choice & 1 else ""
        if rounds is None:
            return f"only the stream refuses: {self.short(refused)}" if plain or not made.codes else ""
        if plain is None:
            return f"only the plain reader refuses: {self.short(why)}"
        self.played += 1
        if len(plain) != len(rounds):
            return "other numbers of rounds"
        for t, (one, (y, c, features)) in enumerate(zip(rounds, plain, strict=True)):
            if one[:3] != (y, c, features):
                what = "label" if one[0] != y else "weight" if one[1] != c else "features"
                return f"other {what} # in round {t + 1}: {one[:3]} {(y, c, features)}"
            if not one[3]:
                return "a feature twice in a row"
        return ""

    def skipping(self, data: bytes, options: dict[str, Any], refused: Any) -> str:
        """With bad rows left out: never an error that is foreign; of lines, those that are left say the same alone."""
        try:
            made, rounds, _ = self.rounds_of_stream(data, options, {"skip_bad": True})
        except Exception as error:
            return f"skipping: {self.shown(error)}"
        if rounds is None or self.format not in ("libsvm", "vw") or made is None:
            return ""
        lines = data.split(b"\n")
        reading = made.reading
        kept = b"".join(lines[row[4] - 1] + b"\n" for row in rounds)
        if data.startswith(b"# littlestone") or made.bad_lines == 0:
            return "" if made.bad_lines else "skipping: nothing was left out, and yet it was refused without"
        again = {} if reading.labels is None else {"labels": reading.labels}
        try:
            _, alone, error = self.rounds_of_stream(kept, options | again | {"names": reading.named}, {})
        except Exception as error:
            return f"skipping: {self.shown(error)}"
        if alone is None and rounds:
            return f"skipping: what was kept is refused: {self.short(error)}"
        return "" if [row[:3] for row in alone or []] == [row[:3] for row in rounds] else "skipping: what was kept reads otherwise alone"

    @staticmethod
    def shown(error: BaseException) -> str:
        places = [
            f"{Path(frame.filename).name}:{frame.name}"
            for frame in traceback.extract_tb(error.__traceback__)
            if "littlestone" in frame.filename
        ]
        return f"{type(error).__name__} in {places[-1] if places else '?'} # {str(error)[:300]}"

    def short(self, error: Any) -> str:
        text = str(error).replace(self.path, "FILE").split("found ", 1)[-1]
        return f"{re.sub(r'[0-9]+', '0', text.split('expected')[-1])[:80]} # {error}"

    def one(self, data: bytes) -> None:
        """Check an input; a finding of a new kind is kept."""
        began = time.process_time()  # what others do on the machine is no fault of ours
        wrong = self.check(data)
        if not wrong and time.process_time() - began > 5:
            wrong = f"slow: {time.process_time() - began:.1f} s"
        kind = wrong.split(" #")[0]
        if wrong and kind not in self.seen:
            self.seen.add(kind)
            self.folder.mkdir(parents=True, exist_ok=True)
            name = re.sub(r"[^A-Za-z0-9.]+", "-", f"{self.format}-{kind}")[:100]
            (self.folder / name).write_bytes(data)
            print(f"FINDING {self.format}: {wrong}\n    {data[:200]!r}", flush=True)


def fuzz_blindly(format: str, seconds: int, folder: Path, seed: int) -> None:
    """The same without atheris: nothing tells which mutation leads somewhere new."""
    faulthandler.enable()
    target, rng = Target(format, folder / "findings"), random.Random(seed)
    guard()
    seeds, end = target.seeds(), time.monotonic() + seconds
    while time.monotonic() < end:
        data = bytes([rng.randrange(256)]) + rng.choice(seeds)
        for _ in range(rng.choice((0, 1, 1, 2, 3, 5))):
            data = by_bytes(data, rng) if format in ("parquet", "arrow") or rng.random() < 0.3 else by_words(data, rng, WORDS[format])
        target.one(data)
    print(f"{format}: {target.runs} inputs, {target.played} of them played, {len(target.seen)} kinds of findings", flush=True)
    Path(target.path).unlink(missing_ok=True)


def by_bytes(data: bytes, rng: random.Random) -> bytes:
    """One byte changed, left out or put in."""
    at, byte = rng.randrange(len(data)), bytes([rng.randrange(256)])
    return data[:at] + rng.choice((byte, b"", byte + data[at : at + 1])) + data[at + 1 :]


def by_words(data: bytes, rng: random.Random, more: list[bytes]) -> bytes:
    """Words put in or left out, which leaves more of a file's order."""
    words = re.findall(rb"[0-9.]+|[A-Za-z_]+|.", data[1:], re.DOTALL) or [b"1"]
    for _ in range(rng.choice((1, 1, 2, 4))):
        k, other = rng.randrange(len(words)), rng.choice((rng.choice(words), rng.choice(more), rng.choice(words)))
        words[k : k + rng.choice((0, 1, 1, 2))] = rng.choice(([other], [other], [other, words[k]], []))
        words = words or [other]
    return data[:1] + b"".join(words)


def fuzz(format: str, seconds: int, folder: Path, seed: int) -> None:
    """In this process, until the time is over or it dies."""
    if find_spec("atheris") is None:
        fuzz_blindly(format, seconds, folder, seed)
        return
    import atheris

    with atheris.instrument_imports(include=["littlestone"]):
        pass
    faulthandler.enable()
    target = Target(format, folder / "findings")
    guard()
    corpus = folder / "corpus" / format
    corpus.mkdir(parents=True, exist_ok=True)
    for k, content in enumerate(target.seeds()):
        for choice in range(4 * len(OPTIONS[format])):
            (corpus / f"seed-{k}-{choice}").write_bytes(bytes([choice]) + content)
    words = folder / f"{format}.dict"
    words.write_text("".join('"' + "".join(f"\\x{byte:02x}" for byte in word) + '"\n' for word in WORDS[format]))
    end = time.monotonic() + seconds
    tally = folder / f"{format}.json"

    def each(data: bytes) -> None:
        target.one(data)
        if target.runs % 200 == 0:
            tally.write_text(json.dumps({"runs": target.runs, "played": target.played}))
            if time.monotonic() > end:
                print(f"{format}: {target.runs} inputs, {target.played} of them played, {len(target.seen)} kinds of findings", flush=True)
                Path(target.path).unlink(missing_ok=True)
                os._exit(0)

    def mutated(data: bytes, most: int, seed: int) -> bytes:
        """Half of the time by bytes; else by words, which leaves more of a file's order."""
        rng = random.Random(seed)
        if format in ("parquet", "arrow") or rng.random() < 0.4:
            return atheris.Mutate(data, most)
        return by_words(data, rng, WORDS[format])[:most]

    longest = 6000 if format in ("parquet", "arrow") else 300
    options = [
        f"-max_len={longest}",
        "-timeout=60",
        "-rss_limit_mb=3000",
        f"-seed={seed}",
        f"-artifact_prefix={folder}/findings/{format}-died-",
    ]
    (folder / "findings").mkdir(exist_ok=True)
    atheris.Setup(
        [sys.argv[0], str(corpus), *options, *([f"-dict={words}"] if WORDS[format] else []), "-verbosity=0"], each, custom_mutator=mutated
    )
    atheris.Fuzz()


def replay(files: list[str]) -> int:
    """Show findings again; how many there still are."""
    targets = {format: Target(format, Path()) for format in sorted({Path(file).name.split("-")[0] for file in files})}
    guard()
    left = 0
    for file in files:
        format = Path(file).name.split("-")[0]
        data = Path(file).read_bytes()
        wrong = targets[format].check(data)
        left += bool(wrong)
        print(
            f"{file}: {OPTIONS[format][data[0] % len(OPTIONS[format])] if data else {}}\n    {data[1:200]!r}\n    {wrong or 'all is well'}",
            flush=True,
        )
    return left


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("formats", nargs="*", help="which formats, in turn; all unless told")
    parser.add_argument("--seconds", type=int, default=60, help="for each format")
    parser.add_argument("--folder", type=Path, default=Path(".cache/fuzz"), help="for findings and what leads to them")
    parser.add_argument("--replay", nargs="+", metavar="FILE", help="show these findings again")
    parser.add_argument("--here", action="store_true", help="fuzz in this process")
    parser.add_argument("--seed", type=int, default=0, help="of the mutations; 0: another one each time")
    options = parser.parse_args()
    if options.replay:
        return 1 if replay(options.replay) else 0
    if options.here:
        fuzz(options.formats[0], options.seconds, options.folder, options.seed)
        return 0
    died = 0
    for format in options.formats or FORMATS:
        end = time.monotonic() + options.seconds
        while (left := end - time.monotonic()) > 0:
            seed = options.seed or random.SystemRandom().randrange(1, 2**31)
            command = [sys.executable, __file__, format, "--here", "--folder", str(options.folder), "--seconds", str(int(left) + 1)]
            if subprocess.run([*command, "--seed", str(seed)]).returncode == 0:
                break
            died += 1
            print(f"{format}: the process died; what killed it is in {options.folder}/findings", flush=True)
    return 1 if died or any((options.folder / "findings").glob("*")) else 0


if __name__ == "__main__":
    sys.exit(main())
