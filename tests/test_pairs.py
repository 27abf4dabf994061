"""The pairs of `pairs`: no trace of how features are numbered or of how much room there was, and none beyond `most` and `room`."""

import numpy as np
import pytest

import littlestone as ls
from littlestone import reference
from littlestone.checks.trials import rounds_of, same_state
from littlestone.errors import LittlestoneError
from littlestone.models.compare import weights_of
from littlestone.protocol import Block, Runner


def stream(rounds=250, columns=50, longest=14, seed=7):
    """Rows of up to so many features in no order, some of value 0; the label is a parity of two of them."""
    rng = np.random.default_rng(seed)
    rows = [rng.permutation(columns)[: rng.integers(0, longest + 1)] for _ in range(rounds)]
    values = [rng.choice([0.0, 1.0, 1.0, -2.0, 0.5], len(row)) for row in rows]
    labels = [(0 in row.tolist()) ^ (1 in row.tolist()) for row in rows]
    indptr = np.concatenate([[0], np.cumsum([len(row) for row in rows])])
    return Block(indptr, np.concatenate(rows).astype(np.uint32), np.concatenate(values).astype(np.float32), np.array(labels, np.int32))


@pytest.mark.parametrize("settings", [{}, {"most": 6}, {"room": 700}, {"most": 9, "room": 40, "bias": 0}], ids=str)
def test_neither_capacity_nor_the_cut_into_blocks_shows(settings):
    block, learner = stream(), ls.pairs(**settings)
    whole, *cut = (ls.play(learner, block, block_rows=rows, scores=True) for rows in (1000, 1, 60))
    assert whole.predictions.tolist() == list(
        reference.pairs(rounds_of(block), **{"eta": 2, "most": 40, "room": 2**20, "bias": 1, **settings})
    )
    for run in cut:
        assert np.array_equal(run.scores, whole.scores) and same_state(run.state, whole.state)
        assert [len(array) for array in run.state] == [len(array) for array in whole.state]
    twice = [x for x, _ in rounds_of(block)] * 2
    both = ls.play(learner, Block.of(twice, block.labels.tolist() * 2)).predictions.tolist()
    assert Runner(learner, state=cut[0].state).take(block).tolist() == both[len(block) :]


def renumbered(block, numbers):
    return Block(block.indptr, numbers[block.indices].astype(np.uint32), block.values, block.labels)


def test_other_numbers_in_the_same_order_change_nothing():
    block, learner = stream(), ls.pairs(room=600)
    run = ls.play(learner, block, scores=True)
    for seed in range(3):
        moved = renumbered(block, np.sort(np.random.default_rng(seed).permutation(5000)[:50]))
        assert np.array_equal(ls.play(learner, moved, scores=True).scores, run.scores)


def test_how_features_are_numbered_changes_nothing_but_rounding():
    """Terms of a row are added in the order of the numbers; where pairs find no room, that order decides which of a row come first, too."""
    block = stream()
    run = ls.play(ls.pairs(), block, scores=True)
    for seed in range(3):
        moved = renumbered(block, np.random.default_rng(seed).permutation(5000)[:50])
        again = ls.play(ls.pairs(), moved, scores=True)
        assert np.array_equal(again.predictions, run.predictions) and np.allclose(again.scores, run.scores, rtol=0, atol=1e-12)
        for learner, settings in ((ls.pairs(), (2, 40, 2**20, 1)), (ls.pairs(room=600), (2, 40, 600, 1))):
            twin = reference.pairs(rounds_of(moved), **dict(zip(("eta", "most", "room", "bias"), settings, strict=True)))
            assert ls.play(learner, moved).predictions.tolist() == list(twin)


def test_only_so_many_pairs_have_weights_and_they_are_the_first():
    run = ls.play(ls.pairs(room=2), [[1, 1, 0, 0], [0, 1, 1, 0], [1, 0, 0, 1], [1, 1, 0, 0]], [0, 1, 1, 1])
    known = run.state.pairs.reshape(-1, 4)
    assert known[:, :2].tolist() == [[0, 1], [1, 2]] and run.state.tally[0] == 2
    assert known[:, 2].all() and (known[:, 3] >= 1).all()


def test_a_long_row_is_played_by_its_features_alone_and_zeros_do_not_make_it_long():
    row, label = {0: 2.0, 1: 1.0, 2: 0.0, 3: 0.0}, 0
    runs = [ls.play(ls.pairs(most=most), [row], [label]) for most in (1, 2)]
    assert [int(run.state.tally[0]) for run in runs] == [0, 1]
    bare = ls.play(ls.pairs(most=2), [{0: 2.0, 1: 1.0}], [label])
    assert np.array_equal(runs[1].state.pairs, bare.state.pairs)
    ones = Block(stream().indptr, stream().indices, None, stream().labels)  # rows of a single 1 have no square
    alone, plain = (ls.play(rival, ones, scores=True).scores for rival in (ls.pairs(most=1), ls.normalized(bias=1)))
    assert np.allclose(alone, plain, rtol=1e-9, atol=1e-9)


def test_a_square_is_there_where_it_is_not_the_feature_itself():
    run = ls.play(ls.pairs(), [[4.0], [2.0], [-4.0], [1.0]], [0, 1, 0, 1])
    assert run.state.pairs.reshape(-1, 4)[:, :2].tolist() == [[0, 0]]
    assert ls.play(ls.pairs(), [[4.0], [-4.0]], [0, 1]).state.tally[0] == 0


def test_the_explanation_names_the_pairs():
    model = ls.pairs().start()
    for x, y in [({"a": 1, "b": 1}, 0), ({"a": 1}, 1), ({"b": 1}, 1)] * 4:
        model.update(x, y)
    found = model.explain({"a": 1, "b": 1, "new": 1})
    pair = next(share for share in found.features if share.name == "a·b")
    assert pair.column is None and pair.contribution == min(share.contribution for share in found.features) < 0
    assert {share.name for share in found.features} == {"a", "b", "new", "bias", "a·b"} and pair.rounds


@pytest.mark.parametrize(
    "settings", [{"most": 0}, {"most": 1025}, {"most": 2.5}, {"room": 0}, {"room": True}, {"eta": 0}, {"bias": -1}], ids=str
)
def test_what_it_cannot_be_is_refused_by_name(settings):
    with pytest.raises(LittlestoneError, match=next(iter(settings))):
        ls.pairs(**settings)


def test_weights_are_shown_of_any_number_of_features(tmp_path):
    for n in range(1, 60):
        model = ls.play(ls.pairs(bias=1), np.eye(n)[[0, n - 1] * 3], [1, 0] * 3).model
        assert len(weights_of(model.learner, model.state)) >= n
