"""A round as it was played, and the digest of a stream of them."""

import hashlib
from collections.abc import Generator, Iterable, Sequence
from struct import Struct, pack
from struct import error as StructError
from typing import Any

from littlestone.errors import LittlestoneError, require

HEADER = b"littlestone stream 1\n"
TREE = b"littlestone tree 1\n"
CHUNK = 2**18  # rounds of a leaf
FLOAT = Struct("<f")


class Round:
    """A row of the stream: the label (None where there is none), and each feature with its value, as played."""

    __slots__ = ("c", "coded", "id", "key", "keys", "values", "y")

    def __init__(self, y: Any, keys: Sequence[Any], values: Sequence[float], coded: bytes, c: float = 1.0, id: str | None = None) -> None:
        self.y, self.values, self.coded, self.c, self.id = y, values, coded, c, id
        self.key: str | None = None  # whose round it is, where that is said
        self.keys = keys  # names, or numbers, whose names are their digits

    @property
    def x(self) -> dict[str, float]:
        return dict(zip(map(str, self.keys), self.values, strict=True))


def root_of(leaves: Sequence[bytes]) -> str:
    """The digest of a stream by those of its chunks, so many rounds each; a stream of one chunk has that chunk's."""
    if len(leaves) == 1:
        return "sha256:" + leaves[0].hex()
    return "sha256-tree:" + hashlib.sha256(TREE + b"".join(leaves)).hexdigest()


def kind_of(digest: str) -> str:
    """What its text begins with: whether it is the root of a tree.

    >>> kind_of("sha256-tree:00"), kind_of("sha256:00")
    ('sha256-tree:', 'sha256:')
    """
    return digest[: digest.index(":") + 1]


def in_one_go(digest: str) -> bool:
    """Was it made of one long text, as all were before there were trees?"""
    return digest.startswith("sha256:")


class StreamDigest:
    """The digest of a stream, made round by round: of each chunk of 2^18 rounds, and of these digests where there are several.

    `whole` makes it in one go, however many rounds there are, as it was made once.

    A chunk begins with a line that names the format, and lines that say whether presence was taken for value, and whether this is a
    segment.

    Each round is its label (1, 0 or ?), its weight where rounds have weights, the names of its features in UTF-8, each followed by the byte
    FF, the byte FE, and their values in the same order; weights and values are little-endian float32.  Shorter names come first, then
    the order of their bytes decides.  Zeros are left out.
    """

    def __init__(self, *, weighted: bool, boolean: bool, segment: bool, whole: bool = False) -> None:
        self.first = hashlib.sha256(HEADER + b"boolean\n" * boolean + b"segment\n" * segment)
        self.sha, self.weighted, self.whole = self.first.copy(), weighted, whole
        self.leaves: list[bytes] = []  # of the chunks that are full
        self.rounds = 0

    def add(self, y: bool | None, round: Round) -> None:
        """A round with this label."""
        if self.rounds and not self.rounds % CHUNK and not self.whole:
            self.leaves.append(self.sha.digest())
            self.sha = self.first.copy()
        self.rounds += 1
        label = b"?" if y is None else b"1" if y else b"0"
        self.sha.update(label + FLOAT.pack(round.c) + round.coded if self.weighted else label + round.coded)

    def text(self) -> str:
        return root_of([*self.leaves, self.sha.digest()])


def digest_of(rounds: Iterable[Round], *, weighted: bool, boolean: bool, segment: bool) -> Generator[Round, None, str]:
    """The rounds, while their digest is made; it is what the generator returns."""
    digest = StreamDigest(weighted=weighted, boolean=boolean, segment=segment)
    for round in rounds:
        digest.add(round.y, round)
        yield round
    return digest.text()


def coded(names: Sequence[bytes], values: Sequence[float]) -> bytes:
    """Features as the digest takes them."""
    pairs = sorted((len(name), name, v) for name, v in zip(names, values, strict=True) if v)
    return b"".join([name + b"\xff" for _, name, _ in pairs]) + b"\xfe" + pack(f"<{len(pairs)}f", *[v for _, _, v in pairs])


def float32(value: Any, where: str) -> float:
    """The nearest float32, as a Python number."""
    try:
        small = FLOAT.unpack(pack("<f", value))[0]
    except (OverflowError, TypeError, ValueError, StructError):
        raise LittlestoneError(f"{where} has value {value!r}; expected a finite number") from None
    require(small - small == 0, f"{where} has value {value!r}; expected a finite number")
    return small
