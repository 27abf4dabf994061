"""The compiler: the only import of numba, one set of flags, and where compiled code is kept between runs.

Numba's disk cache looks only at the file a function stands in, and at when and where that was written. Kernels also call helpers of this
room and of their own, and take numbers from the twins. So the folder a kernel is kept in carries a digest of what these files say: change
one, and what may depend on it is compiled afresh; write them anew, or elsewhere, as they were, and nothing is.
"""

import contextlib
import hashlib
import operator
import os
import pickle
import re
import shutil
import stat
import sys
from collections.abc import Iterable
from functools import cache, cached_property, partial
from io import BytesIO
from pathlib import Path

import numba
from llvmlite import ir
from numba import types
from numba.core import environment
from numba.core.caching import FunctionCache, IndexDataCacheFile, NullCache
from numba.core.cgutils import get_item_pointer, get_or_insert_function
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.compiler_lock import global_compiler_lock
from numba.core.datamodel.models import PrimitiveModel
from numba.core.runtime import rtsys
from numba.core.typing.templates import ConcreteTemplate, infer_global
from numba.extending import intrinsic, lower_builtin, register_model

from littlestone.files import chosen_cache, in_turn, users_cache

ROOM = Path(__file__).parent
PACKAGE = ROOM.parent
PATIENCE = 60.0  # seconds to wait for what another process compiles
KEPT = 8  # cache folders of earlier sources or versions that are left alone

FLAGS = {
    "nogil": True,  # parsing, members of a panel and learning share the cores
    "error_model": "numpy",  # no test for division by zero in a loop
    "forceinline": True,  # a call between kernels costs three times the dot product itself
    "no_cfunc_wrapper": True,  # nobody calls them from C
}


@cache
def cache_folder() -> Path | None:
    """Where compiled kernels are kept: in the user's cache, one folder for each state of this room. What it holds is run, so it must be the
    user's own and nobody else's to write in; None where there is no such place, and kernels are compiled anew in each process."""
    digest = hashlib.sha256(f"{numba.__version__} {sys.version_info[:2]} {getattr(sys, 'abiflags', '')}".encode())
    digest.update(digest_of([*ROOM.glob("*.py"), *(PACKAGE / "reference").glob("*.py")], PACKAGE))
    chosen = chosen_cache()
    home = chosen or users_cache()
    folder = home / f"kernels-{digest.hexdigest()[:16]}"
    with contextlib.suppress(OSError):
        if not chosen and home.is_dir() and is_own(home) and not is_private(home) and not is_shared_safely(home):
            shutil.rmtree(home)  # made when others could write in it: what they may have put there is never run
        if not folder.exists():
            older = sorted(home.glob("kernels-*"), key=lambda p: p.stat().st_mtime)
            for stale in older[:-KEPT]:
                shutil.rmtree(stale, ignore_errors=True)
            home.parent.mkdir(parents=True, exist_ok=True)
            home.mkdir(mode=0o700, exist_ok=True)
            folder.mkdir(mode=0o700, exist_ok=True)
        if is_private(folder) and (is_private(home) or is_shared_safely(home)):
            return folder
    return None


def is_own(folder: Path) -> bool:
    """Is it a folder of this user, and no link to one?"""
    status = folder.lstat()
    return stat.S_ISDIR(status.st_mode) and (not hasattr(os, "getuid") or status.st_uid == os.getuid())


def is_private(folder: Path) -> bool:
    """Is it a folder of this user, in which nobody else may write?"""
    return is_own(folder) and (not hasattr(os, "getuid") or not folder.lstat().st_mode & (stat.S_IWGRP | stat.S_IWOTH))


def is_shared_safely(folder: Path) -> bool:
    """Is it one like /tmp: the system's, or this user's, in which nobody moves what is another's?"""
    status = folder.stat()
    return bool(status.st_mode & stat.S_ISVTX) and status.st_uid in (0, os.getuid())


class WholeFiles(IndexDataCacheFile):
    """Numba's files of one kernel, each with its digest: one that is torn, garbage or another version's is as good as none.

    Compiled code has a file for each signature, named by it, so that two processes that compile different ones at a time both keep theirs.
    """

    def load(self, key):
        return self._read(self._data_path(self._name_of(key)), key)

    def save(self, key, data):
        with contextlib.suppress(OSError):  # a full disk, say: then it is compiled again
            Path(self._cache_path).mkdir(mode=0o700, exist_ok=True)
            self._write(self._index_path, "", sorted({*(self._read(self._index_path, "") or ()), repr(key)}))
            self._write(self._data_path(self._name_of(key)), key, data)

    def flush(self):
        self._write(self._index_path, "", [])

    def _name_of(self, key):
        return f"{self._index_name.removesuffix('.nbi')}.{hashlib.sha256(repr(key).encode()).hexdigest()[:16]}.nbc"

    def _stated(self, key):
        """Whose code it is: the compiler's version, the kernel with the state of its file, and the signature."""
        return [self._version, self._index_name, self._source_stamp, key]

    def _read(self, path, key):
        try:
            data = Path(path).read_bytes()
            if hashlib.sha256(data[32:]).digest() != data[:32]:
                return None
            *written, content = CodeReader(BytesIO(data[32:])).load()
        except Exception:  # whatever the bytes lead to
            return None
        return content if written == self._stated(key) else None

    def _write(self, path, key, content):
        data = self._dump([*self._stated(key), content])
        with self._open_for_write(path) as file:
            file.write(hashlib.sha256(data).digest() + data)


class CodeReader(pickle.Unpickler):
    """Reads compiled code, and leaves alone the modules of numba that parts of it come from: it asks for their constants, no more."""

    def find_class(self, module, name):
        return _environment if (module, name) == ("numba.core.environment", "_rebuild_env") else super().find_class(module, name)


