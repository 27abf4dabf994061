"""A model file whose state was changed and sealed again: refused by name, or harmless. The contract suite asks it of every learner too."""

import ctypes
from itertools import repeat
from time import process_time

import numpy as np
import pytest

import hostile_states
import littlestone as ls
from littlestone.checks import hostile
from littlestone.models.file import read, sealed

# (learner, array, what it is changed to, what the refusal names): each crashed the process, or hung it
FOUND = [
    (ls.winnow(n=6), "e", 2**31 - 1, "its e has 2147483647"),
    (ls.winnow(n=6), "e", -(2**31), "its e has -2147483648"),
    (ls.winnow_doubling(n=6), "e", 2**31 - 1, "its e has 2147483647"),
    (ls.winnow_doubling(n=6), "z", 2**40, "its z has 1099511627776"),
    (ls.winnow_real(n=3, complement=True), "place", 2**40, "its place is not one of"),
    (ls.arow_full(bias=1), "place", 2**31 - 1, "its place has 2147483647"),
    (ls.arow_full(bias=1), "owner", -5, "its owner has -5"),
    (ls.arow_full(bias=1), "extra", 1e6, "its extra has"),
    (ls.pairs(), "tally", 2**40, "its tally says 1099511627776 pairs"),
    (ls.pairs(), "table", 5, "its table is not that of its pairs"),
    (ls.pairs(), "pairs", -1.0, "its pairs are not two features each"),
    (ls.memorizer(), "starts", 2**40, "its starts has 1099511627776"),
    (ls.memorizer(), "tally", 2**40, "its codes has"),
    (ls.memorizer(), "table", 1, "its table is not that of its rows"),
    (ls.naive_bayes(), "sums", 0.0, "its sums has 0.0"),
    (ls.naive_bayes(), "sums", -1e300, "its sums has -1e+300"),
    (ls.adaptive(), "sums", 0.0, "its sums has 0.0"),
    (ls.coin(), "sums", -1e300, "its sums has -1e+300"),
    (ls.follow_leader(n=3), "z", 2.0**40, "its z has"),
    (ls.perturbed_leader(n=3), "z", -7.0, "its z has -7"),
    (ls.weighted_majority(n=3), "costs", 2.0**53, "its costs has"),
    (ls.panel(["winnow:n=6", "arow"]), "m1_e", 2**31 - 1, "its e has 2147483647"),
    (ls.panel(), "m6_place", 2**31 - 1, "its place has 2147483647"),
    (ls.panel(["arow", "pairs"]), "m1_sums", None, "which no state of panel"),
    (ls.panel(["arow", "pairs"]), "rule_losses", None, "which no state of panel"),
    (ls.panel(["arow", "pairs"]), "m2_extra", None, "its extra has"),
    (ls.one_vs_rest(ls.winnow(n=6)), "m1_e", 2**31 - 1, "its e has 2147483647"),
    (ls.conservative(ls.arow()), "sigma", 0.0, "its sigma has 0.0"),
]


@pytest.mark.parametrize(("concepts", "n"), [("conjunctions", 30_000_000), ("disjunctions", 3_000), ("dictators", 10**9)])
@pytest.mark.parametrize("make", [ls.optimal, ls.halving])
def test_a_class_that_takes_minutes_to_count_is_refused_at_once(tmp_path, make, concepts, n):
    path = tmp_path / "m.littlestone"
    make(concepts, n=4).start().save(path)
    head, arrays = read(path)
    head["learner"]["settings"]["n"] = head["n"] = n
    path.write_bytes(sealed(head, arrays))
    begun = process_time()
    with pytest.raises(ls.LittlestoneError, match="cannot be made of these settings"):
        ls.load(path)
    assert process_time() - begun < 5


@pytest.mark.parametrize(("learner", "name", "value", "refusal"), FOUND, ids=lambda value: getattr(value, "name", None))
def test_what_crashed_is_refused_by_name(tmp_path, learner, name, value, refusal):
    path = tmp_path / "m.littlestone"
    hostile.trained(learner).save(path)
    ls.load(path)
    head, arrays = read(path)
    array = arrays[f"state/{name}"]
    arrays[f"state/{name}"] = array[:0] if value is None else np.full_like(array, value)
    path.write_bytes(sealed(head, arrays))
    with pytest.raises(ls.LittlestoneError) as refused:
        ls.load(path)
    assert refusal in str(refused.value)


