"""`littlestone duel`: the proof at each mistake, both bounds, what a person sees, and false claims found."""

import json
import os
import pty
import re
import select
import subprocess
import sys
import textwrap
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

import littlestone as ls
from littlestone import adversaries
from littlestone.adversaries.unit_vectors import UnitVectors
from littlestone.cli import app
from littlestone.concepts.disjunctions import Disjunction
from littlestone.errors import LittlestoneError
from littlestone.protocol import Kernels
from littlestone.report.duel import Table, chosen, instance, summary
from littlestone.theory import Invariant, Moment
from littlestone.theory import winnow as winnow_theory
from littlestone.theory.potentials import PROOFS, Root, rises

runner = CliRunner()
DOCS = Path(__file__).parents[1] / "docs"


def command(*arguments, width=140):
    done = runner.invoke(app, ["duel", *map(str, arguments)], env={"COLUMNS": str(width)})
    if isinstance(done.exception, LittlestoneError):
        return str(done.exception), 2
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.stdout, done.exit_code


# ---- the game itself ----


@pytest.mark.parametrize(
    ("learner", "foe", "mistakes", "theorem"),
    [
        ("perceptron", "orthonormal:gamma=1/4", 16, "perceptron-margin"),
        ("follow_leader", "leaders_bane:n=4,m=1", 7, "follow-leader"),
        ("optimal", "littlestone_tree:n=3", 4, "optimal-class"),
        ("conjunctions", "conjunction:n=5", 6, "conjunctions"),
        ("disjunctions", "unit_vectors:n=7", 7, "elimination"),
    ],
)
def test_the_bounds_meet_where_learner_and_adversary_are_both_optimal(learner, foe, mistakes, theorem):
    duel = ls.duel(getattr(ls, learner), foe)
    assert (duel.lower_bound, duel.mistakes, duel.upper_bound) == (mistakes, mistakes, mistakes)
    assert duel.upper.name == theorem and duel.holds
    assert len(duel.steps) == mistakes
    last = list(duel.steps.values())[-1].numbers[0]
    assert (rises(last) and rises(last[::-1])) or learner == "perceptron", "the ends of the proof meet"


def test_the_perceptron_s_line_is_the_lecture_s():
    duel = ls.duel(ls.perceptron(), adversaries.orthonormal("1/5"))
    for M, step in enumerate(duel.steps.values(), 1):
        low, dot, length, high = step.numbers[0]
        assert low == dot == Root(Fraction(M, 5) ** 2) and length == high == Root(Fraction(M))
        assert step.potentials["|w|²"] == M


def test_a_searched_vector_is_in_round_numbers():
    duel = ls.duel(ls.perceptron, "unit_vectors:n=5")
    assert duel.target.searched and {abs(v) for v in duel.target.weights.values()} == {1}
    assert duel.upper_bound == 5


@given(
    name=st.sampled_from(["winnow", "perceptron", "optimal", "conjunctions", "disjunctions"]),
    n=st.integers(2, 6),
)
@settings(max_examples=40, deadline=None)
def test_every_line_rises_at_each_mistake(name, n):
    for foe in ("unit_vectors", "conjunction", "block_bisection:k=1"):
        made = adversaries.named(foe, n=n)
        duel = ls.duel(getattr(ls, name), made)
        assert duel.holds, duel.faults
        assert duel.mistakes >= duel.lower_bound and len(duel.steps) == duel.mistakes
        for step in duel.steps.values():
            assert len(step.numbers) == len(duel.proof.lines) > 0
            assert all(rises(terms, Fraction(1, 2**30)) for terms in step.numbers)


