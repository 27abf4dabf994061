"""Our learners as River classifiers: its own checks, and its own tools around them."""

import pickle
import runpy
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from river import compose, datasets, drift, evaluate, feature_extraction, linear_model, metrics, multiclass, naive_bayes, preprocessing

import estimators
import littlestone as ls
from littlestone.adapters import river as adapters
from littlestone.adapters.river import Adaptive, Arow, Experts, Online, Panel, Perceptron, Winnow

#: Perceptron runs all checks here; `make search` runs them for every class, of which the others have these few here.
FEW = ("check_get_params_matches_signature", "check_init_default_params_are_not_mutable", "check_repr_roundtrips_clone", "check_doc")
MORE = (
    "check_shuffle_features_no_impact",
    "check_learn_many_matches_learn_one",
    "check_no_state_aliasing_with_input",
    "check_predict_one_before_any_learn",
)
SMALL = "perceptron:bias=1 arow:bias=1"


@pytest.mark.parametrize("name", ["Online", "Experts", *adapters.CLASSES])
def test_classifiers_pass_the_checks_of_river(name):
    checks = estimators.river_checks_of(name, None if name == "Perceptron" else (*FEW, *MORE) if name in ("Panel", "Winnow") else FEW)
    assert {check["check_name"]: check["exception"] for check in checks if check["status"] == "failed"} == {}
    assert len(checks) == 62 if name == "Perceptron" else len(checks) >= 4


@pytest.fixture(scope="module")
def phishing():
    return list(datasets.Phishing().take(300))


@pytest.mark.filterwarnings("ignore::littlestone.errors.LateLabel")
@pytest.mark.parametrize("make", [Perceptron, Adaptive, lambda: Winnow(n=20), lambda: Panel(members=SMALL)], ids=["p", "a", "w", "panel"])
@pytest.mark.parametrize("names", [(False, True), ("ham", "spam")], ids=["booleans", "words"])
def test_many_rows_are_a_loop_of_one_and_pickles_are_byte_stable(phishing, make, names):
    X, y = pd.DataFrame([x for x, _ in phishing]), pd.Series([names[label] for _, label in phishing])
    one, many = make(), make()
    for x, label in zip(X.to_dict("records"), y, strict=True):
        one.learn_one(x, label)
    for start in range(0, len(X), 70):
        many.learn_many(X[start : start + 70], y[start : start + 70])
    assert (one.mistakes, one.rounds) == (many.mistakes, 300)
    assert np.array_equal(one.predict_many(X), [many.predict_one(x) for x in X.to_dict("records")])
    kept = pickle.dumps(one)
    again = pickle.loads(kept)
    assert pickle.dumps(again) == kept and again.predict_many(X).equals(one.predict_many(X))
    assert f"{one.mistakes} mistakes in 300 rounds" in repr(again)
    before = pickle.dumps(many)
    with pytest.raises(ls.LittlestoneError, match="label 5|label True is"):
        many.learn_many(X, y.astype(object).where(y.index < 299, 5))
    assert pickle.dumps(many) == before
    holes = X.assign(long_url=X["long_url"].where(X.index % 3 > 0))  # NaN is missing, in many rows as in one
    for x, label in zip(holes.to_dict("records"), y, strict=True):
        one.learn_one(x, label)
    many.learn_many(holes, y)
    assert (one.mistakes, one.rounds) == (many.mistakes, 600) and "long_url is missing" in many.model.features


def test_an_event_is_an_event_of_ours(phishing):
    model, ours = Perceptron(), ls.perceptron(bias=1).start(ledger=False)
    for x, y in phishing:
        assert model.predict_one(x) is (ours.predict(x) if model.model else None)
        model.learn_one(x, y)
        ours.update(x, y)
    assert np.array_equal(model.model.state.w, ours.state.w) and model.mistakes == ours.mistakes
    run = ls.play(ls.perceptron(bias=1), [x for x, _ in phishing], [y for _, y in phishing])
    assert run.mistakes == model.mistakes


def test_what_river_puts_around_a_classifier_fits_around_ours(phishing):
    around = {
        "scaled": preprocessing.StandardScaler() | Arow(),
        "selected": (compose.Select("age_of_domain", "is_popular") + (compose.Select("https") | preprocessing.MinMaxScaler())) | Arow(),
        "retrained": drift.DriftRetrainingClassifier(Adaptive(), drift.binary.DDM()),
        "against the rest": multiclass.OneVsRestClassifier(Adaptive()),
    }
    scores = {name: evaluate.progressive_val_score(phishing, model, metrics.Accuracy()).get() for name, model in around.items()}
    assert min(scores.values()) > 0.6, scores
    auc = evaluate.progressive_val_score(phishing, Panel(members=SMALL), metrics.ROCAUC() + metrics.LogLoss())
    assert auc[0].get() > 0.85 and auc[1].get() < 0.6
    late = evaluate.progressive_val_score(phishing, Arow(), metrics.F1(), moment=None, delay=20)
    assert 0.6 < late.get() < 1