def _environment(module, constants, name):
    if not module.startswith("numba.") or module in sys.modules or environment.lookup_environment(name) is not None:
        return environment._rebuild_env(module, constants, name)
    held = environment.Environment._memo[name] = environment.Environment({"__name__": module})
    held.consts[:], held.env_name = constants, name
    return held


def digest_of(files: Iterable[Path], root: Path) -> bytes:
    """What these files say, each under its name below the root."""
    digest = hashlib.sha256()
    for path in sorted(files):
        content = path.read_bytes()
        digest.update(f"{path.relative_to(root).as_posix()} {len(content)} ".encode() + content)
    return digest.digest()


def imported_by(file: Path, room: Path) -> set[Path]:
    """The files of a room that a file of it depends on, itself included. Of a folder that is imported, all of them."""
    dotted = f"{PACKAGE.name}.{room.name}"
    pattern = re.compile(rf"^\s*(?:from|import) {re.escape(dotted)}((?:\.\w+)*)", re.MULTILINE)
    known, waiting = {file}, [file]
    while waiting:
        for tail in pattern.findall(waiting.pop().read_text(encoding="utf-8")):
            path = room.joinpath(*tail.split(".")[1:])
            new = {path.with_suffix(".py")} if path.with_suffix(".py").is_file() else set(path.rglob("*.py"))
            waiting += new - known
            known |= new
    return known


def jit(function):
    """Compile a kernel on its first call; the next process finds it on disk.

    >>> @jit
    ... def twice(x):
    ...     return 2 * x
    >>> twice(21)
    42
    """
    return _compiled(function)


def jit_apart(function):
    """The same for what is called seldom, from several places or a tight loop: it stays a call, and out of the caller's way."""
    return _compiled(function, forceinline=False)


def jit_lent(function):
    """The same for a kernel that makes no array: nobody counts who holds those it is lent.

    Where a function that takes arrays has several ways out or is called in a loop, the counting may cost ten times the work itself.
    """
    return _compiled(function, _nrt=False)


def jit_lent_apart(function):
    """Both: it makes no array, and stays a call."""
    return _compiled(function, forceinline=False, _nrt=False)


class Part(JITCodeLibrary):
    """The code of a kernel for the kernels that call it. It becomes machine code with theirs, so nothing is made ready to run here."""

    def finalize(self):
        for library in dict.fromkeys(self._linking_libraries):
            self._reload_init.update(library._reload_init)
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._finalized = True

    def get_pointer_to_function(self, name):
        self._ensure_finalized()
        return 0

    @property
    def codegen(self):
        return self

    def set_env(self, name, environment):
        """There is no place for it yet: see `_compiled`."""


class PartCompiler(Compiler):
    """Compiles to such a part."""

    def define_pipelines(self):
        self.state.library = Part(self.state.targetctx.codegen(), self.state.func_id.func_qualname)
        return super().define_pipelines()


def _compiled(function, **flags):
    """A kernel, and behind it what other kernels take of it: half of the time to compile one went into parts that nobody calls alone."""
    kernel = _cached(numba.njit(**{**FLAGS, **flags})(function))
    if hasattr(kernel, "overloads") and function.__name__ not in function.__code__.co_names:  # one that calls itself stays whole

        @cache
        def part():
            return numba.njit(**{**FLAGS, **flags, "no_cpython_wrapper": True}, pipeline_class=PartCompiler)(function)

        kernel.get_call_template = lambda *types: part().get_call_template(*types)
        kernel.get_overload = lambda signature: part().get_overload(signature)
        kernel.add_overload = partial(_with_environments, kernel.add_overload)
    return kernel


def _with_environments(add_overload, code):
    """Keep what was compiled, once its parts know what they were compiled in; a `print` asks for that."""
    for origin in code._find_referenced_environments():
        code.library.codegen.set_env(origin.env_name, origin)
    add_overload(code)


def _cached(kernel):
    if hasattr(kernel, "enable_caching"):
        kernel._cache = KeptCode(kernel)
        kernel.compile = kernel._cache.compile
    return kernel


class KeptCode:
    """Numba's cache of one kernel, looked for when the kernel is first called: of two hundred a command calls twenty."""

    def __init__(self, kernel):
        self.kernel, self.compile_alone = kernel, kernel.compile

    def compile(self, signature):
        """Load it, or compile it; where another process is at it, wait for that one's."""
        with global_compiler_lock:
            if isinstance(self.files, NullCache):
                return self.compile_alone(signature)
            kept = self.files._cache_file
            place = Path(kept._data_path(kept._name_of(self.files._index_key(signature, self.kernel.targetctx.codegen()))))
            if place.exists():
                return self.compile_alone(signature)
            with contextlib.suppress(OSError):
                place.parent.mkdir(mode=0o700, exist_ok=True)
            with in_turn(place.with_suffix(".lock"), PATIENCE):
                return self.compile_alone(signature)

    @cached_property
    def files(self):
        function = self.kernel.py_func
        home = _home_of(Path(function.__code__.co_filename))
        if home is not None:
            theirs = numba.config.CACHE_DIR  # other packages in this process keep their own place
            numba.config.CACHE_DIR = str(home)
            try:
                kept = FunctionCache(function)
                kept._cache_file = WholeFiles(str(home), kept._impl.filename_base, home.name)
                return kept
            except (RuntimeError, OSError):
                pass  # code typed at a prompt, or a read-only home: then it is compiled once in each process
            finally:
                numba.config.CACHE_DIR = theirs
        return NullCache()

    def load_overload(self, signature, context):
        """Numba would first load what only compiling needs, half a second of modules. Machine code needs its runtime alone, and that of
        this package nothing else; a user's may."""
        if PACKAGE not in Path(self.kernel.py_func.__code__.co_filename).parents or isinstance(self.files, NullCache):
            return self.files.load_overload(signature, context)
        rtsys.initialize(context)
        with self.files._guard_against_spurious_io_errors():
            return self.files._load_overload(signature, context)

    def __getattr__(self, name):
        return getattr(self.files, name)