def moments(rounds, beta, follow):
    """A rule over experts in plain Python, one moment for each of its mistakes; updates of the majority on mistakes only."""
    n = len(rounds[0][0])
    costs, mistakes = [0] * n, 0
    for votes, y in rounds:
        if follow is not None:
            said = votes[follow(costs)]
        else:
            said = sum(beta**c * (1 if v else -1) for c, v in zip(costs, votes, strict=True)) >= 0
        wrong = bool(said) != y
        if wrong or follow is not None:
            costs = [c + (bool(v) != y) for c, v in zip(costs, votes, strict=True)]
        if wrong:
            mistakes += 1
            state = {i: Fraction(c) for i, c in enumerate(costs)}
            yield Moment({"mistakes": mistakes}, {"costs": state, "losses": state}, 0, 0, Fraction(0), None, Fraction(0))


advice = st.integers(1, 5).flatmap(
    lambda n: st.lists(st.tuples(st.lists(st.booleans(), min_size=n, max_size=n), st.booleans()), min_size=1)
)


@given(rounds=advice, beta=st.fractions(Fraction(1, 10), Fraction(9, 10), max_denominator=10))
@settings(max_examples=100, deadline=None)
def test_the_lines_of_rules_over_experts_rise(rounds, beta):
    n = len(rounds[0][0])
    (majority,) = PROOFS["weighted_majority"]({"beta": beta, "n": n}, False).lines
    (leader,) = PROOFS["follow_leader"]({"n": n}, False).lines
    assert all(rises(majority.terms(moment)) for moment in moments(rounds, beta, None))
    assert all(rises(leader.terms(moment)) for moment in moments(rounds, beta, lambda costs: costs.index(min(costs))))


def test_the_lines_of_broken_rules_do_not():
    """A minority in place of the majority; the last of the experts in place of the leader."""
    rounds = [([False, True, True], True), ([True, True, False], False)] * 6
    (majority,) = PROOFS["weighted_majority"]({"beta": Fraction(1, 2), "n": 3}, False).lines
    upside_down = [([not v for v in votes], y) for votes, y in rounds]
    assert all(rises(majority.terms(moment)) for moment in moments(rounds, Fraction(1, 2), None))
    wrong = [replace(m, settings={"mistakes": m.settings["mistakes"] + 3}) for m in moments(upside_down, Fraction(1, 2), None)]
    assert not all(rises(majority.terms(moment)) for moment in wrong), "more mistakes than its weight has paid for"
    (leader,) = PROOFS["follow_leader"]({"n": 2}, False).lines
    stream = [([True, False], True)] * 5
    assert not all(rises(leader.terms(moment)) for moment in moments(stream, 0, lambda costs: 1))


def test_others_play_without_a_theorem():
    class Stubborn:
        def predict(self, x):
            return True

        def update(self, x, y):
            pass

    duel = ls.duel(Stubborn, "unit_vectors:n=3")
    assert (duel.mistakes, duel.lower_bound, duel.upper_bound, duel.learner) == (3, 3, None, "Stubborn")
    assert "no theorem about Stubborn" in duel.upper.why and duel.holds


def test_a_game_that_is_stopped_promises_nothing():
    duel = ls.duel(ls.disjunctions, "unit_vectors:n=9", rounds=4)
    assert (duel.mistakes, duel.lower_bound, duel.rounds) == (4, None, 4)
    assert "stopped after 4 rounds" in duel.lower_words
    assert ls.duel(ls.perceptron, "bisection:rationals=true", rounds=6).mistakes == 6


# ---- false claims are found ----


def test_a_mutant_learner_breaks_its_line():
    plain = ls.winnow(n=6)

    def grows(alpha_, *rest):
        """Promotes on false 1s too: the total weight outgrows what mistakes pay for."""
        *state, indices, values, lo, hi, _, yhat = rest
        plain.kernels.update(alpha_, *state, indices, values, lo, hi, True, yhat)
        plain.kernels.update(alpha_, *state, indices, values, lo, hi, True, False)

    mutant = replace(plain, kernels=Kernels(plain.kernels.predict, grows, plain.kernels.play, plain.kernels.score))

    class Halves(UnitVectors):
        def rounds(self, learner):
            for i in (0, 1, 2, 3):
                x = dict.fromkeys(range(i, 6), 1)
                yield x, not learner.predict(x)

        def witness(self, stream):
            return Disjunction(frozenset())

    duel = ls.duel(mutant, Halves(6))
    assert not duel.holds and "W ≤ 6 + 6P - 3N is false" in " ".join(duel.faults)