def test_words_and_texts_are_features():
    mails = [("free prize offer", "spam"), ("minutes of the meeting", "ham"), ("offer of lunch", "ham"), ("free lunch prize", "spam")] * 8
    model = feature_extraction.BagOfWords(ngram_range=(1, 2)) | Adaptive()
    metric = evaluate.progressive_val_score(mails, model, metrics.Accuracy())
    assert metric.get() > 0.8 and "('free', 'prize')" in model["Adaptive"].model.features
    events = [({"shop": "corner", "price": 1.0}, "tea"), ({"shop": "market", "price": 1.0}, "coffee"), ({"shop": "bar"}, "wine")] * 8
    encoded = [Arow(), compose.SelectType(str) | preprocessing.OneHotEncoder() | Arow()]
    for model in encoded:
        assert evaluate.progressive_val_score(events, model, metrics.Accuracy()).get() > 0.7
    assert {"shop=corner", "shop=market", "price"} <= set(encoded[0].model.features)
    chances = Online("one_vs_rest", {"learner": "adaptive"})
    for x, y in events:
        chances.learn_one(x, y)
    assert max(chances.predict_proba_one(events[0][0]).items(), key=lambda item: item[1])[0] == "tea"
    assert sum(chances.predict_proba_one(events[0][0]).values()) == pytest.approx(1)


def test_what_is_refused_is_refused_by_name():
    for label, other, wrong in ((True, "spam", "label 'spam': expected True or False"), ("spam", 5, "label 5 is a number")):
        model = Perceptron()
        model.learn_one({"a": 1.0}, label)
        before = pickle.dumps(model)
        for x, y, w, why in (
            ({"new": 1.0, "a": float("inf")}, label, 1.0, "feature 'a' is inf"),
            ({"new": 1.0, "a": object()}, label, 1.0, "feature 'a' has value"),
            ({"new": 1.0}, other, 1.0, wrong),
            ({"new": 1.0}, label, -1.0, "weight=-1.0 must be a finite number"),
            ({1: 1.0, "1": 2.0}, label, 1.0, "shown by the same text"),
        ):
            with pytest.raises(ls.LittlestoneError, match=why):
                model.learn_one(x, y, w)
            assert pickle.dumps(model) == before, "a row that is refused leaves the model as it was"
    model = Perceptron()
    model.learn_one({"a": 1.0}, True)
    with pytest.raises(NotImplementedError, match="perceptron predicts without probabilities"):
        model.predict_proba_one({"a": 1.0})
    with pytest.raises(AttributeError, match="halving has no River classifier"):
        adapters.Halving
    with pytest.raises(TypeError, match="Arow has no parameter 'rr'"):
        Arow(rr=1)
    with pytest.raises(ls.LittlestoneError, match="winnow needs n"):
        Winnow().learn_one({"a": 1.0}, True)


def test_a_rule_over_models_says_its_regret_and_the_bound(phishing):
    for rule in ("adahedge", "hedge:eta=1/2"):
        model = Experts([linear_model.LogisticRegression(), naive_bayes.GaussianNB(), Arow()], rule=rule)
        table = []
        for x, y in phishing:
            table.append([expert.predict_one(x) != y for expert in model])
            model.learn_one(x, y)
        run = ls.play(model._trust.rule, np.array(table, np.float32))
        limits = [claim.limit for claim in run.bounds() if "m" in claim.facts and claim.limit is not None]
        assert model.loss == pytest.approx(run.loss) and model.losses == run.losses.tolist()
        assert 0 <= model.regret <= model.bound == pytest.approx(min(limits) - min(model.losses))
        assert pickle.loads(pickle.dumps(model)).bound == model.bound
    with pytest.raises(ls.LittlestoneError, match="weighs every expert"):
        Experts([Arow(), Arow()], rule="exp3")


def test_the_example_runs(capsys):
    runpy.run_path(str(Path(__file__).parents[1] / "examples" / "river_stream.py"), run_name="__main__")
    assert "experts: regret" in capsys.readouterr().out