@intrinsic
def load8(typing_context, text, place):
    """Eight bytes of an array of bytes, from any place, as one number; the array must have that many left."""

    def generate(context, builder, signature, arguments):
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        pointer = builder.bitcast(builder.gep(array.data, [arguments[1]]), ir.IntType(64).as_pointer())
        word = builder.load(pointer)
        word.align = 1
        return word if sys.byteorder == "little" else builder.bswap(word)

    return types.uint64(text, place), generate


STOPS = 64  # bytes that `stops` looks at


def _bytes_at(context, builder, signature, arguments, count):
    """So many bytes of an array of bytes, from any place, as a vector."""
    array = context.make_array(signature.args[0])(context, builder, arguments[0])
    pointer = builder.bitcast(builder.gep(array.data, [arguments[1]]), ir.VectorType(ir.IntType(8), count).as_pointer())
    word = builder.load(pointer)
    word.align = 1
    return word


def _bits(builder, truths, count):
    """A vector of truths as one number: bit k speaks of place k."""
    bits = builder.bitcast(truths, ir.IntType(count))
    return builder.zext(bits if sys.byteorder == "little" else builder.bitreverse(bits), ir.IntType(64))


@intrinsic
def stops(typing_context, text, place):
    """Which of 64 bytes, from any place on, may end a word of VW text: those up to the blank, and `%`, `:`, `|`. Bit k speaks of byte k.

    The array must have that many bytes left.
    """

    def generate(context, builder, signature, arguments):
        kind = ir.VectorType(ir.IntType(8), STOPS)
        word = _bytes_at(context, builder, signature, arguments, STOPS)
        ends = builder.icmp_unsigned("<=", word, ir.Constant(kind, [0x20] * STOPS))
        for c in b"%:|":
            ends = builder.or_(ends, builder.icmp_unsigned("==", word, ir.Constant(kind, [c] * STOPS)))
        return _bits(builder, ends, STOPS)

    return types.uint64(text, place), generate


@intrinsic
def nondigits(typing_context, text, place):
    """Which of 64 bytes, from any place on, are no digits; a minus after a colon counts as one. Bit k speaks of byte k.

    The array must have that many bytes left.
    """

    def generate(context, builder, signature, arguments):
        kind, bits = ir.VectorType(ir.IntType(8), 64), ir.IntType(64)
        word = _bytes_at(context, builder, signature, arguments, 64)
        minus, colon = (builder.icmp_unsigned("==", word, ir.Constant(kind, [ord(c)] * 64)) for c in "-:")
        past = builder.icmp_unsigned(">", builder.sub(word, ir.Constant(kind, [ord("0")] * 64)), ir.Constant(kind, [9] * 64))
        signs = builder.and_(_bits(builder, minus, 64), builder.shl(_bits(builder, colon, 64), bits(1)))
        return builder.and_(_bits(builder, past, 64), builder.not_(signs))

    return types.uint64(text, place), generate


PROBES = 16  # entries of a table that `probed` looks at, at most


@intrinsic
def probed(typing_context, table, place, tag):
    """Of the entries of a table of pairs, from a place to the end of its line in the cache: which have this tag (`kernels.pairs`) and are
    not 0, by the lowest sixteen bits, and which are 0, by the next sixteen."""

    def generate(context, builder, signature, arguments):
        lanes, word, half = ir.VectorType(ir.IntType(32), PROBES), ir.IntType(64), ir.IntType(32)
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        address = builder.ptrtoint(builder.gep(array.data, [arguments[1]]), word)
        entries = builder.load(builder.inttoptr(builder.and_(address, word(-4 * PROBES)), lanes.as_pointer()))  # of one line: it is there
        entries.align = 4 * PROBES
        first = builder.insert_element(ir.Constant(lanes, ir.Undefined), arguments[2], half(0))
        wanted = builder.shuffle_vector(first, ir.Constant(lanes, ir.Undefined), ir.Constant(lanes, [0] * PROBES))
        tags = builder.lshr(entries, ir.Constant(lanes, [21] * PROBES))
        empty = builder.icmp_signed("==", entries, ir.Constant(lanes, None))
        like = builder.and_(builder.icmp_signed("==", tags, wanted), builder.not_(empty))
        before = builder.lshr(builder.and_(address, word(4 * PROBES - 1)), word(2))  # entries of the line that stand before the place
        like, empty = (builder.lshr(_bits(builder, part, PROBES), before) for part in (like, empty))
        return builder.or_(like, builder.shl(empty, word(PROBES)))

    return types.uint64(table, types.uint64, types.int32), generate


@intrinsic
def prefetch_entry(typing_context, array, place):
    """Ask the memory for an entry that is soon to be read."""

    def generate(context, builder, signature, arguments):
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        ask_for(builder, builder.bitcast(builder.gep(array.data, [arguments[1]]), ir.IntType(8).as_pointer()))
        return context.get_dummy_value()

    return types.void(array, types.uint64), generate


@intrinsic
def store8(typing_context, text, place, word):
    """Write a number as eight bytes into an array of bytes, at any place; the array must have that many left."""

    def generate(context, builder, signature, arguments):
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        pointer = builder.bitcast(builder.gep(array.data, [arguments[1]]), ir.IntType(64).as_pointer())
        written = arguments[2] if sys.byteorder == "little" else builder.bswap(arguments[2])
        builder.store(written, pointer).align = 1
        return context.get_dummy_value()

    return types.void(text, place, types.uint64), generate


@intrinsic
def trailing_zeros(typing_context, word):
    """How many of the 64 bits, from the lowest up, are 0."""

    def generate(context, builder, signature, arguments):
        return builder.cttz(arguments[0], ir.IntType(1)(0))

    return types.uint64(word), generate


@intrinsic
def popcount(typing_context, word):
    """How many of the 64 bits are 1."""

    def generate(context, builder, signature, arguments):
        return builder.ctpop(arguments[0])

    return types.uint64(word), generate


