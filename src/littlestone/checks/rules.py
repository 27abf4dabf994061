"""What must be true of every rule over advice: one clause, one function, its name the sentence."""

import inspect
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import product
from math import isnan
from typing import Any

import numpy as np
from hypothesis import strategies as st

from littlestone.api import play as front
from littlestone.checks import draws
from littlestone.checks.counterexample import run_checks
from littlestone.checks.hostile import check_hostile_states_are_refused_or_harmless  # noqa: F401 (a clause)
from littlestone.checks.trials import clause, refused, same_state, tried
from littlestone.kernels import native
from littlestone.protocol import Advice, AdviceRunner, Rule
from littlestone.protocol.learner import copied
from littlestone.theory import Claim

Check = Callable[[Rule], None]
NAN = float("nan")


@st.composite
def advice(draw, rule: Rule, *, asleep: bool = True, most: int = 40) -> Advice:
    """Any rounds at all: a few rows met again and again, some experts asleep, some truths not told."""
    size, length, chance = draw(st.integers(1, 6)), draw(draws.lengths(most)), draw(draws.dice)

    def entry() -> float:
        kind = chance.random()
        if asleep and kind < 0.3:
            return NAN
        if rule.advice == "vote" or kind < 0.7:
            return chance.choice((0.0, 1.0) if rule.advice == "vote" else (0.0, 1.0, 0.5))
        return float(np.float32(min(chance.choice(draws.EDGES), 1.0) if kind < 0.8 else chance.random()))

    rows = chance.choices([[entry() for _ in range(rule.n or 3)] for _ in range(size)], k=length)
    if rule.gradient:
        outcomes = chance.choices((0.0, 0.5, 1.0, chance.random(), NAN), (3, 1, 3, 2, 1), k=length)
        return Advice.of_forecasts(rule, np.array(rows).reshape(-1, rule.n or 3) * 10 - 3, np.array(outcomes) * 10 - 3)
    truth = [0] * length if rule.advice == "loss" else chance.choices((0, 1, -1), (3, 3, 1), k=length)
    return Advice.of(rows, truth)


def played(rule: Rule, block: Advice):
    if rule.gradient:
        return front.play(rule, block)
    truth = None if rule.advice == "loss" else np.where(block.truth < 0, np.nan, block.truth)
    return front.play(rule, block.table, truth)


def round_of(block: Advice, t: int) -> tuple[list, float | None]:
    """One round as a reference twin takes it."""
    y = int(block.truth[t])
    if block.forecasts is not None and block.outcomes is not None:
        return [None if isnan(x) else float(x) for x in block.forecasts[t]], None if y < 0 else float(block.outcomes[t])
    return [None if isnan(a) else float(a) for a in block.table[t]], None if y < 0 else y


@clause(advice, examples=25)
def check_compiled_play_is_the_protocol(rule: Rule, block: Any) -> None:
    """Round by round, a user's rule in plain Python, gives the same states, mixtures and choices, bit for bit."""
    plain = rule if rule.play is None else replace(rule, play=getattr(rule.play, "py_func", rule.play))
    runner, twin = (AdviceRunner(played_by, block.table.shape[1], naming=rule.advice == "loss") for played_by in (rule, plain))
    mix, choices = runner.take(block)
    for t in range(len(block)):
        m, c = twin.take(block.cut(t, t + 1))
        if rule.gradient:
            assert np.array_equal(twin.own, runner.own[t : t + 1], equal_nan=True)
        assert m[0] == mix[t] and np.array_equal(c, choices[t : t + len(c)])
    assert same_state(runner.state, twin.state)


@clause(advice)
def check_results_do_not_depend_on_how_rounds_are_cut(rule: Rule, block: Any) -> None:
    whole = AdviceRunner(rule, block.table.shape[1])
    mix, choices = whole.take(block)
    for size in (1, 3, 7):
        runner = AdviceRunner(rule, block.table.shape[1])
        parts = [runner.take(block.cut(a, min(a + size, len(block)))) for a in range(0, len(block), size)]
        assert np.concatenate([p[0] for p in parts]).tolist() == mix.tolist()
        assert np.concatenate([p[1] for p in parts]).tolist() == choices.tolist()
        assert same_state(runner.state, whole.state)


