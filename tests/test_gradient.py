"""Linearised losses: what the rule loses beyond every convex combination is what the theorem says, and charges stay in [0, 1]."""

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import littlestone as ls
from littlestone.errors import LittlestoneError
from littlestone.reference.regrets import blended
from littlestone.reference.rule_of_rules import Gaps

LOSSES = [{"loss": "squared"}, {"loss": "absolute"}, {"quantile": 0.9}]


def frame(x, y):
    return pa.table({"truth": y, **{f"e{k}": x[:, k] for k in range(x.shape[1])}})


@pytest.mark.parametrize("choice", LOSSES, ids=["squared", "absolute", "pinball"])
@settings(max_examples=15, deadline=None)
@given(data=st.data())
def test_no_combination_is_beaten_by_more(choice, data):
    rounds, n = data.draw(st.integers(1, 25)), data.draw(st.integers(1, 4))
    draw = np.random.default_rng(data.draw(st.integers(0, 10**6)))
    x, y = draw.normal(50, 20, (rounds, n)).round(1), draw.normal(50, 20, rounds).round(1)
    if data.draw(st.booleans()):  # an adversary: the truth is as far as can be from whoever is trusted
        y = np.where(np.arange(rounds) % 2, x.min(axis=1), x.max(axis=1))
    usual = ls.experts(frame(x, y), advice="forecast", **choice)  # a rule of rules, told gradients
    name, most = usual.gradient_bound
    assert name.startswith("rule-of-rules") and all(claim.holds for claim in usual.bounds)
    assert usual.loss - usual.convex.loss <= most + 1e-6 * usual.in_units(1.0, 0)
    run = ls.experts(frame(x, y), advice="forecast", gradient=True, rule="adahedge", **choice)
    name, most = run.gradient_bound
    assert name.startswith("adahedge") and all(claim.holds for claim in run.bounds)
    for block in run.run.again():
        assert (block.table >= 0).all() and (block.table <= 1).all()
    assert run.loss - run.convex.loss <= most + 1e-9 * most
    assert run.loss == pytest.approx(run.played.own.sum()) and run.gradient > 0


def test_two_that_err_either_way():
    """One says too much, one too little: their mean is right, and no expert is."""
    y = np.random.default_rng(0).normal(0, 5, 400)
    x = np.stack([y + 2, y - 2, y + 3], axis=1)
    plain, mixed = (ls.experts(frame(x, y), gradient=how) for how in (False, True))
    assert mixed.loss < 0.2 * mixed.best.loss and mixed.convex.loss < 1e-6
    assert plain.gradient is None and set(plain.as_json()["gradient"].values()) == {None}
    assert mixed.as_json()["gradient"]["regret"] == pytest.approx(mixed.loss) and mixed.mixture_loss is None


def test_experts_that_sleep():
    draw = np.random.default_rng(1)
    y = draw.normal(0, 5, 200)
    x = y[:, None] + draw.normal(0, 1, (200, 4))
    x[draw.random(x.shape) < 0.4] = np.nan
    x[5] = np.nan
    usual = ls.experts(frame(x, y))
    assert usual.rule.name == "rule_of_rules" and usual.bounds[0].holds and usual.convex.loss is None
    run = ls.experts(frame(x, y), gradient=True, rule="sleeping_adahedge")
    assert run.rule.name == "sleeping_adahedge" and run.convex.loss is None
    assert all(one.rule_loss - one.loss <= run.gradient_bound[1] for one in run.experts)


def test_refusals():
    table = frame(np.ones((3, 2)), np.array([1.0, 0.0, 1.0]))
    with pytest.raises(LittlestoneError, match="--gradient \\(gradient=\\) is of forecasts"):
        ls.experts(table, advice="probability", gradient=True)
    with pytest.raises(LittlestoneError, match="exp3_ix follows one expert at a time"):
        ls.experts(table, advice="forecast", bandit=True, gradient=True)
    run = ls.experts(table, advice="forecast", gradient=True, rule="adahedge")
    with pytest.raises(LittlestoneError, match="depend on the rule"):
        ls.certify(run)


