"""Our learners as scikit-learn classifiers: its own checks, and its own tools around them."""

import pickle
import runpy
import warnings

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from scipy.special import expit
from sklearn import datasets, set_config
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import VotingClassifier
from sklearn.feature_extraction.text import HashingVectorizer, TfidfVectorizer
from sklearn.linear_model import SGDRegressor
from sklearn.model_selection import GridSearchCV, cross_val_score, learning_curve
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

import estimators
import littlestone as ls
import stubs
from littlestone.adapters import sklearn as adapters
from littlestone.adapters.sklearn import (
    ArowClassifier,
    ExpertsClassifier,
    ExpertsRegressor,
    OnlineClassifier,
    PanelClassifier,
    PerceptronClassifier,
)

SMALL_PANEL = {"members": "perceptron:bias=1 arow:bias=1 adaptive:bias=1"}
POOR = {"apple_tasting", "banditron", "conjunctions", "disjunctions"} | {
    f"winnow{kind}" for kind in ("", "_doubling", "_elimination", "_real")
}


#: These run all checks here; `make search` runs them for every class, of which the others have these few here.
FULL = ("PanelClassifier", "PerceptronClassifier", "ArowClassifier", "WinnowClassifier")
FEW = ("check_classifiers_train", "check_class_weight_classifiers", "check_parameters_default_constructible", "check_estimators_pickle")


