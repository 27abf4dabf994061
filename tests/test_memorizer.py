"""The memorizer's table: rows in any order, real values, many instances, and no trace of how much room there was."""

import numpy as np
import pytest

import littlestone as ls
from littlestone import reference
from littlestone.kernels.native import core
from littlestone.protocol import Runner


def random_rows(rng, many, n=40, most=9):
    rows = []
    for _ in range(many):
        keys = rng.permutation(n)[: rng.integers(0, most)]
        rows.append({int(i): float(v) for i, v in zip(keys, rng.integers(-1, 3, len(keys)) / 2, strict=True)})
    return rows


def test_thousands_of_instances_in_blocks_of_any_size():
    rng = np.random.default_rng(4)
    pool = random_rows(rng, 3000)
    rows = [pool[i] for i in rng.integers(0, len(pool), 8000)]
    labels = [bool(b) for b in rng.random(8000) < 0.5]
    block = ls.Block.of(rows, labels)
    runs = [ls.play(ls.memorizer(), block, block_rows=size) for size in (1, 50, 8000)]
    assert runs[0].predictions.tolist() == list(reference.memorizer(zip(rows, labels, strict=True)))
    for run in runs[1:]:
        assert all(np.array_equal(a, b) for a, b in zip(run.state, runs[0].state, strict=True))
    assert all(claim.holds and claim.limit == claim.observed for run in runs for claim in run.bounds())
    again = Runner(ls.memorizer(), state=runs[0].state)
    assert np.array_equal(again.run().state.table, runs[0].state.table)


def test_a_row_is_the_same_in_any_order_and_with_zeros_written_out():
    model = ls.memorizer().start()
    big = np.random.default_rng(1).permutation(1000).astype(np.uint32)
    assert model.observe((big, None), True) is False
    assert model.observe((np.sort(big), np.ones(1000)), True) is True
    assert model.observe((np.append(big, 2000), np.append(np.ones(1000), 0)), True) is True
    assert model.observe((np.append(big, 2000), np.ones(1001)), True) is False
    assert model.observe((big[:-1], None), True) is False
    assert model.state.items.tolist()[:1000] == list(range(1000))


def test_rows_whose_codes_collide_are_kept_apart():
    """A row that is stored under the code of another one is not taken for it: rows are compared."""

    def stored(row):
        model = ls.memorizer().start()
        model.update((np.array(row, np.uint32), None), True)
        return model.state

    def found(state, codes, row):
        table = np.zeros_like(state.table)
        core.enter_all(table, codes, 1)
        return core.find_instance(table, codes, state.starts, state.items, state.numbers, np.array(row, np.uint32), None)

    rows = [[0, 1], [1, 2], [0], [], [0, 1, 2], [0, 2]]
    for row in rows:
        for other in rows:
            assert found(stored(row), stored(other).codes, other) == (0 if row == other else -1)


def test_the_label_must_depend_on_the_instance_alone():
    run = ls.play(ls.memorizer(), [[1, 0], [0, 1], [1, 0], [1, 1]], [1, 0, 1, 1])
    assert run.bounds("function")[0].limit == 2 and run.bounds("function:size=4")[0].limit == 4
    assert run.bounds("function:size=1")[0].holds is None
    with pytest.raises(ls.LittlestoneError, match="size"):
        run.bounds("function:size=1/2")