def test_what_a_rule_was_made_for_is_what_it_is_told():
    """A theorem about gradients of one loss says nothing of another, and whoever asks for losses is not given gradients."""
    table = frame(np.array([[1.0, 2.0], [0.0, 3.0], [2.0, 0.5]]), np.array([1.0, 0.0, 1.5]))
    with pytest.raises(
        LittlestoneError, match="made to be told gradients of the absolute loss; here it is told gradients of the squared loss"
    ):
        ls.experts(table, rule=ls.boa(advice="loss", loss="absolute"))
    with pytest.raises(LittlestoneError, match="told gradients of the squared loss; here it is told losses"):
        ls.experts(table, rule=ls.boa(advice="loss", loss="squared"), gradient=False)
    with pytest.raises(LittlestoneError, match="pinball loss of the quantile 0.9; here it is told .* of the quantile 0.1"):
        ls.experts(table, rule=ls.boa(advice="loss", loss="pinball", quantile="9/10"), loss="pinball", quantile=0.1)
    assert ls.experts(table, loss="pinball", quantile=0.1).rule.settings["quantile"] == Fraction(1, 10)  # not the double beside it
    assert ls.experts(table, rule=ls.boa(advice="loss", loss="squared")).loss == ls.experts(table, rule="boa").loss
    for gradient in (None, False):
        model = ls.experts(table, gradient=gradient).model
        told = "losses" if gradient is False else "gradients"
        with pytest.raises(LittlestoneError, match=f"is told {told}, and goes on with these"):
            ls.experts(table, rule=model, gradient=gradient is False)
        assert ls.experts(table, rule=model, gradient=gradient).loss == ls.experts(table, rule=model).loss


def test_a_loss_that_no_double_holds_is_refused():
    table = np.array([[1.0, 2.0], [1e200, 3.0]])
    with pytest.raises(LittlestoneError, match="round 2: forecast 1e.200 of expert 0, and what came true is 2.0: expected a squared loss"):
        ls.play(ls.boa(advice="loss", loss="squared"), table, np.array([1.0, 2.0]))
    model = ls.experts(frame(table[:1], np.array([1.5]))).model
    before = model.loss, model.rounds, model.weights.tolist(), repr(model)
    with pytest.raises(LittlestoneError, match="expected a squared loss that a double holds"):
        model.update([1.0, 2.0], 1e200)
    assert before == (model.loss, model.rounds, model.weights.tolist(), repr(model))
    model.update([1.0, 2.0], 1e30)  # past single precision
    assert model.loss == pytest.approx(1e60) and ": loss 1e+60 in 2 rounds>" in repr(model)


def test_sleepers_under_another_rule_are_refused():
    """A limit of `specialists` depends on how often an expert was awake: that of one is none of another."""
    x, y = [[0.0, 0.0, 1.0]] + [[None, 0.0, 1.0]] * 3, [0.0, 1.0, 0.0, 1.0]
    table = pa.table({"truth": y} | {name: [row[k] for row in x] for k, name in enumerate("abc")})
    with pytest.raises(ls.LittlestoneError, match="sleeping_adahedge alone"):
        ls.experts(table, advice="forecast", loss="absolute", range=(0, 1), gradient=True, rule="specialists:eta=4")


def test_a_forecast_waits_for_what_comes_true(tmp_path):
    rng = np.random.default_rng(3)
    y = rng.normal(0, 5, 60)
    x = y[:, None] + rng.normal(0, 1, (60, 3)) * [1, 2, 3]
    x[::7, 1] = np.nan
    late, soon = (ls.rule_of_rules(n=3, loss="squared").start() for _ in range(2))
    for t in range(60):
        assert late.predict(x[t], id=t) == soon.predict(x[t])
        late.save(tmp_path / "late.littlestone")
        late = ls.load(tmp_path / "late.littlestone")
        late.label(t, y[t]), soon.update(x[t], y[t])
    assert np.array_equal(late.weights, soon.weights) and late.loss == soon.loss and late.rounds == 60
    first = [late.predict(x[t], id=t) for t in range(2)]  # both forecasts are made before either truth is known, and cost what they cost
    before = late.loss
    late.label(1, 2.0), late.label(0, 1.0)
    assert np.isclose(late.loss - before, (first[1] - 2) ** 2 + (first[0] - 1) ** 2)
    kept = late.state, late.rounds, late.loss
    for wrong in (lambda: late.label("nobody", 1.0), lambda: late.update(x[1], "wet"), lambda: late.update([1, 2, "dry"], 1.0)):
        with pytest.raises(ls.LittlestoneError, match="no prediction of that name|expected numbers"):
            wrong()
    late.update(x[1], float("nan"))
    assert late.unlabelled == 1 and all(map(np.array_equal, late.state, kept[0])) and (late.rounds, late.loss) == kept[1:]
    late.update([np.nan] * 3, 1.0)
    assert (late.rounds, late.loss) == (kept[1] + 1, kept[2])


def test_rounding_chooses_no_leader():
    """Members whose forecasts differ in the last digit had all the weight or none, and a replay by other exponentials disagreed."""
    x, y = [[1 / 3, 7], [1 / 3, 1 / 3], [7, np.nan], [7, 1 / 3]], [1 / 3, 7, 2, 0.1]
    run = ls.play(ls.rule_of_rules(n=2, loss="squared"), x, y)
    assert ls.verify(ls.certify(run, x, y), x, y).status == "verified"