@pytest.mark.parametrize("label", ["panel()", "one_vs_rest(memorizer)", "all_pairs(winnow)"])
def test_what_is_made_of_learners_stands_hostile_states(label):
    counts = hostile.check_hostile_states_are_refused_or_harmless(dict(hostile_states.every())[label](), 80)
    assert counts["refused"] > 20 and counts.total() == 80


@pytest.mark.parametrize("work", ["crash", "hang", "raise", "eat"])
def test_the_attack_itself_tells_what_happened(monkeypatch, work):
    """A process that dies, hangs, raises or takes too much memory fails the clause, and says on which state."""
    acts = {
        "crash": (lambda: ctypes.string_at(8), "state 3 crashes"),
        "hang": (lambda: all(repeat(True)), "state 3 hangs"),
        "raise": (lambda: 1 / 0, "ZeroDivisionError"),
        "eat": (lambda: np.ones(2**30), "MemoryError"),
    }
    act, expected = acts[work]
    monkeypatch.setattr(hostile, "SECONDS", 1)

    def states():
        yield "state 3"
        act()

    with pytest.raises(AssertionError, match=expected):
        hostile.in_a_process_of_their_own(states)


def test_exact_arithmetic_works_out_no_power_that_cannot_matter(tmp_path):
    """A close call beside an exponent that only a file can hold: the answer comes at once, and is the exact one."""
    model = ls.winnow(n=4, theta=3).start()
    for row in ([0, 1, 2], [0, 1, 3]):
        model.observe(dict.fromkeys(row, 1), True)
    path = tmp_path / "m.littlestone"
    model.save(path)
    head, arrays = read(path)
    arrays["state/e"][:] = [1, 0, -(2**30), -(2**30)]
    path.write_bytes(sealed(head, arrays))
    loaded = ls.load(path)
    assert loaded.predict({0: 1, 1: 1, 2: 1})
    arrays["state/e"][:] = [0, 0, 0, -(2**30)]
    path.write_bytes(sealed(head, arrays))
    assert ls.load(path).predict({0: 1, 1: 1, 2: 1, 3: 1})
    arrays["state/e"][:] = [1, -60, -61, -(2**30)]
    path.write_bytes(sealed(head, arrays))
    assert not ls.load(path).predict({0: 1, 1: 1, 2: 1, 3: 1})


def test_a_vote_beside_costs_that_only_a_file_can_hold():
    rule = ls.weighted_majority(n=4)
    state = rule.first_state()._replace(costs=np.array([0.0, 0.0, 2.0**50, 2.0**51]), w=np.array([1.0, 1.0, 0.0, 0.0]))
    for row, expected in (([1, 0, 1, 0], True), ([1, 0, 0, 1], False), ([1, 0, 0, 0], False)):
        assert rule.start(state).predict(np.array(row, np.float32)) == expected


def test_what_is_no_number_falls_into_the_first_bin():
    """A changed matrix of a blend may lead to NaN: it must not be taken for a place beyond the bins."""
    table = ls.panel(["perceptron"]).table
    state = table.init(1)
    around = np.full((len(state.forecast_bin_counts) + 4, 2), -7.0)  # what stands beside the counts in memory
    around[2:-2] = state.forecast_bin_counts
    state.stack2_w[:] = np.nan  # of the stack that bins put right
    hearing, labels = table.hearing(state._replace(forecast_bin_counts=around[2:-2])), np.array([1, 0, 0], np.int32)
    hearing.play(np.ones((1, 3)), labels, None, np.empty((4, 3), np.bool_), np.empty((7, 3)), np.empty(3))
    assert around[:, 0].tolist() == [-7, -7, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, -7, -7]


def test_a_matrix_that_leads_to_no_number_is_refused_once_it_has(tmp_path):
    path = tmp_path / "m.littlestone"
    learner = ls.panel(["passive_aggressive", "balanced_winnow"], rule="weighted_majority", blend=False)
    hostile.trained(learner).save(path)
    head, arrays = read(path)
    arrays["state/stack1_P"] *= -1e300
    path.write_bytes(sealed(head, arrays))
    model = ls.load(path)
    for row, label in (({0: 1}, True), ({1: 1}, False), ({0: 1, 1: 1}, True)) * 3:
        model.observe(row, label)
    with pytest.raises(ls.LittlestoneError, match="multiply to nan; expected a number above 0"):
        model.learner.forecasts_of(model.state)