@clause(advice, examples=25)
def check_event_by_event_is_the_batch(rule: Rule, block: Any) -> None:
    run, model = played(rule, block), rule.start()
    for t in range(len(block)):
        if rule.gradient:
            row, y = round_of(block, t)
            own = model.predict([NAN if x is None else x for x in row])
            yhat = model.observe([NAN if x is None else x for x in row], y)
            assert yhat == own or yhat != yhat
        elif rule.advice == "loss":
            assert model.observe(block.table[t]) == run.mix[t]
        else:
            assert model.predict(block.table[t]) == run.predictions[t]
            assert model.observe(block.table[t], None if block.truth[t] < 0 else bool(block.truth[t])) == run.predictions[t]
    assert same_state(model.state, run.state) and model.rounds == run.rounds
    if rule.advice != "loss":
        assert model.mistakes == run.mistakes
        half = len(block) // 2
        first = AdviceRunner(rule, block.table.shape[1])
        first.take(block.cut(0, half))
        resumed = rule.start(first.state)
        for t in range(half, len(block)):
            assert resumed.observe(block.table[t], None if block.truth[t] < 0 else bool(block.truth[t])) == run.predictions[t]


@clause(advice, examples=15)
def check_the_order_of_experts_in_a_row_does_not_matter(rule: Rule, block: Any) -> None:
    """A row by the experts' names may have them in any order."""
    names = [f"expert {k * 7 % 11} {k}" for k in range(block.table.shape[1])]

    def observed(order: list[int]) -> tuple[list[str], Any]:
        model, answers = rule.start(), []
        model.experts = tuple(names)
        for t in range(len(block)):
            row, y = round_of(block, t) if rule.gradient else (block.table[t].tolist(), int(block.truth[t]))
            labels: list[Any] = (
                [] if rule.advice == "loss" and not rule.gradient else [None if y is None or (y < 0 and not rule.gradient) else y]
            )
            answers.append(repr(model.observe({names[k]: NAN if row[k] is None else row[k] for k in order}, *labels)))
        return answers, model.state

    places = list(range(len(names)))
    (answers, state), (again, other) = observed(places), observed(places[::-1])
    assert answers == again, f"experts in another order: the rule says {again}, and else {answers}"
    assert same_state(state, other), "experts in another order leave another state"


def check_mixtures_are_those_of_the_reference(rule: Rule) -> None:
    twin = rule.twin
    if twin is None:
        return

    def claim(block):
        run = played(rule, block)
        for t, share in enumerate(twin(round_of(block, t) for t in range(len(block)))):
            if rule.arithmetic == "filtered":
                assert run.predictions[t] == (share >= 0.5), f"round {t + 1}: {run.predictions[t]}, and exactly {share}"
            else:
                if rule.gradient and block.outcomes is not None:  # the share is a forecast
                    lost = rule.cost_of(share, block.outcomes[t]) / block.scale if share is not None else 0.0
                    share = lost if lost == lost else run.mix[t]
                assert abs(run.mix[t] - float(share)) < 1e-9, f"round {t + 1}: {run.mix[t]}, and the reference says {float(share)}"
                if rule.cost == "mistakes" and abs(share - 0.5) < 1e-9:
                    return  # a tie that doubles may break either way, and what follows depends on it

    tried(advice(rule), examples=60)(claim)
    claim(long_game(rule))