def test_who_speaks_alone_has_no_regret():
    """w·x/w is not x to the last digit, and ML-Prod trusted an expert by the inverse of that difference; a replay had another one."""
    draw = np.random.default_rng(0)
    w, a = draw.random(1_000), draw.normal(0, 5, 1_000)
    assert (w * a / w != a).any()
    assert all(blended([v], [x]) == x for v, x in zip(w.tolist(), a, strict=True))
    rule, alone, own = ls.ml_poly(n=1_000, advice="loss", loss="squared"), np.full((1_000, 1_000), np.nan), np.empty(1_000)
    np.fill_diagonal(alone, a)
    state = rule.init(1_000)._replace(regrets=w, z=np.array([0.0, 0.0, 1.0, 0.0]))  # the weights are the regrets
    rule.play_block(state, alone, np.full(1_000, np.nan), own, np.empty(0, np.int32))
    assert own.tolist() == a.tolist()
    y = draw.normal(0, 5, 150).round(1)
    x = np.where(draw.random((150, 20)) < 0.1, y[:, None] + draw.normal(0, 3, (150, 20)).round(1), np.nan)
    for rule in (ls.ml_prod, ls.rule_of_rules):
        run = ls.play(rule(n=20, advice="loss", loss="squared"), x, y)
        assert ls.verify(ls.certify(run, x, y), x, y).status == "verified"


def test_rounding_is_measured_by_the_regrets_that_are_learned():
    """The rule was right, so gradients are 0, and eased regrets are not: beside these the gap of a member hardly trusted is rounding."""
    rule, others = ls.rule_of_rules(n=2, advice="loss", loss="squared", members=12), 11
    short = (20 * np.log(2) + 0.5 * np.log(others)) / np.log(12)  # of members that say the mean; ML-Poly follows the first expert
    state = rule.init(2)
    state.regrets[0] = state.z[2] = 1.0
    state.z[10], state.top_behind[1:] = 0.5, short
    twin, trusted = Gaps(12), others * np.exp(-short * np.log(12) / 0.5)
    twin.behind, twin.gaps = state.top_behind.tolist(), 0.5
    own, none = np.empty(1), np.empty(0, np.int32)
    rule.play_block(state, np.array([[0.0, 2.0]]), np.array([np.nan]), own, none)
    assert own[0] == pytest.approx(trusted, rel=1e-6)
    rule.play_block(state, np.array([[0.0, 2.0]]), own.copy(), own, none)
    twin.learn([-0.5 * (own[0] - f) * (own[0] - f) for f in (0.0, *[1.0] * others)], eased=True)
    assert trusted * 0.5 > 1e-14 and twin.gaps == 0.5 == state.z[10]
    assert state.top_behind.tolist() == twin.behind


def test_an_expert_that_never_speaks_is_refused():
    x, y = np.ones((5, 2)), np.arange(5.0)
    x[:, 1] = np.nan
    with pytest.raises(LittlestoneError, match="expert 'e1' is asleep in all 5 rounds; expected a number in one of them at least"):
        ls.experts(frame(x, y), advice="forecast")
    x[4, 1] = 3.0
    run = ls.experts(frame(x, y), advice="forecast")
    x[4, 1] = np.nan
    assert ls.experts(frame(x, y), rule=run.model).rounds == 5  # one that has left is another matter


@pytest.mark.parametrize("rule", ["boa", "ml_prod", "ml_poly", "rule_of_rules"])
@pytest.mark.parametrize("unit", [1.0, 16.0, 2.0**20])
def test_a_theorem_of_losses_is_the_same_in_every_unit(rule, unit, tmp_path):
    losses = np.random.default_rng(5).integers(0, 5, (40, 4)) * [1.0, 2.0, 2.0, 2.0] / 8
    losses[3, 2] = 1.0
    path = tmp_path / "losses.csv"
    path.write_text("a,b,c,d\n" + "".join(",".join(map(str, row)) + "\n" for row in losses * unit))
    run = ls.experts(path, advice="loss", rule=rule)
    alone = ls.play(getattr(ls, rule)(n=4, advice="loss"), losses)
    assert run.reading.scale == unit
    assert [(b.name, b.limit, b.holds) for b in run.bounds] == [(b.name, b.limit, True) for b in alone.bounds()]
    certificate = ls.certify(run)
    assert all(b.holds for b in certificate.bounds)
    assert ls.verify(certificate, path).status == "verified"


def test_labels_that_could_have_been_late_and_were_not_are_replayed(tmp_path):
    path = tmp_path / "losses.csv"
    path.write_text("a,b,c\n0.75,1.25,5\n")
    run = ls.experts(path, advice="loss", rule="boa", delay=1)
    certificate = ls.certify(run)
    assert "one-draw" in [bound.name for bound in certificate.bounds]
    assert ls.verify(certificate, path).status == "verified"