@pytest.mark.parametrize("name", adapters.CLASSES)
def test_classifiers_pass_the_checks_of_scikit_learn(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the checks feed what deserves warnings
        checks = estimators.checks_of(getattr(adapters, name)(), None if name in FULL else FEW)
    assert {check["check_name"]: check["exception"] for check in checks if check["status"] == "failed"} == {}
    excused = sorted(check["check_name"] for check in checks if check["status"] == "xfail")
    assert excused == (sorted(adapters.EXPECTED_FAILED_CHECKS) if name in FULL and name != "WinnowClassifier" else [])
    assert getattr(adapters, name)().__sklearn_tags__().classifier_tags.poor_score == (adapters.CLASSES[name] in POOR)


def words(rows=150):
    """Mails of two kinds, in words."""
    draw = np.random.default_rng(3)
    y = draw.integers(0, 2, rows)
    vocabulary = np.array(["free", "offer", "prize", "meeting", "minutes", "lunch", "hello", "thanks", "see", "you"])
    chances = np.array([[1, 1, 1, 6, 6, 6, 4, 4, 4, 4], [6, 6, 6, 1, 1, 1, 4, 4, 4, 4]]) / 37
    return [" ".join(draw.choice(vocabulary, 12, p=chances[label])) for label in y], np.array(["ham", "spam"])[y]


def test_a_run_of_fit_is_the_run_of_play():
    X, y = datasets.load_breast_cancer(return_X_y=True)
    X = X.astype(np.float32)
    classifier = ArowClassifier(r=10).fit(X, y)
    run = ls.play(ls.arow(r=10, bias=1), X, y)
    assert (classifier.mistakes_, classifier.model_.rounds) == (run.mistakes, run.rounds)
    assert [bound.limit for bound in classifier.bounds_] == [bound.limit for bound in run.bounds()]
    parts = ArowClassifier(r=10)
    for start in range(0, len(y), 100):
        parts.partial_fit(X[start : start + 100], y[start : start + 100], classes=[0, 1])
    assert run.learner.alike(parts.model_.state, run.state) and parts.mistakes_ == run.mistakes
    assert np.array_equal(classifier.predict(X), run.hypothesis.predict_many(X))


def test_certificates_are_made_of_the_rows_of_fit():
    X, y = datasets.load_iris(return_X_y=True)
    X = X.astype(np.float32)
    for labels in (y > 0, y, np.where(y > 0, "other", "iris")):
        classifier = PerceptronClassifier().fit(X, labels)
        assert ls.verify(classifier.certificate_, X, labels)
        assert pickle.loads(pickle.dumps(classifier)).certificate_.as_json() == classifier.certificate_.as_json()
    for without in (PerceptronClassifier(certify=False).fit(X, y), PerceptronClassifier().partial_fit(X, y)):
        with pytest.raises(AttributeError, match="certify=True"):
            without.certificate_


@pytest.mark.filterwarnings("ignore::littlestone.errors.LateLabel")
@pytest.mark.parametrize("learner", ["perceptron", "arow", "adaptive", "winnow"])
def test_labels_may_come_late_unless_classes_were_given(learner):
    X, y = datasets.load_digits(return_X_y=True)
    names = np.array(["zero", "one", "two", "three"])[y[y < 4]]
    X = X[y < 4]
    few = np.isin(names, ["zero", "one"])
    classifier = OnlineClassifier(learner).partial_fit(X[names == "one"], names[names == "one"])
    assert set(classifier.predict(X)) == {"one"}
    classifier.partial_fit(X[few], names[few])
    assert classifier.classes_.tolist() == ["one", "zero"]
    two = classifier.score(X[few], names[few])
    classifier.partial_fit(X, names)
    assert classifier.classes_.tolist() == ["one", "three", "two", "zero"]
    if learner != "winnow":
        assert two > 0.95 and classifier.score(X, names) > 0.9
    declared = OnlineClassifier(learner).partial_fit(X[few], names[few], classes=["zero", "one"])
    before = pickle.dumps(declared)
    with pytest.raises(ls.LittlestoneError, match="'three' is not among the classes"):
        declared.partial_fit(X, names)
    assert pickle.dumps(declared) == before


@pytest.mark.parametrize("name", ["PerceptronClassifier", "WinnowClassifier", "AdaptiveClassifier", "PanelClassifier"])
def test_pickles_are_byte_stable(name, tmp_path):
    X, y = datasets.load_iris(return_X_y=True)
    made = getattr(adapters, name)()
    for labels in (y > 0, y):
        classifier = clone(made).fit(X, labels)
        again = pickle.loads(pickle.dumps(classifier))
        assert pickle.dumps(again) == pickle.dumps(classifier)
        joblib.dump(classifier, tmp_path / "classifier")
        assert np.array_equal(joblib.load(tmp_path / "classifier").predict(X), classifier.predict(X))
        assert again.partial_fit(X, labels).mistakes_ == classifier.partial_fit(X, labels).mistakes_


def test_parameters_are_the_settings_by_their_own_names():
    classifier = adapters.PassiveAggressiveClassifier(C="1/3", variant="II")
    assert repr(clone(classifier)) == repr(classifier) == "PassiveAggressiveClassifier(C='1/3', variant='II')"
    assert {"C", "variant", "bias", "n", "class_weight", "labels", "n_iter", "certify", "ledger"} == set(classifier.get_params())
    assert adapters.AlmaClassifier().alpha == 0.9
    assert "PassiveAggressiveClassifier" in classifier._repr_html_()
    assert clone(OnlineClassifier("arow", {"r": 10})).get_params()["settings"] == {"r": 10}
    for learner in ("halving", "optimal"):
        with pytest.raises(ls.LittlestoneError, match=f"{learner} has no scikit-learn classifier"):
            OnlineClassifier(learner).fit([[1], [0]], [1, 0])
        with pytest.raises(AttributeError, match=f"{learner} has no scikit-learn classifier"):
            getattr(adapters, f"{learner.capitalize()}Classifier")
    with pytest.raises(TypeError, match="ArowClassifier has no parameter 'rr'"):
        ArowClassifier(rr=1)
    with pytest.raises(ls.LittlestoneError, match="winnow honours no weights"):
        OnlineClassifier("winnow").fit([[1], [0]], [1, 0], sample_weight=[1, 2])
    assert not hasattr(adapters.WinnowClassifier(), "decision_function") and not hasattr(ArowClassifier(), "predict_proba")


def test_stubs_are_current_and_the_example_runs(capsys):
    assert {path.name: path.read_text("utf-8") == text for path, text in stubs.pages().items()} == {"sklearn.pyi": True, "river.pyi": True}
    runpy.run_path(str(stubs.FOLDER.parents[2] / "examples" / "scikit_learn.py"), run_name="__main__")
    assert "experts: regret" in capsys.readouterr().out
    assert "r : number, default=1" in ArowClassifier.__doc__


def test_text_goes_through_pipelines():
    texts, y = words()
    for vectorizer in (TfidfVectorizer(), HashingVectorizer(n_features=2**12)):
        for classifier in (ArowClassifier(), OnlineClassifier("panel", SMALL_PANEL)):
            pipeline = make_pipeline(vectorizer, classifier)
            assert cross_val_score(pipeline, texts, y, cv=3).min() > 0.85
    search = GridSearchCV(make_pipeline(TfidfVectorizer(), ArowClassifier()), {"arowclassifier__r": [0.1, 10]}, cv=2, n_jobs=2).fit(
        texts, y
    )
    assert search.best_score_ > 0.7 and search.best_estimator_[-1].mistakes_ < 30


def test_tables_of_every_kind_give_the_same():
    frame = datasets.load_breast_cancer(as_frame=True)
    X, y = frame.data, frame.target.map({0: "malign", 1: "benign"})
    expected = make_pipeline(StandardScaler(), ArowClassifier()).fit(X.to_numpy(), y.to_numpy()).predict(X.to_numpy())
    for table in (X, pl.from_pandas(X), sparse.csc_array(X.to_numpy()), sparse.csr_matrix(X.to_numpy())):
        scaled = StandardScaler(with_mean=not sparse.issparse(table)).fit_transform(table)
        classifier = ArowClassifier().fit(scaled, y)
        assert np.mean(classifier.predict(scaled) == expected) > 0.9
    with_names = make_pipeline(StandardScaler().set_output(transform="pandas"), ArowClassifier()).fit(X, y)
    assert with_names[-1].feature_names_in_.tolist() == X.columns.tolist()
    assert np.array_equal(with_names.predict(X), expected)
    mixed = pd.DataFrame({"size": X["mean radius"], "kind": np.where(X["mean area"] > 600, "large", "small")})
    columns = ColumnTransformer([("size", StandardScaler(), ["size"]), ("kind", OneHotEncoder(), ["kind"])])
    assert make_pipeline(columns, ArowClassifier()).fit(mixed, y).score(mixed, y) > 0.8
    changed = with_names[0].transform(X).rename(columns={"mean radius": "radius"})
    with pytest.raises(ValueError, match="radius"):
        with_names[-1].partial_fit(changed, y)
    holed, fitted = X.set_axis([f"x{i}" for i in range(X.shape[1])], axis=1), ArowClassifier()
    before = pickle.dumps(fitted.fit(holed, y))
    holed.iloc[7, 3] = np.nan
    with pytest.raises(ls.LittlestoneError, match="NaN: row 7, column 'x3'"):
        fitted.partial_fit(holed, y)
    assert pickle.dumps(fitted) == before
    with pytest.raises(ls.LittlestoneError, match="NaN: row 7, column 3"):
        ArowClassifier().fit(X.to_numpy(), y).predict(sparse.csr_matrix(holed.to_numpy()))


def test_what_scikit_learn_puts_around_a_classifier_fits_around_ours():
    X, y = datasets.load_digits(return_X_y=True)
    X, y = X[:600], y[:600]
    calibrated = CalibratedClassifierCV(ArowClassifier(), cv=2).fit(X, y)
    assert calibrated.predict_proba(X).shape == (600, 10) and calibrated.score(X, y) > 0.85
    _, _, scores = learning_curve(ArowClassifier(), X, y, train_sizes=[50, 300], cv=2)
    assert scores[1].mean() > scores[0].mean()
    votes = VotingClassifier([("a", ArowClassifier()), ("b", PerceptronClassifier()), ("c", adapters.AdaptiveClassifier())]).fit(X, y)
    assert votes.score(X, y) > 0.85
    proba = adapters.AdaptiveClassifier().fit(X, y).predict_proba(X)
    assert np.allclose(proba.sum(axis=1), 1) and np.array_equal(proba.argmax(axis=1), adapters.AdaptiveClassifier().fit(X, y).predict(X))


def test_weights_are_routed_and_classes_weighed():
    X, y = datasets.load_breast_cancer(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    weights = np.where(y == 1, 5.0, 1.0)
    set_config(enable_metadata_routing=True)
    try:
        scaler, ours = StandardScaler().set_fit_request(sample_weight=False), PerceptronClassifier().set_fit_request(sample_weight=True)
        pipeline = make_pipeline(scaler, ours).fit(X, y, sample_weight=weights)
    finally:
        set_config(enable_metadata_routing=False)
    weighed = PerceptronClassifier(class_weight={0: 1, 1: 5}).fit(StandardScaler().fit_transform(X), y)
    assert np.array_equal(pipeline[-1].model_.state.w, weighed.model_.state.w)
    for classifier in (ArowClassifier(), OnlineClassifier("panel", SMALL_PANEL)):
        ones = [clone(classifier).set_params(class_weight=how).fit(X, y).predict(X).sum() for how in ({1: 1e-6}, None, {1: 1e6})]
        assert ones[0] < ones[1] < ones[2]
    with pytest.raises(ls.LittlestoneError, match="'balanced' needs all labels"):
        ArowClassifier(class_weight="balanced").partial_fit(X, y)


def test_the_panel_is_the_classifier_unless_another_is_named():
    X, y = datasets.load_iris(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))
    ours, same = PanelClassifier().fit(X[order], y[order]), OnlineClassifier().fit(X[order], y[order])
    assert ours.mistakes_ == same.mistakes_ < 60 and ours.score(X, y) > 0.85
    chances = expit(ours.model_.predict_many(X.astype(np.float32), scores=True))[:, np.argsort(list(ours.model_.classes))]
    assert np.allclose(ours.predict_proba(X), chances / chances.sum(axis=1, keepdims=True)), "what it forecasts"
    small = OnlineClassifier("panel", SMALL_PANEL)
    shares = [
        clone(small).set_params(class_weight=how).fit(X[order], y[order]).predict(X) for how in ({2: 1e-6}, None, {2: 1e6}, "balanced")
    ]
    assert np.mean(shares[0] == 2) < np.mean(shares[1] == 2) < np.mean(shares[2] == 2) and np.array_equal(shares[1], shares[3])


def test_entries_that_stand_there_twice_are_added_up_and_models_speak_in_labels():
    twice = sparse.csr_matrix((np.ones(5, np.float32), [0, 0, 1, 1, 1], [0, 2, 5]), shape=(2, 2))
    classifier = PerceptronClassifier().fit(twice, [3, 7])
    assert np.array_equal(classifier.model_.state.w, PerceptronClassifier().fit(twice.toarray(), [3, 7]).model_.state.w)
    assert classifier.predict(twice).tolist() == classifier.model_.predict_many(twice.toarray()).tolist() == [3, 7]
    assert OnlineClassifier("conservative", {"learner": "arow"}).fit(twice.toarray(), [3, 7]).decision_function([[1, 0]]).shape == (1,)


def test_a_rule_over_experts_says_its_regret_and_the_bound():
    X, y = datasets.load_iris(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))
    X, y = X[order], np.array(["setosa", "versicolor", "virginica"])[y[order]]
    experts = ExpertsClassifier(
        [("arow", ArowClassifier()), ("bayes", GaussianNB()), ("perceptron", PerceptronClassifier())], batch_size=10
    )
    experts.fit(X, y)
    assert 0 <= experts.regret_ <= experts.bound_ < 10 and experts.losses_["bayes"] == min(experts.losses_.values())
    assert max(experts.weights_, key=experts.weights_.get) == "bayes" and experts.score(X, y) > 0.9
    assert np.allclose(experts.predict_proba(X).sum(axis=1), 1)
    parts = clone(experts)
    for start in range(0, 150, 30):
        parts.partial_fit(X[start : start + 30], y[start : start + 30], classes=np.unique(y))
    assert parts.losses_ == experts.losses_ and parts.loss_ == experts.loss_
    fitted = ExpertsClassifier(list(experts.named_estimators_.items()), prefit=True).fit(X, y)
    assert fitted.named_estimators_["bayes"] is experts.named_estimators_["bayes"] and fitted.regret_ <= fitted.bound_
    assert pickle.loads(pickle.dumps(fitted)).bound_ == fitted.bound_
    with pytest.raises(ls.LittlestoneError, match="expert 'tree' has no partial_fit"):
        ExpertsClassifier([("tree", DecisionTreeClassifier()), ("arow", ArowClassifier())]).fit(X, y)