def check_experts_are_drawn_by_weight(rule: Rule) -> None:
    """The one at which the running total of the weights passes the coin's share of the whole."""
    if not rule.randomized or rule.weights is None:
        return
    weights = rule.weights

    @tried(advice(rule), examples=25)
    def claim(block):
        runner = AdviceRunner(rule, block.table.shape[1], naming=True)
        for t in range(len(block)):
            awake = ~np.isnan(block.table[t])
            w = np.where(awake, weights(rule, runner.state), 0)
            u, passed = native.core.coin(rule.seed, int(runner.state.z[0])), np.cumsum(w) / max(w.sum(), 1e-300)
            chosen = int(runner.take(block.cut(t, t + 1))[1][0])
            if awake.any() and w.sum() > 1e-6 and np.abs(passed - u).min() > 1e-6:
                assert chosen == int(np.searchsorted(passed, u)), f"drew {chosen} at {u} of {passed}"


@clause(advice, examples=20)
def check_predicting_changes_nothing(rule: Rule, block: Any) -> None:
    runner = AdviceRunner(rule, block.table.shape[1])
    runner.take(block)
    before, row = copied(runner.state), block.labelled(-1)
    first, _ = runner.take(row)
    again, _ = runner.take(row)
    assert first.tolist() == again.tolist()
    for name in runner.state._fields:
        if name != "w":  # weights may be computed afresh from what they stand for
            assert np.array_equal(getattr(runner.state, name), getattr(before, name)), f"{name} changed"


@clause(advice)
def check_a_run_resumes_from_its_state(rule: Rule, block: Any) -> None:
    n, half = block.table.shape[1], len(block) // 2
    whole, first = AdviceRunner(rule, n), AdviceRunner(rule, n)
    mix = whole.take(block)[0].tolist()
    before = first.take(block.cut(0, half))[0].tolist()
    second = AdviceRunner(rule, n, state=first.state)
    assert before + second.take(block.cut(half, len(block)))[0].tolist() == mix
    assert same_state(second.state, whole.state)


@clause(advice, examples=10)
def check_the_same_advice_gives_the_same_run(rule: Rule, block: Any) -> None:
    first, second = played(rule, block), played(rule, block)
    assert first.mix.tolist() == second.mix.tolist() and same_state(first.state, second.state)
    assert rule.advice == "loss" or first.predictions.tolist() == second.predictions.tolist()


@clause(advice, of=lambda rule: rule.advice != "loss")
def check_rounds_without_a_truth_are_predicted_and_not_counted(rule: Rule, block: Any) -> None:
    run = played(rule, block)
    known = block.truth >= 0
    assert run.rounds == known.sum() and run.unlabelled == (~known).sum() and len(run.predictions) == len(block)
    assert run.mistakes == (run.predictions[known] != (block.truth[known] == 1)).sum()
    kept = block.rows(known)
    if len(kept):
        assert same_state(played(rule, kept).state, run.state)


@clause(advice, examples=20)
def check_the_losses_are_the_experts_own(rule: Rule, block: Any) -> None:
    run, known = played(rule, block), block.truth >= 0
    costs = np.nan_to_num(np.abs(block.table[known] - block.truth[known, None]).astype(np.float64))
    assert np.allclose(run.losses, costs.sum(axis=0), atol=1e-9)
    assert run.slept == bool(np.isnan(block.table[known]).any())


@clause(advice, examples=30)
def check_a_sleeper_neither_gains_nor_loses(rule: Rule, block: Any) -> None:
    """An expert's weight beside another sleeper's is what it was."""
    runner = AdviceRunner(rule, block.table.shape[1])
    for t in range(len(block)):
        before: Any = copied(runner.state)
        runner.take(block.cut(t, t + 1))
        asleep = np.isnan(block.table[t])
        for name in ("losses", "costs", "estimates", "behind"):
            if name in before._fields:
                assert np.array_equal(getattr(before, name)[asleep], getattr(runner.state, name)[asleep])


