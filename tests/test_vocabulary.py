"""Names to columns: the table against a dict, snapshots that other threads hold, hashing and its report."""

from threading import Thread

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from littlestone.kernels.native import core
from littlestone.rounds.features import hash64
from littlestone.streams.vocabulary import SEED, SLACK, UNKNOWN, Hashed, Vocabulary, hashes_of, name_columns, spans_of

FIXED = settings(max_examples=80, derandomize=True, deadline=None, database=None, suppress_health_check=list(HealthCheck))
name = st.one_of(st.text(max_size=20), st.text(alphabet="ab\0", max_size=9), st.sampled_from(["", "a", "a\0", "é" * 40]))


@FIXED
@given(st.lists(st.lists(name, max_size=30), max_size=5))
def test_columns_are_by_first_appearance(groups):
    names, columns = Vocabulary(), {}
    for group in groups:
        assert names.columns_of(group).tolist() == [columns.setdefault(one, len(columns)) for one in group]
    assert names.names() == list(names) == list(columns) and len(names) == len(columns)
    assert [names.name(k) for k in range(len(names))] == list(columns)
    assert Vocabulary(columns).columns_of(list(columns)).tolist() == list(range(len(columns)))


def test_a_name_that_has_no_column_has_no_name():
    for names in (Vocabulary(["a"]), Hashed(2)):
        for column in (-1, 4):
            with pytest.raises(IndexError):
                names.name(column)


def looked_up(snapshot, names, joint="^"):
    """Columns as a parser on another thread finds them, what stands before the last '^' taken for a prefix."""
    found = []
    for name in names:
        prefix, _, rest = name.encode().rpartition(joint.encode())
        text = np.frombuffer(prefix + rest + b" " + bytes(SLACK), np.uint8)
        cells = np.array([len(prefix), len(prefix) + len(rest) + 1], np.int64)
        indices, waiting = np.zeros(1, np.uint32), np.zeros((1, 4), np.uint64)
        columns = name_columns(snapshot, 0, np.empty(0, np.uint32), waiting)
        spans, indptr = np.empty((1, 2), np.uint32), np.zeros(2, np.int64)
        waits = core.take_words(text, cells, len(prefix), ord(joint), 1, spans, indptr, indices, columns)
        assert waits == (indices[0] == UNKNOWN) and indptr.tolist() == [0, 1]
        found.append(int(indices[0]))
    return found


@FIXED
@given(
    st.lists(
        st.text(alphabet="ab^\0é", max_size=18).filter(lambda one: not one.startswith("^") and not one.endswith("^") and one),
        max_size=60,
        unique=True,
    ),
    st.integers(0, 60),
)
def test_a_snapshot_knows_what_was_there_and_nothing_else(all_names, cut):
    names = Vocabulary(all_names[:cut])
    snapshot = names.snapshot()
    names.columns_of(all_names)
    for held in (snapshot, names.snapshot()):
        expected = [k if k < held.known else UNKNOWN for k in range(len(all_names))]
        assert looked_up(held, all_names) == expected


def test_names_whose_hashes_agree_are_different_names():
    """With a zero byte inside, a longer name can have the hash of a shorter one: the length tells."""
    short, long = "cab", "dab\0"
    assert hash64(short.encode()) == hash64(long.encode())
    names = Vocabulary([short, "other", long])
    assert names.columns_of([long, short]).tolist() == [2, 0]
    assert looked_up(Vocabulary([short]).snapshot(), [long, short]) == [UNKNOWN, 0]


def test_threads_look_up_while_names_are_added():
    first = [f"name{i}" for i in range(500)]
    names = Vocabulary(first)
    snapshot, wrong = names.snapshot(), []

    def look():
        for _ in range(40):
            found = looked_up(snapshot, [*first[::3], "stranger", "name501"])
            if found != [*range(0, 500, 3), UNKNOWN, UNKNOWN]:
                wrong.append(found)

    threads = [Thread(target=look) for _ in range(2)]
    for thread in threads:
        thread.start()
    for k in range(300):
        names.columns_of([f"name{i}" for i in range(400 + 40 * k, 520 + 40 * k)])
    for thread in threads:
        thread.join()
    assert not wrong and names.names() == [f"name{i}" for i in range(400 + 40 * 299 + 120)]


@FIXED
@given(st.lists(st.binary(max_size=30), max_size=20), st.binary(max_size=20))
def test_the_native_hash_is_the_plain_one(names, prefix):
    starts, text = spans_of(names)
    assert hashes_of(text, starts, SEED).tolist() == list(map(hash64, names))
    prefix = prefix.replace(b" ", b"_")
    for one in (one.replace(b" ", b"_") for one in names if one):
        text = np.frombuffer(prefix + one + b" " + bytes(SLACK), np.uint8)
        cells, indices, prints = np.array([len(prefix), len(prefix) + len(one) + 1]), np.zeros(1, np.uint32), np.zeros(1, np.uint32)
        columns = name_columns(None, 31, prints, np.empty((0, 4), np.uint64))
        core.take_words(text, cells, len(prefix), ord("^"), 1, np.empty((1, 2), np.uint32), np.zeros(2, np.int64), indices, columns)
        h = hash64(prefix + b"^" + one if prefix else one)
        assert (int(indices[0]), int(prints[0])) == (h % 2**31, h >> 32)


@FIXED
@given(st.binary(max_size=8) | st.text(max_size=4).map(str.encode))
def test_utf8_is_judged_as_python_does(junk):
    try:
        junk.decode()
        good = True
    except UnicodeDecodeError:
        good = False
    assert core.is_utf8(np.frombuffer(junk, np.uint8)) == good


def test_hashed_names_and_numbers_share_their_columns_and_collisions_are_told():
    names = Hashed(3)
    some = [f"word{i}" for i in range(40)]
    buckets = {}
    for one in some:
        buckets.setdefault(hash64(one.encode()) % 8, []).append(one)
    assert names.columns_of(some).tolist() == [hash64(one.encode()) % 8 for one in some]
    shared = [bucket for bucket in buckets.values() if len(bucket) > 1]
    assert names.report() == {
        "bits": 3, "buckets": 8, "used": len(buckets), "shared": len(shared), "names_at_least": len(buckets) + len(shared),
        "occurrences": 40, "in_shared": sum(map(len, shared)),
    }  # fmt: skip
    numbers = np.array([0, 7, 10, 99_999_999, 100_000_000, 2**31 - 1], np.uint32)
    names = Hashed(20)
    assert names.columns_of_numbers(numbers).tolist() == names.columns_of([str(i) for i in numbers.tolist()]).tolist()
    assert names.report()["shared"] == 0 and names.name(7) == "7"


def test_stamps_begin_anew_before_their_numbers_run_out():
    names = Vocabulary(["a", "b"])
    names.stamps.tick = 2**32 - 3
    indptr, indices = np.array([0, 2, 4], np.int64), np.array([0, 1, 1, 1], np.uint32)
    waiting = np.empty((0, 4), np.uint64)
    for _ in range(3):
        found = names.settle(indptr, indices, waiting, 0, np.zeros(64, np.uint8), 0, refuse=True)
        assert found.bad.tolist() == [1] and names.stamps.tick < 100