def test_a_rule_over_forecasts_never_loses_more_than_its_mean():
    X, y = datasets.load_diabetes(return_X_y=True)
    named = [("slow", SGDRegressor(eta0=0.001, random_state=0)), ("quick", SGDRegressor(eta0=0.3, random_state=0))]
    for loss in ("squared", "absolute"):
        experts = ExpertsRegressor(named, loss=loss, batch_size=32).fit(X, y)
        assert 0 <= experts.regret_ <= experts.bound_ and experts.losses_["quick"] < experts.losses_["slow"]
        parts = clone(experts)
        for start in range(0, len(y), 64):
            parts.partial_fit(X[start : start + 64], y[start : start + 64])
        assert np.allclose(parts.loss_, experts.loss_, rtol=1e-4)
    with pytest.raises(ls.LittlestoneError, match="expected a wider range"):
        ExpertsRegressor(named, range=(0, 1)).fit(X, y)


def test_labels_stay_of_one_kind_and_what_was_learned_is_told():
    X = np.random.default_rng(0).normal(size=(60, 4)).astype(np.float32)
    for first, later in (
        (np.where(X[:, 0] > 0, "up", "down"), np.arange(60) % 2),
        (np.arange(60) % 2, np.where(X[:, 0] > 0, "up", "down")),
    ):
        model = ArowClassifier().partial_fit(X, first)
        before = pickle.dumps(model)
        assert repr(model) == f"ArowClassifier()  # {model.mistakes_} mistakes in 60 rounds"
        with pytest.raises(ls.LittlestoneError, match="row 0: the label is .*; expected (text|a number), as .* before"):
            model.partial_fit(X, later)
        assert pickle.dumps(model) == before
    assert repr(ArowClassifier(r=2)) == "ArowClassifier(r=2)"