def long_game(rule: Rule) -> Advice:
    """Longer than weights go without being computed afresh; experts of different worth, each asleep now and then."""
    rng, n, rounds = np.random.default_rng(1988), rule.n or 3, 600
    truth = rng.integers(0, 2, rounds) * (rule.advice != "loss")
    if rule.gradient:
        outcomes = rng.normal(0, 3, rounds)
        forecasts = outcomes[:, None] + rng.normal(0, 1, (rounds, n)) * np.linspace(0.2, 2, n)
        return Advice.of_forecasts(rule, np.where(rng.random((rounds, n)) < 0.2, np.nan, forecasts), outcomes)
    wrong = rng.random((rounds, n)) < np.linspace(0.2, 0.6, n)
    table = np.where(wrong, 1 - truth[:, None], truth[:, None]) * (1.0 if rule.advice == "vote" else rng.random((rounds, n)))
    return Advice.of(np.where(rng.random((rounds, n)) < 0.2, np.nan, table), truth)


def advised(rule: Rule, rows: Any, truth: Any) -> Advice:
    """Rounds as the rule takes them: rows of advice, or of forecasts."""
    return Advice.of_forecasts(rule, rows, truth) if rule.gradient else Advice.of(rows, truth)


def hard_games(rule: Rule) -> Iterator[Advice]:
    """One expert always right and the rest always wrong; only the leader ever wrong; and experts who agree on nothing."""
    n, rounds = rule.n or 3, 200
    for good in (0, n - 1):
        table = np.ones((rounds, n))
        table[:, good] = 0
        yield advised(rule, table, [0] * rounds)
    losses, table = np.zeros(n), np.zeros((rounds, n))
    for t in range(rounds):
        table[t, losses.argmin()] = 1
        losses += table[t]
    yield advised(rule, table, [0] * rounds)
    if rule.advice != "loss":
        yield Advice.of(np.tile(np.arange(n) % 2, (rounds, 1)), [t % 2 for t in range(rounds)])


def assert_holds(bound: Claim, *excuses: str, on: Any = "this advice") -> None:
    """A bound may fail with its own probability, and at β = 0 there may be none."""
    excused = any(text in bound.reason for text in ("coin fell badly", "at beta = 0", *excuses))
    assert bound.holds or excused, f"{bound.observed}, {bound.name} allows {bound.limit} on {on} ({bound.reason})"


def check_each_hindsight_bound_holds_on_any_advice(rule: Rule) -> None:
    for game in hard_games(rule):
        for bound in played(rule, game).bounds():
            assert_holds(bound)

    @tried(advice(rule, asleep=False, most=80), examples=45)
    def awake(block):
        claims = played(rule, block).bounds()
        assert claims, "a run is never left without a bound"
        for bound in claims:
            assert_holds(bound)

    @tried(advice(rule, most=60), examples=40)
    def with_sleepers(block):
        for bound in played(rule, block).bounds():
            assert_holds(bound, "slept")


def check_each_bound_holds_for_the_declared_expert(rule: Rule) -> None:
    if not any(bound.assumes == "expert" for bound in rule.bounds):
        return

    @tried(advice(rule, asleep=False, most=60), st.integers(0, 2), examples=45)
    def theorem(block, more):
        run = played(rule, block)
        m = int(np.ceil(run.losses.min())) + more
        for bound in run.bounds(f"expert:m={m}"):
            assert_holds(bound, "coin")
        if run.losses.min() > 0:
            wrong = [bound for bound in run.bounds("expert:m=0") if bound.kind == "a priori"]
            assert wrong and all(bound.holds is None for bound in wrong)


def check_every_short_game_keeps_the_bounds(rule: Rule) -> None:
    """All advice of at most three rounds over a few rows."""
    n = rule.n or 3
    levels = (0.0, 1.0) if rule.advice == "vote" else (0.0, 0.5, 1.0)
    rows = [row for row in product(levels, repeat=n) if len(set(row)) > 1][: 3 if n < 4 else 2] or [(levels[0],) * n, (levels[-1],) * n]
    truths: tuple[float, ...] = (0, 0.75) if rule.gradient else (0,) if rule.advice == "loss" else (0, 1)
    for length in (1, 2, 3):
        for stream in product(product(rows, truths), repeat=length):
            run = played(rule, advised(rule, [row for row, _ in stream], [y for _, y in stream]))
            for bound in run.bounds():
                assert_holds(bound, on=stream)