def test_a_false_lower_bound_a_false_upper_bound_and_a_false_witness_are_found(monkeypatch):
    class Boastful(UnitVectors):
        @property
        def forces(self):
            return self.n + 1

    assert "fewer than 5" in ls.duel(ls.disjunctions, Boastful(4)).faults[0]

    class Forgetful(UnitVectors):
        def witness(self, stream):
            return Disjunction(frozenset([0]))

    assert any("gives another label" in fault for fault in ls.duel(ls.winnow, Forgetful(4)).faults)
    low = replace(winnow_theory.DISJUNCTION, value=lambda n, r, alpha, theta: 3)
    duel = ls.duel(replace(ls.winnow(n=5), bounds=(low,)), "unit_vectors:n=5")
    assert duel.upper_bound == 3 and "more than 3" in duel.faults[0]


def test_a_false_claim_is_exit_code_1(monkeypatch):
    monkeypatch.setattr(UnitVectors, "forces", property(lambda self: self.n + 1))
    said, code = command("disjunctions", "unit_vectors", "--n", 4)
    assert code == 1 and "FALSE: 4 mistakes are fewer than 5" in said and "NOT reached" in said


# ---- what a person sees ----


@pytest.mark.parametrize("width", [80, 140])
def test_the_table_fits_the_terminal(width):
    said, code = command("winnow", "block_bisection", "--n", 64, "--k", 4, width=width)
    assert code == 0 and max(map(len, said.splitlines())) <= width
    assert "W ≤ 64 + 64P - 32N" in said and "16 mistakes in 16 rounds: 16 ≤ 16 ≤ 65." in said
    assert "    1  {0, 1, 2, 3, …}      0      1  ✗ 1       72 ≤   128" in said
    assert "Lower bound 16: block_bisection(n=64, k=4), proved for every deterministic" in said
    assert "Upper bound 65: winnow-disjunction for disjunction:r=4" in said


def test_what_finds_no_room_is_named():
    narrow, _ = command("perceptron", "unit_vectors", "--n", 6, width=80)
    assert "A wider terminal also shows |w|² ≤ R²M." in narrow
    wide, _ = command("perceptron", "unit_vectors", "--n", 6, width=140)
    assert "A wider" not in wide and "|w|² ≤ R²M" in wide


def test_a_long_game_is_thinned_out_unless_all_of_it_is_wanted():
    short, _ = command("disjunctions", "unit_vectors", "--n", 100)
    every, _ = command("disjunctions", "unit_vectors", "--n", 100, "--all")
    rows = [line for line in short.splitlines() if "✗" in line]
    assert len(rows) == 32 and "--all shows every one" in short and "⋯  " in short
    assert len([line for line in every.splitlines() if "✗" in line]) == 100 and "⋯" not in every
    hidden = sum(int(line.split()[1]) for line in short.splitlines() if "⋯" in line)
    assert hidden == 100 - 32
    assert chosen(ls.duel(ls.disjunctions, "unit_vectors:n=41").game.rounds)[-1] == 41


def test_json():
    said, code = command("winnow", "unit_vectors", "--n", 5, "--json")
    told = json.loads(said)
    assert code == 0 and said.count("\n") == 1
    wanted = ("learner", "adversary", "mistakes", "lower_bound", "upper_bound", "rounds")
    assert [told[key] for key in wanted] == ["winnow(n=5, alpha=2, theta=5)", "unit_vectors(n=5)", 5, 5, told["upper_bound"], 5]
    assert told["theorem"]["name"] == "winnow-disjunction" and told["witness"] == "x0 ∨ x1 ∨ x2 ∨ x3 ∨ x4" and told["holds"]
    first = told["stream"][0]
    assert first["x"] == {"0": 1} and (first["predicted"], first["label"], first["mistake"]) == (0, 1, True)
    assert first["potentials"] == {"P": 1, "N": 0, "W": 6, "Σe": 1} and first["inequalities"] == [[6, 10], [1, 1, 15]]


