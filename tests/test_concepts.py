"""Concept classes: sizes, streams, noise, tables; and halving and the optimal learner on them, against every stream of small classes."""

from fractions import Fraction
from itertools import product
from math import log2

import numpy as np
import pytest

import littlestone as ls
from littlestone import concepts, protocol
from littlestone.concepts import instances
from littlestone.concepts.dimension import Dimensions, littlestone_dimension, randomised_optimum, vc_dimension
from littlestone.concepts.version_spaces import VersionSpaces
from searches import concept_classes

SMALL = [
    concepts.conjunctions(4),
    concepts.conjunctions(3, contradictory=True),
    concepts.conjunctions(5, monotone=True),
    concepts.disjunctions(7),
    concepts.disjunctions(6, 2),
    concepts.k_of_r(6, 2, 4),
    concepts.dictators(7),
    concepts.half_intervals(70),
    concepts.half_intervals(8, empty=False),
    concepts.table(concept_classes.OUTDONE),
    concepts.table([[0, 1, 1, 1], [0, 0, 0, 1]], domain="cube"),
]


@pytest.mark.parametrize("C", SMALL, ids=repr)
def test_a_table_of_bits_is_what_the_concepts_say(C):
    columns = C.columns()
    assert columns.shape == (C.points, -(-C.size // 64)) and columns.dtype == np.uint64
    for point in range(C.points):
        said = [concept(C.row(point)) for concept in C]
        assert [bool(int(columns[point, c // 64]) >> (c % 64) & 1) for c in range(C.size)] == said
        assert not any(int(word) >> (C.size - 64 * w) for w, word in enumerate(columns[point]) if C.size < 64 * (w + 1))


@pytest.mark.parametrize("C", [c for c in SMALL if not isinstance(c, type(concepts.table([[1]])))], ids=repr)
def test_the_concepts_are_distinct_and_all_there(C):
    functions = {tuple(concept(C.row(p)) for p in range(C.points)) for concept in C}
    assert len(functions) == C.size == len(list(C))


def test_sizes():
    assert [concepts.conjunctions(n, contradictory=True).size for n in (2, 3, 4)] == [10, 28, 82]
    assert concepts.conjunctions(40).size == 3**40 and concepts.disjunctions(100).size == 2**100
    assert concepts.disjunctions(10_000, 5).size == concepts.k_of_r(10_000, 2, 5).size == 832500291625002000
    assert concepts.halfspaces(5, 0.1).size is None
    target = concepts.disjunctions(10_000, 5).draw(3)
    assert len(target.S) == 5 and max(target.S) < 10_000 and target == concepts.disjunctions(10_000, 5).draw(3)


@pytest.mark.parametrize("C", [*SMALL, concepts.halfspaces(5, 0.05)], ids=repr)
@pytest.mark.parametrize("how", ["uniform", "zipf"])
def test_the_same_seed_gives_the_same_rounds_however_they_are_cut(C, how):
    def listed(rows, seed=4):
        blocks = C.blocks(50, instances=how, label_noise=0.1, attribute_noise=0.1, seed=seed, rows=rows)
        return [(i.tolist(), v if v is None else v.tolist(), y) for block in blocks for i, v, y in block.rounds()]

    assert listed(7) == listed(256) and len(listed(7)) == 50
    assert listed(7) != listed(7, seed=5) or C.size == 2
    target = C.draw(4)
    (clean,) = C.blocks(50, instances=how, seed=4)
    assert target.label(clean).labels.tolist() == clean.labels.tolist()
    assert [b.first_round for b in C.blocks(50, seed=4, rows=20)] == [0, 20, 40]


def test_balanced_instances_are_balanced_for_conjunctions_and_thresholds_too():
    C = concepts.conjunctions(30, monotone=True)
    for blocks in (
        C.blocks(2000, instances="balanced", target=C.of({1, 5, 8, 9}), rows=2000),
        concepts.k_of_r(30, 3, 5).blocks(2000, instances="balanced", rows=2000),
        concepts.dictators(30).blocks(2000, instances="balanced", rows=2000),
    ):
        assert abs(next(blocks).labels.mean() - 0.5) < 0.05
    with pytest.raises(ls.LittlestoneError, match="no density is known"):
        next(C.blocks(5, instances="balanced", target=C.of()))


def test_balanced_instances_are_balanced():
    for k in (1, 3, 8):
        C = concepts.disjunctions(40, k)
        labels = np.concatenate([b.labels for b in C.blocks(2000, instances="balanced", seed=k)])
        assert abs(labels.mean() - 0.5) < 0.05
        (block,) = C.blocks(2000, instances="balanced", seed=k, rows=2000)
        assert abs(len(block.indices) / 2000 / 40 - (1 - 2 ** (-1 / k))) < 0.01


def test_sparse_uniform_rows_have_the_density_asked_for():
    draw, rng = instances.uniform(0.01), np.random.default_rng(0)
    rows = [draw(rng, 5000) for _ in range(400)]
    assert abs(np.mean([len(row) for row in rows]) - 50) < 2 and all(row == sorted(set(row)) for row in rows)
    assert max(map(max, rows)) > 4900 and min(map(min, rows)) == 0


def test_zipf_rows_prefer_the_first_features():
    (block,) = concepts.dictators(1000).blocks(500, instances="zipf", rows=500)
    counts = np.bincount(block.indices, minlength=1000)
    assert counts[0] > counts[10] > counts[100] and len(block.indices) < 500 * 20


def test_noise_flips_as_often_as_it_says():
    C = concepts.disjunctions(20, 2)
    for settings in ({"label_noise": 0.2}, {"attribute_noise": 0.2}):
        (noisy,) = C.blocks(2000, seed=1, rows=2000, **settings)
        (clean,) = C.blocks(2000, seed=1, rows=2000)
        flipped = (noisy.labels != clean.labels).mean()
        assert abs(flipped - settings.get("label_noise", 0)) < 0.03
        on = [set(i.tolist()) ^ set(j.tolist()) for (i, _, _), (j, _, _) in zip(noisy.rounds(), clean.rounds(), strict=True)]
        assert abs(sum(map(len, on)) / 40_000 - settings.get("attribute_noise", 0)) < 0.01


@pytest.mark.parametrize("how", ["uniform", "zipf"])
def test_instances_of_a_halfspace_keep_their_margin(how):
    C = concepts.halfspaces(30, Fraction(1, 50))
    target = C.draw(2)
    u = {i: Fraction(w) for i, w in target.witness.items()}
    assert sum(w * w for w in u.values()) <= 1
    for block in C.blocks(300, instances=how, seed=2):
        for indices, values, y in block.rounds():
            margin = sum(u[i] * Fraction(v) for i, v in zip(indices.tolist(), values.tolist(), strict=True))
            assert (margin if y else -margin) >= Fraction(C.gamma)
    run = ls.play(ls.perceptron(bias=0), C.blocks(300, instances=how, seed=2), check_invariants=True, witness=target.witness)
    assert [claim.holds for claim in run.bounds(target.assume)] == [True, True]


def test_what_a_concept_lets_one_assume_is_what_the_learners_take():
    C = concepts.disjunctions(30, 3)
    for learner in (ls.winnow(n=30), ls.winnow_elimination(n=30)):
        run = ls.play(learner, C.blocks(400, seed=9), check_invariants=True, witness=C.draw(9).witness)
        assert run.bounds(C.draw(9).assume)[0].holds
    T = concepts.k_of_r(12, 2, 3)
    run = ls.play(ls.winnow(n=12, alpha="3/2"), T.blocks(400, seed=9))
    assert run.bounds(T.draw(9).assume)[0].holds


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (lambda: concepts.disjunctions(0), "n=0"),
        (lambda: concepts.disjunctions(4, 5), "r=5"),
        (lambda: concepts.k_of_r(4, 3, 2), "k=3"),
        (lambda: concepts.halfspaces(4, 1.5), "gamma=1.5"),
        (lambda: concepts.table([[1, 2]]), "True or False"),
        (lambda: concepts.table([[1, 0, 1]], domain="cube"), "power of 2"),
        (lambda: concepts.disjunctions(4).of({7}), "variable 7"),
        (lambda: concepts.disjunctions(4, 2).of({1}), "r=2"),
        (lambda: concepts.disjunctions(20).columns(), "at most"),
        (lambda: list(concepts.halfspaces(4, 0.1)), "no end of concepts"),
        (lambda: list(concepts.dictators(4).blocks(3, instances="normal")), "uniform, balanced, zipf"),
        (lambda: list(concepts.half_intervals(4).blocks(3, instances="balanced")), "one point"),
        (lambda: list(concepts.dictators(4).blocks(3, label_noise=2)), "label_noise=2"),
        (lambda: ls.halving("disjunctions"), "needs n"),
        (lambda: ls.halving("trees", n=3), "disjunctions"),
        (lambda: ls.halving("disjunctions", n=40), "at most"),
        (lambda: ls.halving(concepts.halfspaces(3, 0.1)), "finite"),
        (lambda: ls.halving("dictators", n=4, r=2), "r=2"),
        (lambda: ls.halving(concepts.dictators(4), n=5), "n=5"),
        (lambda: ls.halving("dictators", n=4, updates="never"), "updates='never'"),
        (lambda: ls.optimal("disjunctions", n=14), "concepts times points"),
    ],
)
def test_what_makes_no_sense_is_refused(act, message):
    with pytest.raises(ls.LittlestoneError, match=message):
        act()


# ------------------------------------------------------------------------------------------------ dimensions


def test_exact_values_of_conjunctions():
    values = {1: (4, 2, 2, Fraction(1)), 2: (10, 2, 3, Fraction(13, 8)), 3: (28, 3, 4, Fraction(577, 256))}
    for n, expected in values.items():
        C = concepts.conjunctions(n, contradictory=True)
        assert (C.size, vc_dimension(C), littlestone_dimension(C), randomised_optimum(C)) == expected
    four = concepts.conjunctions(4, contradictory=True)
    assert (four.size, vc_dimension(four), littlestone_dimension(four)) == (82, 4, 5)
    assert [randomised_optimum(concepts.conjunctions(n)) for n in (2, 3)] == [Fraction(25, 16), Fraction(9, 4)]


def test_the_randomised_optimum_of_conjunctions_of_four():
    assert randomised_optimum(concepts.conjunctions(4, contradictory=True)) == Fraction(186383, 65536)


def test_exact_values_of_the_other_classes():
    for n in (1, 2, 3, 4):
        for C in (concepts.disjunctions(n), concepts.conjunctions(n, monotone=True)):
            assert littlestone_dimension(C) == vc_dimension(C) == n and randomised_optimum(C) == Fraction(n, 2)
        assert littlestone_dimension(concepts.half_intervals(2**n, empty=False)) == n
        assert vc_dimension(concepts.half_intervals(2**n)) == 1
    for n in range(1, 10):
        assert littlestone_dimension(concepts.dictators(n)) == int(log2(n))
    assert littlestone_dimension(np.eye(6)) == vc_dimension(np.eye(6)) == 1


# ------------------------------------------------------------------------------------------------ every stream


@pytest.mark.parametrize("C", [C for C in concept_classes.small_classes() if C.size <= 32], ids=repr)
def test_no_stream_exceeds_the_bounds_and_the_learners_reach_the_worst(C):
    found, dimensions = concept_classes.search(C), Dimensions(C)
    assert found.always == VersionSpaces(C).halving()
    for learner, rule, always, worst in (
        (ls.halving(C), concept_classes.halving, True, found.always),
        (ls.halving(C, updates="mistakes"), concept_classes.halving, False, found.mistakes),
        (ls.optimal(C), concept_classes.optimal, True, found.ldim),
    ):
        _, stream = concept_classes.worst_stream(dimensions, rule, always=always)
        run = ls.play(learner, ls.Block.of([C.row(point) for point, _ in stream], [y for _, y in stream]))
        assert run.mistakes == worst, f"{learner!r} on {stream}"
        assert all(claim.holds for claim in run.bounds("class"))


def test_every_class_on_three_points():
    functions = list(product((False, True), repeat=3))
    for chosen in range(1, 256):
        found = concept_classes.search(concepts.table([f for c, f in enumerate(functions) if chosen >> c & 1]))
        assert found.optimal == found.ldim and max(found.always, found.mistakes) <= chosen.bit_count().bit_length() - 1


def test_halving_is_not_always_optimal():
    found = concept_classes.search(concepts.table(concept_classes.OUTDONE))
    assert (found.always, found.mistakes, found.optimal) == (3, 3, 2)


def test_a_search_that_finds_too_many_mistakes_says_so(monkeypatch):
    monkeypatch.setattr(concept_classes, "halving", lambda _, ones, zeros: ones.bit_count() < zeros.bit_count())
    with pytest.raises(concept_classes.Refuted, match="halving errs"):
        concept_classes.search(concepts.half_intervals(16))


# ------------------------------------------------------------------------------------------------ the learners


def test_dictators_on_unit_vectors_cost_one_mistake():
    """The notes' example: on e_1, ..., e_n halving says 0 until the label is 1, and then knows the dictator."""
    for n in range(3, 12):
        for target in concepts.dictators(n):
            for updates in ("always", "mistakes"):
                run = ls.play(ls.halving("dictators", n=n, updates=updates), target.label([[i] for i in range(n)] * 2))
                assert run.mistakes <= 1


def test_binary_search_needs_no_more_than_its_bits():
    """2^m half-intervals on 2^m points: any order of the points, any target, at most m mistakes."""
    rng = np.random.default_rng(0)
    for m in (1, 3, 6):
        C = concepts.half_intervals(2**m, empty=False)
        for target in C:
            rows = [[int(x)] for x in rng.permutation(2**m)]
            for learner in (ls.halving(C), ls.optimal(C)):
                run = ls.play(learner, target.label(rows))
                assert run.mistakes <= m == run.bounds("class")[0].limit


def test_a_conjunction_costs_every_learner_n_plus_one():
    for n in (2, 3, 4):
        assert ls.play(ls.optimal("conjunctions", n=n), [], []).bounds("class")[0].limit == n + 1


def test_the_worked_out_disjunctions_are_the_table_of_them():
    """More than one word, so that high and low variables both matter."""
    for n, C in ((8, concepts.disjunctions(8)), (8, concepts.conjunctions(8, monotone=True))):
        same = concepts.table(np.array([[c(C.row(p)) for p in range(256)] for c in C]), domain="cube")
        for seed in range(5):
            for updates in ("always", "mistakes"):
                blocks = list(C.blocks(60, instances=instances.uniform(0.3), seed=seed))
                one, two = (ls.play(ls.halving(D, updates=updates), blocks, check_invariants=True) for D in (C, same))
                assert one.predictions.tolist() == two.predictions.tolist()
                assert all(np.array_equal(a, b) for a, b in zip(one.state, two.state, strict=True))
                assert one.state.tally[0] >= 1 and n == one.learner.n


def test_two_to_the_24():
    C = concepts.disjunctions(24)
    target = C.of({3, 11, 20})
    run = ls.play(ls.halving(C), C.blocks(200, instances=instances.uniform(0.15), target=target, seed=3))
    assert run.mistakes <= run.bounds("class")[0].limit == 24
    number = sum(1 << i for i in target.S)
    assert int(run.state.alive[number // 64]) >> (number % 64) & 1, "the target is dropped"
    assert run.state.tally[0] == sum(int(word).bit_count() for word in run.state.alive[run.state.alive != 0])


def test_an_emptied_version_space_names_the_round_and_the_line(tmp_path):
    rows, labels = [{0}, {1}, {0, 1}], [1, 0, 0]
    with pytest.raises(ls.LittlestoneError, match="round 3: halving: no concept of the class agrees with every label so far"):
        ls.play(ls.halving("disjunctions", n=4), rows, labels)
    file = tmp_path / "mail.libsvm"
    file.write_text("1 1:1\n0 2:1\n0 1:1 2:1\n")
    with pytest.raises(ls.LittlestoneError, match=r"mail.libsvm, line 3: halving: no concept"):
        ls.play(ls.halving("disjunctions", n=4), ls.open_stream(file))
    model = ls.optimal("dictators", n=3).start()
    model.observe({0, 1}, True)
    with pytest.raises(ls.LittlestoneError, match="round 2: optimal: no concept"):
        model.observe({2}, True)
    stale = ls.halving("disjunctions", n=4, updates="mistakes").start()
    stale.observe({0}, False)
    with pytest.raises(ls.LittlestoneError, match="round 2"):
        stale.observe({0}, True)
    again, _ = protocol.play(stale.learner, ls.Block.of([[0], [1]], [0, 1]), stale.state)  # a state that refused a round goes on
    assert again.tally.tolist() == [8, 1, 0]
    assert model.rounds == 1 and model.state.tally[0] == 2 and not model.observe({2}, False)


def test_features_counted_from_one_are_the_same_class():
    C = concepts.disjunctions(5)
    blocks = list(C.blocks(60, seed=8, instances=instances.uniform(0.3)))
    shifted = [ls.Block(b.indptr, b.indices + np.uint32(1), None, b.labels) for b in blocks]
    for learner in (ls.halving(C), ls.optimal("disjunctions", n=5)):
        assert ls.play(learner, blocks).predictions.tolist() == ls.play(learner, shifted).predictions.tolist()


def test_rows_that_are_no_point_are_refused():
    for learner in (ls.halving("half_intervals", n=4), ls.optimal("half_intervals", n=4)):
        for rows, message in (
            ([{1}, {0, 2}], "round 2: 2 active"),
            ([{1}, set()], "round 2: 0 active"),
            ([{4}], "feature 4 is out of range: n=4"),
            ([{5}], "n=4"),
        ):
            with pytest.raises(ls.LittlestoneError, match=message):
                ls.play(learner, rows, [1] * len(rows))
        model = learner.start()
        with pytest.raises(ls.LittlestoneError, match="2 active"):
            model.predict({0, 2})
        with pytest.raises(ls.LittlestoneError, match="names"):
            model.predict({"one"})
        assert (model.rounds, model.predict({3})) == (0, True)


def test_a_declared_size_may_be_larger_but_not_smaller():
    run = ls.play(ls.halving("dictators", n=10), [{0}], [0])
    assert [run.bounds(text)[0].limit for text in ("class", "class:10", "class:1024", "class:size=64")] == [3, 3, 10, 6]
    with pytest.raises(ls.LittlestoneError, match="size=9 must be a whole number, no smaller than the 10 concepts"):
        run.bounds("class:9")
    with pytest.raises(ls.LittlestoneError, match="takes nothing; not 'size'"):
        ls.play(ls.optimal("dictators", n=3), [{0}], [0]).bounds("class:9")


def test_both_variants_of_the_notes():
    """Shrinking always keeps exactly the concepts that agree; shrinking on mistakes keeps more of them, and has the same bound."""
    C = concepts.conjunctions(3)
    for seed in range(20):
        (block,) = C.blocks(30, seed=seed)
        always, lazy = (ls.play(ls.halving(C, updates=updates), block) for updates in ("always", "mistakes"))
        agree = sum(concept.label(block).labels.tolist() == block.labels.tolist() for concept in C)
        assert agree == always.state.tally[0] <= lazy.state.tally[0]
        assert max(always.mistakes, lazy.mistakes) <= 4


def test_a_concept_beyond_the_class_is_refused():
    for C in (
        concepts.disjunctions(3),
        concepts.conjunctions(3),
        concepts.dictators(3),
        concepts.half_intervals(3),
        concepts.k_of_r(4, 2, 3),
    ):
        for c in (-1, len(C), 1.5, "x"):
            with pytest.raises(ls.LittlestoneError, match="they are numbered"):
                C.concept(c)