@clause(advice, examples=20, of=lambda rule: rule.weights is not None)
def check_weights_add_up(rule: Rule, block: Any) -> None:
    w = played(rule, block).weights
    assert (w >= 0).all() and (abs(w.sum() - 1) < 1e-9 or not w.any())


def check_a_hundred_million_rounds_do_no_harm(rule: Rule) -> None:
    """Losses as large as so many rounds leave them: nothing overflows, and the better expert still has the weight."""
    n = rule.n or 3
    table = np.zeros((300, n), np.float32)
    table[:, 1:] = 1.0
    for far in (1e8, 3e4):
        runner = AdviceRunner(rule, n)
        for name in ("losses", "costs", "estimates", "behind"):
            if name in runner.state._fields:
                getattr(runner.state, name)[1:] = far
                getattr(runner.state, name)[:1] = far / 3
        runner.state.z[0] = far
        mix, _ = runner.take(advised(rule, table, np.zeros(300, np.int32)))
        assert np.isfinite(mix).all() and (mix >= 0).all() and (mix <= 1).all()
        assert all(np.isfinite(array).all() for array in runner.state)


def check_bad_advice_is_refused_by_name(rule: Rule) -> None:
    n = rule.n or 3
    if rule.gradient:
        refused("finite", lambda: front.play(rule, np.full((2, n), np.inf), [0.0, 1.0]))
        refused("one number for each", lambda: front.play(rule, np.zeros((2, n)), [0.0]))
        return
    good = np.zeros((2, n), np.float32)
    truth = None if rule.advice == "loss" else [0, 1]

    for bad in (2.0, -1.0, np.inf, -np.inf, *([0.5] if rule.advice == "vote" else [])):
        table = good.copy()
        table[1, n - 1] = bad
        refused(f"round 2: expert {n - 1}", lambda table=table: front.play(rule, table, truth))
        state = rule.start()
        state.observe(good[0], *([] if truth is None else [1]))
        before = state.state
        refused(f"expert {n - 1}", lambda table=table: state.observe(table[1], *([] if truth is None else [1])))  # noqa: B023
        assert same_state(before, state.state), "a refused round changed the state"
    refused("experts", lambda: front.play(rule, np.zeros((2, n + 1), np.float32), truth))
    refused("rounds × experts", lambda: front.play(rule, np.zeros(3), truth))
    if rule.advice == "loss":
        refused("no truth", lambda: front.play(rule, good, [0, 1]))
    else:
        refused("one label for each", lambda: front.play(rule, good, [1]))
        refused("label", lambda: front.play(rule, good, [1, 7]))
    assert front.play(rule, good, truth).rounds == 2


@clause(advice, examples=15)
def check_inputs_are_left_alone(rule: Rule, block: Any) -> None:
    kept = block.table.copy()
    run = played(rule, block)
    assert np.array_equal(kept, block.table, equal_nan=True)
    assert not any(np.shares_memory(block.table, array) for array in run.state)


def check_the_file_tells_its_story(rule: Rule) -> None:
    story = inspect.getdoc(inspect.getmodule(getattr(rule.code, "py_func", rule.code))) or ""
    assert len(story.split()) > 12 and ">>>" in story and "Theorem" in story and rule.source
    for bound in rule.bounds:
        assert bound.formula and bound.source and bound.assumption


def yield_rule_checks() -> Iterator[Check]:
    """Every clause."""
    yield from (check for name, check in sorted(globals().items()) if name.startswith("check_") and name != "check_rule")


def check_rule(rule: Rule) -> None:
    """Run every clause on a rule; raise AssertionError at the first broken one, with the smallest rounds that break it."""
    run_checks(rule, yield_rule_checks())