def test_the_figure(tmp_path):
    for name in ("duel.png", "duel.svg"):
        said, code = command("optimal", "bisection", "--n", 4, "--plot", tmp_path / name)
        assert code == 0 and "Figure" not in said and (tmp_path / name).stat().st_size > 5000
    said, code = command("optimal", "bisection", "--plot", tmp_path / "nowhere" / "duel.png")
    assert code == 2 and "cannot be written" in said


def test_instances_are_shortened():
    assert instance({i: 1 for i in range(12) if i not in (3, 7)}, 12) == "all but {3, 7}"
    assert instance({}, 4) == "{}" and instance({5: Fraction(1, 3)}, 9) == "{5: 0.3333}"
    assert len(instance([0, 1] * 40, 80)) == 16
    assert Table(ls.duel(ls.disjunctions, "unit_vectors:n=3")).so_far(2) == 2


def test_the_page_shows_what_is_printed():
    """Each `$ littlestone duel ...` of docs/duel.md, in a terminal of 100 columns."""
    blocks = re.findall(r"```console\n\$ littlestone duel (.*?)\n(.*?)```", (DOCS / "duel.md").read_text("utf-8"), re.DOTALL)
    assert len(blocks) >= 3
    for typed, shown in blocks:
        said, code = command(*typed.split(), width=100)
        assert code == 0 and said == shown, typed


def test_the_page_has_every_key():
    page = (DOCS / "command_line.md").read_text("utf-8").partition("### Keys of `duel --json`")[2].partition("\n## ")[0]
    told = ls.duel(ls.disjunctions, "unit_vectors:n=3").as_json()
    keys = [*told, *(f"stream[].{key}" for key in told["stream"][0]), *(f"theorem.{key}" for key in told["theorem"])]
    keys += [f"{part}.{key}" for part in ("lower", "proof") for key in told[part]]
    assert not [key for key in keys if f"`{key}`" not in page]


# ---- who plays ----


def test_a_file_and_other_libraries_play(tmp_path):
    own = tmp_path / "mine.py"
    own.write_text(
        textwrap.dedent(
            """
            class Coward:
                def __init__(self, n): self.n = n
                def predict(self, x): return len(x) > self.n
                def update(self, x, y): pass
            ready = Coward(3)
            def library(alpha=2, n=None):
                import littlestone as ls
                return ls.winnow(n=n, alpha=alpha)
            """
        )
    )
    assert "Coward against unit_vectors(n=4)" in command(f"{own}::Coward", "unit_vectors", "--n", 4)[0]
    assert "Coward against unit_vectors(n=4)" in command(f"{own}::ready", "unit_vectors", "--n", 4)[0]
    assert "winnow(n=4, alpha=3, theta=4) against" in command(f"{own}::library:alpha=3", "unit_vectors", "--n", 4)[0]
    assert "has no function 'nobody'" in command(f"{own}::nobody", "unit_vectors")[0]
    said, code = command("river.linear_model.Perceptron", "unit_vectors", "--n", 4)
    assert code == 0 and "4 mistakes in 4 rounds: 4 ≤ 4." in said and "Upper bound: none; no theorem about river.Perceptron" in said
    assert "sklearn.Perceptron against" in command("sklearn.linear_model.Perceptron", "conjunction", "--n", 3)[0]


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        (("winnow", "unit_vectors", "--k", 3), "--k 3: unit_vectors takes no k; it takes n"),
        (("winnow", "unit_vector"), "did you mean unit_vectors?"),
        (("winow", "unit_vectors"), "did you mean winnow?"),
        (("nolibrary.Learner", "unit_vectors"), "nolibrary cannot be imported"),
        (("river.linear_model.Nobody", "unit_vectors"), "river.linear_model has no 'Nobody'"),
        (("multiclass_perceptron", "unit_vectors"), "takes several classes"),
        (("perceptron", "bisection:rationals=true"), "never ends: expected --rounds"),
        (("follow_leader", "unit_vectors"), "follow_leader takes something else"),
        (("winnow", "unit_vectors", "--watch", "--json"), "one at a time"),
        (("winnow", "unit_vectors", "--rounds", 0), "must be a positive number of rounds"),
    ],
)
def test_what_cannot_be_played_is_refused(arguments, wanted):
    said, code = command(*arguments)
    assert code == 2 and wanted in said