@cache
def _home_of(file: Path) -> Path | None:
    """Kernels of this room share a folder; those of another file have one that changes with it and with what it imports of its room, those
    of a user's folder one that changes with any file of it."""
    home = cache_folder()
    if home is None or file.parent == ROOM or not file.is_file():
        return home
    root, files = file.parent, set(file.parent.glob("*.py"))
    if PACKAGE in file.parents:
        root, files = PACKAGE, imported_by(file, PACKAGE / file.relative_to(PACKAGE).parts[0])
    return home / digest_of(files, root).hex()[:16]


def is_compiled(kernel) -> bool:
    """Will a call find this kernel compiled, in memory or on disk? (Any of its signatures counts.)"""
    if not hasattr(kernel, "signatures") or kernel.signatures:
        return True
    file = Path(kernel.py_func.__code__.co_filename)
    home = _home_of(file)
    return home is not None and any(home.glob(f"{file.stem}.{kernel.py_func.__name__}-*.nbi"))


@intrinsic
def bits_of(typing_context, x):
    """The 64 bits of a double, as a whole number."""

    def generate(context, builder, signature, arguments):
        return builder.bitcast(arguments[0], ir.IntType(64))

    return types.int64(types.float64), generate


@intrinsic
def double_of(typing_context, bits):
    """The double with these 64 bits."""

    def generate(context, builder, signature, arguments):
        return builder.bitcast(arguments[0], ir.DoubleType())

    return types.float64(types.int64), generate


@intrinsic
def fma(typing_context, a, b, c):
    """a·b + c, rounded once: the same on every machine, and half the work where the machine has it."""

    def generate(context, builder, signature, arguments):
        return builder.fma(*arguments)

    return types.float64(types.float64, types.float64, types.float64), generate


def ask_for(builder, place):
    """Ask the memory for the line that a pointer to a byte is in."""
    number = ir.IntType(32)
    kind = ir.FunctionType(ir.VoidType(), [place.type, number, number, number])
    function = builder.module.declare_intrinsic("llvm.prefetch", (place.type,), kind)
    builder.call(function, [place, number(0), number(3), number(1)])


