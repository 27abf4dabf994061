"""A large matrix is played where it lies: to the same bits, with the same refusals, as block by block from copies."""

import numpy as np
import pytest
from scipy import sparse

import littlestone as ls
from littlestone.api.observers import Observer
from littlestone.jit import add, dot
from littlestone.protocol.run import Runner
from littlestone.reference.arithmetic import ordered_sum
from littlestone.streams import instances

ROWS, COLUMNS = 700, 60


@pytest.fixture(autouse=True)
def lent(monkeypatch):
    """Lend small matrices, too; how many rows were played where they lay."""
    monkeypatch.setattr(instances, "WORTH_LENDING", 1)
    monkeypatch.setattr(instances, "LENT", 3)
    played, feed = [], Runner._feed

    def counted(self, block, start, *others):
        stop = feed(self, block, start, *others)
        played.append(stop - start)
        return stop

    monkeypatch.setattr(Runner, "_feed", counted)
    return played


def matrix(kind, draw=lambda size: np.random.default_rng(2).normal(size=size)):
    X = sparse.random(ROWS, COLUMNS, 0.2, "csr", random_state=1, data_rvs=draw)
    return X.astype(kind)


def unsorted():
    X = matrix(np.float32)
    for t in range(3, ROWS, 90):
        row = slice(X.indptr[t], X.indptr[t + 1])
        X.indices[row], X.data[row] = X.indices[row][::-1].copy(), X.data[row][::-1].copy()
    return X


def with_zeros():
    X = matrix(np.float32)
    X.data[X.indptr[3:ROWS:90]] = 0
    return X


def wide(X):
    X.resize(ROWS, 2**30)
    return X


def far(X):
    X.indptr = X.indptr.astype(np.int64)
    return X


def whole(size):
    return np.random.default_rng(3).integers(1, 6, size).astype(float)


PLAYED = {
    "floats": (ls.perceptron, lambda: matrix(np.float32)),
    "doubles": (ls.perceptron, lambda: matrix(np.float64)),
    "row pointers of 64 bits": (ls.perceptron, lambda: far(matrix(np.float32))),
    "whole numbers": (ls.perceptron, lambda: matrix(np.float32, whole)),
    "rows in no order": (ls.perceptron, unsorted),
    "rows with zeros": (ls.perceptron, with_zeros),
    "a state that grows": (ls.perceptron, lambda: wide(matrix(np.float32))),
    "presence": (lambda: ls.winnow(COLUMNS), lambda: matrix(np.float32) != 0),
    "a margin": (lambda: ls.perceptron(margin=1), lambda: matrix(np.float32)),
}
KEPT = (
    "rounds",
    "mistakes",
    "unlabelled",
    "nonzeros",
    "width",
    "largest_value",
    "widest_row",
    "whole",
    "negative",
    "squares",
    "false_positives",
)


@pytest.mark.parametrize("case", PLAYED)
def test_it_is_the_same_run(case, lent):
    make, rows = PLAYED[case]
    X, y = rows(), np.array([None if t % 50 == 7 else t * t % 7 < 3 for t in range(ROWS)])
    scores = case == "floats"
    there = ls.play(make(), X, y, block_rows=64, scores=scores)
    usual = ls.play(make(), X, y, block_rows=64, scores=scores, observers=[Observer()])
    most = 64 if case in ("rows in no order", "rows with zeros") else ROWS // 2
    assert sum(lent) > most, "it was not played where it lies"
    assert [getattr(there, name) for name in KEPT] == [getattr(usual, name) for name in KEPT]
    assert there.learner.alike(there.state, usual.state) and there.baselines == usual.baselines
    for name in ("predictions", "updates", "scores"):
        assert np.array_equal(getattr(there, name), getattr(usual, name)), name
    assert there.over(20) == usual.over(20)