def test_the_learner_is_told_the_adversary_s_class():
    assert (
        "halving(concepts=conjunctions(n=3), updates=always)" in command("halving", "littlestone_tree:concepts=conjunctions", "--n", 3)[0]
    )
    assert "optimal(concepts=half_intervals(n=8, empty=False))" in command("optimal", "bisection", "--n", 3)[0]
    said, code = command("conservative:learner=optimal", "bisection", "--n", 3)
    assert code == 0 and "0 ≤ Ldim(V) ≤ Ldim(C)-M" in said
    said, code = command("optimal:concepts=half_intervals:n=8", "bisection", "--n", 3)
    assert code == 0 and "optimal(concepts=half_intervals(n=8))" in said


# ---- a key for each round ----


def watched(keys, *arguments):
    """What a terminal shows when these keys are pressed, and the exit code."""
    master, slave = pty.openpty()
    call = [sys.executable, "-m", "littlestone", "duel", *map(str, arguments), "--watch"]
    process = subprocess.Popen(call, stdin=slave, stdout=slave, stderr=slave, env={**os.environ, "COLUMNS": "100", "LINES": "40"})
    os.close(slave)
    seen, pressed = b"", 0
    while True:
        ready, _, _ = select.select([master], [], [], 60)
        if not ready:
            process.kill()
            process.wait()
            raise AssertionError(f"nothing more after {seen.decode()}")
        try:
            part = os.read(master, 65536)
        except OSError:  # the other end is closed
            break
        seen += part
        if part and pressed < len(keys) and seen.count(b"n-N") > pressed:  # once in the header, once in each round
            os.write(master, keys[pressed].encode())
            pressed += 1
        if not part:
            break
    os.close(master)
    return seen.decode().replace("\r\n", "\n"), process.wait()


def test_watch_steps_with_a_key():
    said, code = watched([" ", "\r", "m", "q"], "disjunctions", "unit_vectors", "--n", 6)
    assert code == 0 and "space or enter: next round" in said
    rows = [line for line in said.splitlines() if "✗" in line]
    assert len(rows) == 3 and "r = 0 ≤ variables left = 5 ≤ n-N = 5" in said
    assert "6 mistakes in 6 rounds: 6 ≤ 6 ≤ 6." in said, "who quits is told the end"


def test_watch_without_a_terminal_prints_plain_lines():
    plain, code = command("disjunctions", "unit_vectors", "--n", 6)
    assert command("disjunctions", "unit_vectors", "--n", 6, "--watch") == (plain, code)


# ---- the proofs ----


def test_every_proof_is_of_a_learner_there_is():
    known = {*ls.learners.names(), *ls.experts.names()}
    assert set(PROOFS) <= known


def test_lemmas_stand_for_lines_where_none_is_written():
    struck = Invariant("each false 1 strikes out", "N ≤ variables struck out", lambda m: (m.demotions, len(m.state["gone"])))
    own = replace(ls.disjunctions(3), name="own", bounds=(), invariants=(struck,), facts=None)
    duel = ls.duel(own, "unit_vectors:n=3")
    assert [line.statement for line in duel.proof.lines] == ["N ≤ variables struck out"]
    assert [step.numbers for step in duel.steps.values()] == [((1, 1),), ((2, 2),), ((3, 3),)]
    assert "The learner's lemmas at each mistake." in summary(duel) and duel.upper_bound is None