@intrinsic
def prefetch(typing_context, table, row, column):
    """Ask the memory for a place of a two-dimensional array that is soon to be read."""

    def generate(context, builder, signature, arguments):
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        stride = builder.extract_value(array.strides, 0)
        start = builder.ptrtoint(array.data, ir.IntType(64))
        offset = builder.add(
            builder.mul(stride, arguments[1]), builder.mul(arguments[2], ir.IntType(64)(signature.args[0].dtype.bitwidth // 8))
        )
        ask_for(builder, builder.inttoptr(builder.add(start, offset), ir.IntType(8).as_pointer()))
        return context.get_dummy_value()

    return types.void(table, types.int64, types.int64), generate


LANES = 8


def _laned(count, changed=None, least=False):
    """Makes a pass over the first len(w) - len(w) % 8 experts, eight at a time: of arrays, w the first of them, a row, the row that follows
    it, and `count` numbers. `changed` makes new values of the arrays for the row. What comes back are sums of the new w and the row that
    follows: Σw, or with `least` the smallest w; Σw·row; and of the row's values, by their bits, the largest, those in which one differs
    from its square, and any of one that is NaN. Eight running sums, whatever the machine's own vectors are, joined pairwise at the end.
    What lies behind the row is asked of the memory; where nothing does, that does no harm.

    The compiler may not reorder a sum of doubles, so a loop over them stays scalar, and it would ask each time whether the arrays overlap;
    this one is written in vectors from the start.

    Where nothing changes, experts whose advice is NaN are left out. Else, since to ask it of each would take a third of the time, sums are
    worth nothing where somebody sleeps, and the largest bits, above those of 1, are a sign of it.
    """
    double8, float8, int8 = (ir.VectorType(kind, LANES) for kind in (ir.DoubleType(), ir.FloatType(), ir.IntType(32)))
    word = ir.IntType(64)

    def generate(context, builder, signature, arguments):
        def pointer(k, kind, array, place):
            data = context.make_array(k)(context, builder, array).data
            return builder.bitcast(builder.gep(data, [place]), kind.as_pointer())

        def loaded(where, align):
            vector = builder.load(where)
            vector.align = align
            return vector

        def smaller(a, b):
            return builder.select(builder.fcmp_ordered("<", b, a), b, a)

        def larger(a, b):
            return builder.select(builder.icmp_unsigned(">", b, a), b, a)

        own = [(kind, builder.extract_value(arguments[0], k)) for k, kind in enumerate(signature.args[0])]
        now, then = zip(signature.args[1:3], arguments[1:3], strict=True)
        n = builder.extract_value(context.make_array(own[0][0])(context, builder, own[0][1]).shape, 0)
        end = builder.and_(n, word(-LANES))
        splats = [_everywhere(builder, builder.extract_value(arguments[3], k)) for k in range(count)]
        joins = (smaller if least else builder.fadd, builder.fadd, larger, builder.or_, builder.or_)
        firsts = [word(0), *(ir.Constant(kind, None) for kind in (double8, double8, int8, int8, int8))]
        if least:
            firsts[1] = ir.Constant(double8, [float("inf")] * LANES)
        before, loop, after = builder.basic_block, builder.append_basic_block("loop"), builder.append_basic_block("after")
        builder.cbranch(builder.icmp_signed("<", word(0), end), loop, after)
        builder.position_at_end(loop)
        current = [builder.phi(first.type) for first in firsts]
        place = current[0]
        places = [pointer(kind, double8, array, place) for kind, array in own]
        values = [loaded(where, 8) for where in places]
        if changed is not None:
            values = changed(builder, loaded(pointer(now[0], float8, now[1], place), 4), *values, *splats)
            for where, value in zip(places, values, strict=True):
                builder.store(value, where).align = 8
        w, a = values[0], loaded(pointer(then[0], float8, then[1], place), 4)
        # the row behind this one is on its way meanwhile: a row is about a page, and no machine looks beyond one by itself
        ask_for(builder, pointer(then[0], ir.IntType(8), then[1], builder.add(n, place)))
        asleep = ir.Constant(int8, None)
        if changed is None:
            all_bits, awake = builder.bitcast(a, int8), builder.fcmp_ordered("==", a, a)
            w, a = (builder.select(awake, x, ir.Constant(x.type, None)) for x in (w, a))
            asleep = builder.xor(all_bits, builder.bitcast(a, int8))
        bits, squares = (builder.bitcast(x, int8) for x in (a, builder.fmul(a, a)))
        terms = (w, builder.fmul(w, builder.fpext(a, double8)), bits, builder.xor(bits, squares), asleep)
        following = [builder.add(place, word(LANES)), *(join(x, term) for join, x, term in zip(joins, current[1:], terms, strict=True))]
        builder.cbranch(builder.icmp_signed("<", following[0], end), loop, after)
        builder.position_at_end(after)
        ends = [builder.phi(first.type) for first in firsts]
        for phis in (current, ends):
            for phi, first, value in zip(phis, firsts, following, strict=True):
                phi.add_incoming(first, before)
                phi.add_incoming(value, loop)
        sums = []
        for join, last in zip(joins, ends[1:], strict=True):
            lanes = _parts(builder, last)
            while len(lanes) > 1:
                lanes = [join(lanes[k], lanes[k + 1]) for k in range(0, len(lanes), 2)]
            sums.append(lanes[0])
        return context.make_tuple(builder, signature.return_type, sums)

    @intrinsic
    def over(typing_context, arrays, row, following, numbers):
        sums = types.Tuple((types.float64, types.float64, types.uint32, types.uint32, types.uint32))
        return sums(arrays, row, following, types.UniTuple(types.float64, count) if count else numbers), generate

    return over


def _of_votes(builder, a, w, losses, wrong, beta):
    """A wrong vote costs 1, and multiplies its weight by β; NaN equals nothing, so a sleeper is not wrong."""
    is_wrong = builder.fcmp_ordered("==", a, builder.fptrunc(wrong, a.type))
    more = builder.fadd(losses, ir.Constant(w.type, [1.0] * LANES))
    return builder.select(is_wrong, builder.fmul(w, beta), w), builder.select(is_wrong, more, losses)


def _of_shares(builder, a, w, losses, wrong, beta, keep, gift):
    """The same; then of each weight this part is kept, and all get the same gift."""
    w, losses = _of_votes(builder, a, w, losses, wrong, beta)
    return builder.fadd(builder.fmul(keep, w), gift), losses


def _loss(builder, a, y=None):
    """|a - y|, 0 of a sleeper; without y it is 0."""
    loss = builder.fpext(a, ir.VectorType(ir.DoubleType(), LANES))
    loss, zero = loss if y is None else _llvm_own(builder, "fabs", builder.fsub(loss, y)), ir.Constant(loss.type, None)
    return builder.select(builder.fcmp_ordered(">", loss, zero), loss, zero)


def _of_losses(builder, a, w, losses, y, *terms):
    """A loss multiplies its weight by 1 + a·loss + b·loss² + ... + f·loss⁶, as `advice.near_one` has it."""
    return _by_powers(builder, _loss(builder, a, y), w, losses, *terms)


def _of_given(builder, a, w, losses, *terms):
    """The same where the advice is the loss."""
    return _by_powers(builder, _loss(builder, a), w, losses, *terms)


def _by_powers(builder, loss, w, losses, *terms):
    factor = terms[-1]
    for term in (*terms[-2::-1], ir.Constant(w.type, [1.0] * LANES)):
        factor = _llvm_own(builder, "fma", loss, factor, term)
    return builder.fmul(w, factor), builder.fadd(losses, loss)


def _of_counts(builder, a, losses, y):
    return (builder.fadd(losses, _loss(builder, a, y)),)


laned_sums, laned_counts = _laned(0), _laned(1, _of_counts, least=True)
laned_votes, laned_shares = _laned(2, _of_votes), _laned(4, _of_shares)
laned_losses, laned_given = _laned(7, _of_losses), _laned(6, _of_given)


class Eight(types.Type):
    """Eight numbers that are worked on together, as a type of the compiler's: doubles (`lanes`), places in an array, or truths."""


class LanesType(Eight):
    item = ir.DoubleType()


class PlacesType(Eight):
    item = ir.IntType(64)


class FlagsType(Eight):
    item = ir.IntType(1)


LANES_TYPE, PLACES_TYPE, FLAGS_TYPE = LanesType("lanes"), PlacesType("places"), FlagsType("flags")


@register_model(LanesType)
@register_model(PlacesType)
@register_model(FlagsType)
class EightModel(PrimitiveModel):
    def __init__(self, manager, kind):
        super().__init__(manager, kind, ir.VectorType(kind.item, LANES))


def _vector(builder, parts):
    """Eight values as a vector."""
    vector = ir.Constant(ir.VectorType(parts[0].type, LANES), ir.Undefined)
    for k, part in enumerate(parts):
        vector = builder.insert_element(vector, part, ir.IntType(32)(k))
    return vector


def _parts(builder, vector):
    return [builder.extract_element(vector, ir.IntType(32)(k)) for k in range(LANES)]


def _everywhere(builder, number):
    """A value in all lanes."""
    first = builder.insert_element(ir.Constant(ir.VectorType(number.type, LANES), ir.Undefined), number, ir.IntType(32)(0))
    return builder.shuffle_vector(
        first, ir.Constant(first.type, ir.Undefined), ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
    )


EITHER = [(LANES_TYPE, LANES_TYPE), (LANES_TYPE, types.float64), (types.float64, LANES_TYPE)]


def _operator(function, returned, build, pairs=EITHER):
    """Let an operator of Python take lanes on either side, and a number on the other; or truths."""

    @infer_global(function)
    class OfLanes(ConcreteTemplate):
        cases = tuple(returned(*pair) for pair in pairs)

    for pair in pairs:

        @lower_builtin(function, *pair)
        def lower(context, builder, signature, arguments):
            both = [
                value if isinstance(kind, Eight) else _everywhere(builder, value)
                for kind, value in zip(signature.args, arguments, strict=True)
            ]
            return build(builder, *both)


_operator(operator.add, LANES_TYPE, lambda builder, a, b: builder.fadd(a, b))
_operator(operator.sub, LANES_TYPE, lambda builder, a, b: builder.fsub(a, b))
_operator(operator.mul, LANES_TYPE, lambda builder, a, b: builder.fmul(a, b))
_operator(operator.truediv, LANES_TYPE, lambda builder, a, b: builder.fdiv(a, b))
_operator(operator.gt, FLAGS_TYPE, lambda builder, a, b: builder.fcmp_ordered(">", a, b))
_operator(operator.ge, FLAGS_TYPE, lambda builder, a, b: builder.fcmp_ordered(">=", a, b))
_operator(operator.lt, FLAGS_TYPE, lambda builder, a, b: builder.fcmp_ordered("<", a, b))
_operator(operator.ne, FLAGS_TYPE, lambda builder, a, b: builder.fcmp_unordered("!=", a, b))
_operator(operator.or_, FLAGS_TYPE, lambda builder, a, b: builder.or_(a, b), [(FLAGS_TYPE, FLAGS_TYPE)])
_operator(operator.and_, FLAGS_TYPE, lambda builder, a, b: builder.and_(a, b), [(FLAGS_TYPE, FLAGS_TYPE)])


def _next_eight(context, builder, kind, arguments):
    """What an array holds at eight places from k on; where fewer are left before the end, its last one again and again."""
    word = ir.IntType(64)
    array = context.make_array(kind)(context, builder, arguments[0])
    k, end = arguments[1:]
    places, last = [builder.add(k, word(j)) for j in range(LANES)], builder.sub(end, word(1))
    full, few, after = (builder.append_basic_block(name) for name in ("full", "few", "after"))
    builder.cbranch(builder.icmp_unsigned("<", places[-1], end), full, few)
    parts = []
    for block in (full, few):
        builder.position_at_end(block)
        if block is few:
            places = [builder.select(builder.icmp_unsigned("<", place, last), place, last) for place in places]
        parts.append([builder.load(builder.gep(array.data, [place])) for place in places])
        builder.branch(after)
    builder.position_at_end(after)
    joined = [builder.phi(part.type) for part in parts[0]]
    for j, phi in enumerate(joined):
        phi.add_incoming(parts[0][j], full)
        phi.add_incoming(parts[1][j], few)
    return joined


@intrinsic
def places_of(typing_context, indices, k, end):
    """The next eight features of a row, from place k on; where fewer are left, its last one stands for those that are missing. So what is
    worked out for a place and written there is the same however often it is, and only sums have to count."""

    def generate(context, builder, signature, arguments):
        parts = _next_eight(context, builder, signature.args[0], arguments)
        return _vector(builder, [builder.zext(part, ir.IntType(64)) for part in parts])

    return PLACES_TYPE(indices, types.uint64, types.uint64), generate


@intrinsic
def lanes_at(typing_context, values, k, end):
    """The values of those features, as doubles; 1 where there are none."""

    def generate(context, builder, signature, arguments):
        if isinstance(signature.args[0], types.NoneType):
            return _everywhere(builder, ir.DoubleType()(1.0))
        vector = _vector(builder, _next_eight(context, builder, signature.args[0], arguments))
        return vector if vector.type.element == ir.DoubleType() else builder.fpext(vector, ir.VectorType(ir.DoubleType(), LANES))

    return LANES_TYPE(values, types.uint64, types.uint64), generate


@intrinsic
def gathered(typing_context, array, places):
    """What an array of doubles holds at eight places; it has no gaps."""
    if array.layout != "C":
        return None

    def generate(context, builder, signature, arguments):
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        return _vector(builder, [builder.load(builder.gep(array.data, [place])) for place in _parts(builder, arguments[1])])

    return LANES_TYPE(array, PLACES_TYPE), generate


@intrinsic
def scatter(typing_context, array, places, lanes):
    """Write at eight places of an array of doubles without gaps."""
    if array.layout != "C":
        return None

    def generate(context, builder, signature, arguments):
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        for place, part in zip(_parts(builder, arguments[1]), _parts(builder, arguments[2]), strict=True):
            builder.store(part, builder.gep(array.data, [place]))
        return context.get_dummy_value()

    return types.void(array, PLACES_TYPE, LANES_TYPE), generate


@intrinsic
def in_order(typing_context, total, lanes, count):
    """total + the first lane + the second, and so on: so many of them, at least one."""

    def generate(context, builder, signature, arguments):
        total, lanes, count = arguments
        parts, whole = _parts(builder, lanes), ir.IntType(64)(LANES)
        full, few, after = (builder.append_basic_block(name) for name in ("full", "few", "after"))
        builder.cbranch(builder.icmp_unsigned(">=", count, whole), full, few)
        ends = []
        for block in (full, few):
            builder.position_at_end(block)
            s = builder.fadd(total, parts[0])
            for j, part in enumerate(parts[1:], 1):
                more = builder.fadd(s, part)
                s = more if block is full else builder.select(builder.icmp_unsigned("<", ir.IntType(64)(j), count), more, s)
            builder.branch(after)
            ends.append(s)
        builder.position_at_end(after)
        result = builder.phi(ir.DoubleType())
        for block, s in zip((full, few), ends, strict=True):
            result.add_incoming(s, block)
        return result

    return types.float64(types.float64, LANES_TYPE, types.uint64), generate


@intrinsic
def chosen_lanes(typing_context, flags, a, b):
    """a where a truth holds, b elsewhere; both are lanes or numbers."""

    def generate(context, builder, signature, arguments):
        a, b = (
            value if kind is LANES_TYPE else _everywhere(builder, value)
            for kind, value in zip(signature.args[1:], arguments[1:], strict=True)
        )
        return builder.select(arguments[0], a, b)

    return LANES_TYPE(FLAGS_TYPE, *(kind if kind is LANES_TYPE else types.float64 for kind in (a, b))), generate


def _llvm_own(builder, name, *lanes):
    """A function of LLVM's own, lane by lane."""
    kind = ir.FunctionType(lanes[0].type, [lanes[0].type] * len(lanes))
    return builder.call(get_or_insert_function(builder.module, kind, f"llvm.{name}.v{LANES}f64"), lanes)


def _function_of_lanes(name):
    """Makes such a function for kernels."""

    @intrinsic
    def of_lanes(typing_context, lanes):
        def generate(context, builder, signature, arguments):
            return _llvm_own(builder, name, arguments[0])

        return LANES_TYPE(LANES_TYPE), generate

    return of_lanes


lanes_abs, lanes_sqrt, lanes_floor = map(_function_of_lanes, ("fabs", "sqrt", "floor"))


@intrinsic
def lanes_max(typing_context, a, b):
    """The larger of two, lane by lane; none is NaN."""

    def generate(context, builder, signature, arguments):
        return builder.select(builder.fcmp_ordered("<", *arguments), arguments[1], arguments[0])

    return LANES_TYPE(LANES_TYPE, LANES_TYPE), generate


@intrinsic
def lanes_frexp(typing_context, lanes):
    """m and e with x = m·2^e, 1/2 ≤ m < 1, lane by lane; every x is positive and not tiny."""

    def generate(context, builder, signature, arguments):
        words = ir.VectorType(ir.IntType(64), LANES)
        every = lambda number: ir.Constant(words, [number] * LANES)  # noqa: E731
        bits = builder.bitcast(arguments[0], words)
        m = builder.or_(builder.and_(bits, every((1 << 52) - 1)), every(1022 << 52))
        e = builder.sitofp(builder.sub(builder.lshr(bits, every(52)), every(1022)), arguments[0].type)
        return context.make_tuple(builder, signature.return_type, [builder.bitcast(m, arguments[0].type), e])

    return types.UniTuple(LANES_TYPE, 2)(LANES_TYPE), generate


@intrinsic
def lanes_power(typing_context, k):
    """2^k, lane by lane, k whole and from -1022 to 1023."""

    def generate(context, builder, signature, arguments):
        words = ir.VectorType(ir.IntType(64), LANES)
        bits = builder.add(builder.fptosi(arguments[0], words), ir.Constant(words, [1023] * LANES))
        return builder.bitcast(builder.shl(bits, ir.Constant(words, [52] * LANES)), arguments[0].type)

    return LANES_TYPE(LANES_TYPE), generate


@intrinsic
def lane(typing_context, lanes, j):
    """One of eight; j is a constant once loops of eight rounds are unrolled."""

    def generate(context, builder, signature, arguments):
        return builder.extract_element(*arguments)

    return types.float64(LANES_TYPE, types.uint64), generate


@intrinsic
def any_lane(typing_context, flags):
    """Does a truth hold anywhere?"""

    def generate(context, builder, signature, arguments):
        return builder.icmp_unsigned("!=", builder.bitcast(arguments[0], ir.IntType(LANES)), ir.IntType(LANES)(0))

    return types.boolean(FLAGS_TYPE), generate


FEED, AHEAD = 16, 512  # features that `copied_row` takes at a time, and how many before they are wanted it asks for


@intrinsic
def copied_row(typing_context, source, numbers, row, values, lo, n, extremes):
    """Copy n features from place `lo` on, and look at the copy on the way: 0 where its indices increase strictly, no value is 0 and all are
    finite.

    They are taken sixteen at a time: that many more must be there behind the last one, and have room. `numbers` are floats, doubles, which
    are rounded, or None. `extremes` keeps, lane by lane, the largest bits of a value without its sign, and behind these with it.
    """
    word, half = ir.IntType(64), ir.IntType(32)
    lanes, flags = ir.VectorType(half, FEED), ir.VectorType(ir.IntType(1), FEED)
    valued, rounded = not isinstance(numbers, types.NoneType), getattr(numbers, "dtype", None) == types.float64

    def generate(context, builder, signature, arguments):
        def pointer(k, place, kind=lanes):
            array = context.make_array(signature.args[k])(context, builder, arguments[k])
            return builder.bitcast(builder.gep(array.data, [place]), kind.as_pointer())

        def loaded(k, place, kind=lanes, align=4):
            vector = builder.load(pointer(k, place, kind))
            vector.align = align
            return vector

        def larger(a, b):
            return builder.select(builder.icmp_unsigned(">", a, b), a, b)

        def all_lanes(number):
            vector = builder.insert_element(ir.Constant(lanes, ir.Undefined), number, half(0))
            return builder.shuffle_vector(vector, ir.Constant(lanes, ir.Undefined), ir.Constant(lanes, [0] * FEED))

        lo, n = arguments[4:6]
        last = all_lanes(builder.sub(builder.trunc(n, half), half(1)))
        firsts = [word(0), ir.Constant(lanes, list(range(FEED))), ir.Constant(flags, [0] * FEED)]
        firsts += [loaded(6, word(0)), loaded(6, word(FEED))] if valued else []
        before, loop, after = builder.basic_block, builder.append_basic_block("loop"), builder.append_basic_block("after")
        builder.cbranch(builder.icmp_signed("<", word(0), n), loop, after)
        builder.position_at_end(loop)
        current = [builder.phi(first.type) for first in firsts]
        here = builder.add(lo, current[0])
        for k in (0, 1) if valued else (0,):
            ask_for(builder, pointer(k, builder.add(here, word(AHEAD)), ir.IntType(8)))
        indices, later = loaded(0, here), loaded(0, builder.add(here, word(1)))
        falls = builder.and_(builder.icmp_unsigned("<=", later, indices), builder.icmp_signed("<", current[1], last))
        faults = builder.or_(current[2], falls)
        builder.store(indices, pointer(2, current[0])).align = 4
        largest = []
        if valued:
            bits = loaded(1, here, ir.VectorType(ir.DoubleType(), FEED), 8) if rounded else loaded(1, here)
            if rounded:
                bits = builder.bitcast(builder.fptrunc(bits, ir.VectorType(ir.FloatType(), FEED)), lanes)
            builder.store(bits, pointer(3, current[0])).align = 4
            size = builder.and_(bits, ir.Constant(lanes, [0x7FFFFFFF] * FEED))
            before_it = builder.sub(size, ir.Constant(lanes, [1] * FEED))  # of 0 the largest there is
            faults = builder.or_(faults, builder.icmp_unsigned(">", before_it, ir.Constant(lanes, [0x7F7FFFFE] * FEED)))
            largest = [larger(size, current[3]), larger(bits, current[4])]
        following = [builder.add(current[0], word(FEED)), builder.add(current[1], ir.Constant(lanes, [FEED] * FEED)), faults, *largest]
        builder.cbranch(builder.icmp_signed("<", following[0], n), loop, after)
        builder.position_at_end(after)
        ends = [builder.phi(first.type) for first in firsts]
        for now, end, first, new in zip(current, ends, firsts, following, strict=True):
            now.add_incoming(first, before)
            now.add_incoming(new, loop)
            end.add_incoming(first, before)
            end.add_incoming(new, loop)
        for place, end in zip((0, FEED), ends[3:], strict=False):
            builder.store(end, pointer(6, word(place))).align = 4
        return builder.zext(builder.bitcast(ends[2], ir.IntType(FEED)), word)

    return types.int64(source, numbers, row, values, types.int64, types.int64, extremes), generate


FOUR_LANES = ir.VectorType(ir.DoubleType(), 4)


def _fours(context, builder, signature, arguments):
    """How to take four doubles of w, or of the values, and the places of w that belong to them: arguments are w, indices and values."""
    half = ir.IntType(32)

    def pointer(k, place):
        array = context.make_array(signature.args[k])(context, builder, arguments[k])
        return get_item_pointer(context, builder, signature.args[k], array, [place])

    def four(k, places):
        parts = [builder.load(pointer(k, place)) for place in places]
        vector = ir.Constant(ir.VectorType(parts[0].type, 4), ir.Undefined)
        for j, part in enumerate(parts):
            vector = builder.insert_element(vector, part, half(j))
        return vector if vector.type == FOUR_LANES else builder.fpext(vector, FOUR_LANES)

    def both(place):
        places = [builder.add(place, ir.IntType(64)(j)) for j in range(4)]
        features = [builder.zext(builder.load(pointer(1, k)), ir.IntType(64)) for k in places]
        return features, four(0, features), four(2, places)

    return both, pointer


def _takes_fours(w, values):
    return w.dtype == types.float64 and values.dtype in (types.float32, types.float64)


@intrinsic
def four_sums(typing_context, w, indices, values, lo, hi):
    """Σ w_i·x_i over a row as four sums, of every fourth product, as long as four are left; and the place where it stops.

    The compiler would turn each value into a double by itself, and multiply and add one at a time.
    """
    if not _takes_fours(w, values):
        return None

    def generate(context, builder, signature, arguments):
        word, both = ir.IntType(64), _fours(context, builder, signature, arguments)[0]
        lo, hi = arguments[3:]
        before, loop, after = builder.basic_block, builder.append_basic_block("loop"), builder.append_basic_block("after")
        zero = ir.Constant(FOUR_LANES, [0.0] * 4)
        builder.cbranch(builder.icmp_unsigned("<=", builder.add(lo, word(4)), hi), loop, after)
        builder.position_at_end(loop)
        place, sums = builder.phi(word), builder.phi(FOUR_LANES)
        _, weights, numbers = both(place)
        added, stop = builder.fadd(sums, builder.fmul(weights, numbers)), builder.add(place, word(4))
        builder.cbranch(builder.icmp_unsigned("<=", builder.add(place, word(8)), hi), loop, after)
        builder.position_at_end(after)
        end, whole = builder.phi(word), builder.phi(FOUR_LANES)
        for phi, start, later in ((place, lo, stop), (sums, zero, added), (end, lo, stop), (whole, zero, added)):
            phi.add_incoming(start, before)
            phi.add_incoming(later, loop)
        parts = [builder.extract_element(whole, ir.IntType(32)(j)) for j in range(4)]
        return context.make_tuple(builder, signature.return_type, [end, *parts])

    returned = types.Tuple((types.uint64, *[types.float64] * 4))
    return returned(w, indices, values, types.uint64, types.uint64), generate


@intrinsic
def add_four(typing_context, w, indices, values, k, c):
    """w_i += c·x_i for four features from place k on, all of them different."""
    if not _takes_fours(w, values):
        return None

    def generate(context, builder, signature, arguments):
        both, pointer = _fours(context, builder, signature, arguments)
        features, weights, numbers = both(arguments[3])
        step = ir.Constant(FOUR_LANES, ir.Undefined)
        for j in range(4):
            step = builder.insert_element(step, arguments[4], ir.IntType(32)(j))
        later = builder.fadd(weights, builder.fmul(step, numbers))
        for j, feature in enumerate(features):
            builder.store(builder.extract_element(later, ir.IntType(32)(j)), pointer(0, feature))
        return context.get_dummy_value()

    return types.void(w, indices, values, types.uint64, types.float64), generate