def test_what_lies_behind_the_last_row_is_no_part_of_it(lent):
    X, y = matrix(np.float32), np.arange(ROWS) % 2
    X.data = np.concatenate([np.abs(X.data), np.full(40, -1e9, np.float32)])
    X.indices = np.concatenate([X.indices, np.zeros(40, X.indices.dtype)])
    run = ls.play(ls.perceptron(), X, y, block_rows=64)
    assert sum(lent) == ROWS
    assert run.largest_value == X.data.max() and not run.negative


def spoiled(place, **changes):
    X = matrix(changes.pop("kind", np.float32))
    for name, value in changes.items():
        getattr(X, name)[place] = value
    return X


FAULTS = {
    "not a number": lambda: spoiled(5_000, data=np.nan),
    "minus infinity": lambda: spoiled(5_000, data=-np.inf),
    "too large a double": lambda: spoiled(5_000, data=1e300, kind=np.float64),
    "a negative column": lambda: spoiled(5_000, indices=-3),
    "a column too many": lambda: spoiled(5_000, indices=COLUMNS),
    "a feature twice": lambda: spoiled(slice(5_000, 5_002), indices=7),
    "in the last row": lambda: spoiled(-1, data=np.inf),
    "in the first row": lambda: spoiled(0, data=np.inf),
}


@pytest.mark.parametrize("case", FAULTS)
def test_what_is_wrong_is_told_as_ever(case, lent):
    X, y = FAULTS[case](), np.arange(ROWS) % 2
    told = []
    for observers in ([], [Observer()]):
        with pytest.raises(ls.LittlestoneError) as error:
            ls.play(ls.perceptron(), X, y, block_rows=64, observers=observers)
        told.append(str(error.value))
    assert told[0] == told[1] and lent


def test_what_others_write_meanwhile_reaches_no_kernel(spoiled):
    X, y = matrix(np.float32), np.arange(ROWS) % 2
    with spoiled(X.indices):
        for _ in range(50):
            try:
                assert ls.play(ls.perceptron(), X, y).rounds == ROWS
            except ls.LittlestoneError as error:
                assert "2147483647" in str(error) or "given twice" in str(error)


@pytest.mark.parametrize("kind", [np.int32, np.int64])
def test_row_pointers_that_others_write_meanwhile_lead_nowhere(kind, spoiled):
    X, y = matrix(np.float32), np.arange(ROWS) % 2
    X.indptr = X.indptr.astype(kind)
    with spoiled(X.indptr):
        for _ in range(50):
            try:
                assert ls.play(ls.perceptron(), X, y).rounds == ROWS
            except ls.LittlestoneError as error:
                assert "malformed" in str(error) or "given twice" in str(error)


def test_row_pointers_are_asked_again_by_the_pass():
    X, y = matrix(np.float32), np.arange(ROWS, dtype=np.int8) % 2
    for place, wrong in ((300, 2**31 - 1), (300, -1), (ROWS, 2**31 - 1), (5, 0)):
        source = instances._from_csr(X, y, 64)
        (block, *_), kept = source.lent.blocks(), X.indptr.copy()
        block = instances.LentBlock(X.indptr, block.indices, block.values, y, block.widest, block.copied_from)
        X.indptr[place] = wrong
        with pytest.raises(ls.LittlestoneError, match="malformed"):
            Runner(ls.perceptron(), columns=COLUMNS).take(block)
        X.indptr[:] = kept


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("gap", [1, 2])
def test_dot_products_and_steps_are_what_is_written_down(kind, gap):
    rng = np.random.default_rng(5)
    w = rng.standard_normal(80)[::gap]
    for n in range(14):
        indices, values = rng.permutation(40)[: n + 3].astype(np.uint32), rng.standard_normal(n + 3).astype(kind)
        terms = [float(w[i]) * float(v) for i, v in zip(indices[2 : 2 + n], values[2 : 2 + n], strict=True)]
        assert dot(w, indices, values, 2, 2 + n) == ordered_sum(terms)
        expected = w.copy()
        for i, v in zip(indices[2 : 2 + n], values[2 : 2 + n], strict=True):
            expected[i] += 0.3 * float(v)
        add(w, indices, values, 2, 2 + n, 0.3)
        assert (w == expected).all()
