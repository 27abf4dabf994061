"""Every kind of learner under every verb, from Python and from the command line: what docs/composition.md says is done here."""

import csv
import json
import random
from dataclasses import dataclass
from importlib import util
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import littlestone as ls
from littlestone.api import composition
from littlestone.cli import app

ROWS, FEATURES, EXPERTS = 90, 6, 4
COLUMNS = [f"f{i}" for i in range(FEATURES)]

OWN = '''
"""The Perceptron once more, with kernels of its own; its theorems and its definition are those of the one we know."""

from dataclasses import replace

import numpy as np

import littlestone as ls
from littlestone.jit import add, dot, jit


@jit
def score(rho2, w, b, indices, values, lo, hi):
    return dot(w, indices, values, lo, hi)


@jit
def predict(rho2, w, b, indices, values, lo, hi):
    return score(rho2, w, b, indices, values, lo, hi) >= 0.0


@jit
def update(rho2, w, b, indices, values, lo, hi, y, yhat, weight):
    if yhat != y:
        add(w, indices, values, lo, hi, weight if y else -weight)
    return yhat != y


@jit
def play(rho2, w, b, indptr, indices, values, labels, weights, predictions, scores, updates):
    for t in range(len(labels)):
        lo, hi = indptr[t], indptr[t + 1]
        s = score(rho2, w, b, indices, values, lo, hi)
        predictions[t] = yhat = s >= 0.0
        if scores is not None:
            scores[t] = s
        if labels[t] >= 0:
            update(rho2, w, b, indices, values, lo, hi, labels[t] == 1, yhat, 1.0 if weights is None else np.float64(weights[t]))


def mine(n=None, bias=0, margin=0, averaged=False):
    known = ls.perceptron(n, bias=bias, margin=margin, averaged=averaged)
    return replace(known, name="mine", algorithm=ls.Kernels(predict, update, play, score))
'''


@dataclass(frozen=True)
class Kind:
    """A kind of learner: how it is made, and how the command line names it."""

    name: str
    option: str
    make: object
    classes: tuple = (0, 1)
    assume: str = "margin:gamma=1/2"

    @property
    def rule(self):
        return self.name == composition.RULE


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("composition")


@pytest.fixture(scope="module")
def kinds(folder):
    own = folder / "mine.py"
    own.write_text(OWN, "utf-8")
    spec = util.spec_from_file_location("mine", own)
    module = util.module_from_spec(spec)
    spec.loader.exec_module(module)
    three = ("tea", "coffee", "milk")
    listed = [
        Kind("a learner of two classes", "perceptron", ls.perceptron),
        Kind("a learner of your own", f"{own}::mine", module.mine),
        Kind("one_vs_rest", "one_vs_rest:learner=perceptron", lambda: ls.one_vs_rest(ls.perceptron()), three),
        Kind("all_pairs", "all_pairs:learner=perceptron", lambda: ls.all_pairs(ls.perceptron()), three),
        Kind("multiclass_perceptron", "multiclass_perceptron", ls.multiclass_perceptron, three),
        Kind("panel", "panel", lambda: ls.panel(["perceptron", "arow"]), assume="expert:m=5"),
        Kind("panel of several classes", "panel", lambda: ls.class_panel(["perceptron", "arow"]), three, assume="expert:m=5"),
        Kind("conservative", "conservative:learner=passive_aggressive", lambda: ls.conservative(ls.passive_aggressive())),
        Kind(composition.RULE, "adahedge", ls.adahedge, assume="expert:m=5"),
    ]
    return {kind.name: kind for kind in listed}


class Data:
    """Rounds for one kind, in memory and in a file."""

    def __init__(self, kind, folder):
        draw = random.Random(7)
        self.kind, self.width = kind, EXPERTS if kind.rule else FEATURES
        self.X = np.array([[draw.random() < 0.5 for _ in range(self.width)] for _ in range(ROWS)], np.float32)
        self.X[:, -1] = 1  # no row is empty: such a row would bring a label for another
        self.weights = [draw.choice((1, 2, 3)) for _ in range(ROWS)]
        self.ids = [f"r{t}" for t in range(ROWS)]
        self.y = [self._label(row, draw) for row in self.X]
        self.file = folder / f"{kind.name.replace(' ', '_')}.csv"
        with self.file.open("w", newline="", encoding="utf-8") as out:
            table = csv.writer(out)
            table.writerow(["truth" if kind.rule else "label", *(f"e{i}" if kind.rule else f"f{i}" for i in range(self.width)), "w", "id"])
            for t, row in enumerate(self.X):
                table.writerow([self.y[t], *map(int, row), self.weights[t], self.ids[t]])

    def _label(self, row, draw):
        if len(self.kind.classes) == 2:
            return int(row[0] if draw.random() < 0.95 else 1 - row[0])
        return self.kind.classes[int(row[0] + row[1])]

    @property
    def command(self):
        """How the file is played, without further options."""
        if self.kind.rule:
            return ["experts", self.file, "--truth", "truth", "--ignore", "w,id", "--rule", self.kind.option, "--quiet"]
        learner = ["--learner", self.kind.option] if not self.kind.name.startswith("panel") else ["--members", "perceptron arow"]
        return ["run", self.file, "--label", "label", "--ignore", "w", "--ignore", "id", *learner, "--quiet"]

    @property
    def own(self):
        return ["--learner", self.kind.option] if self.kind.name == "a learner of your own" else []


@pytest.fixture(scope="module")
def data(kinds, folder):
    return {name: Data(kind, folder) for name, kind in kinds.items()}


@pytest.fixture(scope="module")
def models(data, folder):
    """A model file of each kind, made by the command line."""
    made = {}

    def model(name):
        if name not in made:
            path = folder / f"{name.replace(' ', '_')}.littlestone"
            said(*data[name].command, "--model", path)
            made[name] = path
        return made[name]

    return model


@pytest.fixture(scope="module")
def certificates(data, folder):
    made = {}

    def certificate(name):
        if name not in made:
            path = folder / f"{name.replace(' ', '_')}.json"
            said(*data[name].command, "--certificate", path)
            made[name] = path
        return made[name]

    return certificate


def said(*arguments, code=0):
    """What a command prints; it must end with this code."""
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == code, (arguments, result.output, result.exception)
    return result.output.replace("\n    ", " ")  # a line that was wrapped


def events(kind, X):
    return list(X) if kind.rule else [{f"f{i}": float(v) for i, v in enumerate(row) if v} for row in X]


def loaded(kind, path):
    return ls.load(path, learner=kind.make if kind.name == "a learner of your own" else None)


class Cells:
    """One method for each verb: does it, from Python and from the command line."""

    def __init__(self, kind, data, models, certificates, folder):
        self.kind, self.data, self.folder = kind, data, folder
        self._model, self._certificate = models, certificates
        self.run = ls.play(kind.make(), data.X, data.y)

    @property
    def model(self):
        return self._model(self.kind.name)

    @property
    def certificate(self):
        return self._certificate(self.kind.name)

    def play(self):
        assert self.run.rounds == ROWS
        told = json.loads(said(*self.data.command, "--json"))
        assert told["rounds"] == ROWS
        if not self.kind.rule:
            assert told["mistakes"] == self.run.mistakes

    def one_event_at_a_time(self):
        model = self.kind.make().start()
        mistakes = 0
        for x, y in zip(events(self.kind, self.data.X), self.data.y, strict=True):
            mistakes += model.predict(x) != y
            model.update(x, y)
        assert (model.rounds, model.mistakes) == (ROWS, mistakes) == (ROWS, self.run.mistakes)

    def predict_a_batch(self):
        model = self.run.hypothesis
        batch = model.predict_many(self.data.X)
        assert len(batch) == ROWS and [model.predict(row) for row in self.data.X[:5]] == list(batch[:5])
        assert len(said("predict", self.model, self.data.file, *self.data.own, "--quiet").splitlines()) == ROWS

    def scores(self):
        model = self.run.hypothesis
        assert len(model.predict_many(self.data.X, scores=True)) == ROWS
        assert len(said("predict", self.model, self.data.file, "--scores", *self.data.own, "--quiet").splitlines()) == ROWS

    def watch(self):
        model = self.run.hypothesis
        watch = ls.watch(model, self.data.X, self.data.y)
        wrong = sum(model.predict(row) != label for row, label in zip(self.data.X, self.data.y, strict=True))
        assert (watch.rounds, watch.mistakes) == (ROWS, wrong) and watch.lower <= wrong / ROWS <= watch.upper
        assert json.loads(said("watch", self.model, self.data.file, *self.data.own, "--json", "--quiet"))["rounds"] == ROWS

    def save(self):
        path = self.folder / "saved.littlestone"
        self.run.hypothesis.save(path)
        assert path.stat().st_size > 0 and self.model.exists()

    def load(self):
        model = loaded(self.kind, self.model)
        assert model.rounds == ROWS and model.learner.name == self.run.learner.name

    def resume(self):
        half = ROWS // 2
        X, y = self.data.X, self.data.y
        first = ls.play(self.kind.make(), X[:half], y[:half], ledger=True).model
        whole = ls.play(first, X[half:], y[half:]).model
        assert (whole.rounds, whole.mistakes) == (ROWS, self.run.mistakes)
        path = self.folder / "resumed.littlestone"
        if self.kind.rule:
            said("experts", self.data.file, "--from", self.model, "--model", path, "--quiet")
        else:
            said("run", self.data.file, "--from", self.model, "--model", path, *self.data.own, "--quiet")
        assert loaded(self.kind, path).rounds == 2 * ROWS

    def show(self):
        assert self.run.learner.name in repr(self.run.hypothesis)
        assert f"{ROWS} rounds" in said("show", self.model)

    def explain(self):
        model = loaded(self.kind, self.model)
        x = events(self.kind, self.data.X)[3]
        assert model.explain(x).prediction == model.predict(x)
        assert "predicted" in said("explain", self.model, "--stream", self.data.file, "--round", 4, *self.data.own)

    def diff(self):
        model = loaded(self.kind, self.model)
        assert not model.diff(model)
        assert bool(model.diff(ls.play(self.kind.make(), self.data.X[:20], self.data.y[:20]).hypothesis))
        assert "the same" in said("diff", self.model, self.model, *self.data.own)

    def replay(self):
        run = ls.play(self.kind.make(), self.data.X, self.data.y, ledger=True)
        again = run.model.replay(stream=self.data.X, y=self.data.y)
        assert again.mistakes == run.mistakes
        assert "the same" in said("replay", self.model, "--stream", self.data.file, *self.data.own)

    def roll_back(self):
        run = ls.play(self.kind.make(), self.data.X, self.data.y, ledger=True)
        earlier = run.model.rollback(30, stream=self.data.X, y=self.data.y)
        assert earlier.rounds == 30 and earlier.mistakes == ls.play(self.kind.make(), self.data.X[:30], self.data.y[:30]).mistakes
        path = self.folder / "back.littlestone"
        said("rollback", self.model, 30, "--stream", self.data.file, "-o", path, *self.data.own)
        assert loaded(self.kind, path).rounds == 30

    def forget(self):
        run = ls.play(self.kind.make(), self.data.X, self.data.y, ledger=True)
        gone = run.model.forget(2, stream=self.data.X, y=self.data.y)
        assert gone.model.rounds == ROWS - 1
        assert "round 2" in said("forget", self.model, 2, "--stream", self.data.file, *self.data.own)

    def certify(self):
        cert = ls.certify(self.run, self.data.X, self.data.y)
        assert any(bound.limit is not None for bound in cert.bounds)
        assert json.loads(self.certificate.read_text("utf-8"))["counts"]["rounds"] == ROWS

    def verify(self):
        known = {"learner": self.kind.make} if self.data.own else {}
        verdict = ls.verify(ls.certify(self.run, self.data.X, self.data.y), self.data.X, self.data.y, replay=False, **known)
        assert verdict.status == "consistent" and not verdict.replayed
        assert "not replayed" in said("verify", self.certificate, self.data.file, "--no-replay", *self.data.own, code=3)

    def verify_with_replay(self):
        known = {"learner": self.kind.make} if self.data.own else {}
        verdict = ls.verify(ls.certify(self.run, self.data.X, self.data.y), self.data.X, self.data.y, replay=True, **known)
        assert verdict.replayed and verdict.status == "verified"
        assert "replayed" in said("verify", self.certificate, self.data.file, "--replay", *self.data.own)
        if self.data.own:
            assert "theorem of mine.py" in said("verify", self.certificate, self.data.file, "--replay", *self.data.own).splitlines()[0]
            said("verify", self.certificate, self.data.file, "--replay", code=3)

    def weights(self):
        heavy = ls.play(self.kind.make(), self.data.X, self.data.y, sample_weight=self.data.weights)
        assert heavy.weighted
        command = [part for part in self.data.command if part != "w"]
        del command[command.index("--ignore")]
        assert json.loads(said(*command, "--weight", "w", "--json"))["rounds"] == ROWS

    def several_passes(self):
        twice = ls.play(self.kind.make(), self.data.X, self.data.y, passes=2)
        assert twice.rounds == 2 * ROWS and twice.passes == 2
        both = ls.play(self.kind.make(), np.vstack([self.data.X, self.data.X]), [*self.data.y, *self.data.y])
        assert twice.mistakes == both.mistakes
        path = self.folder / "passes.json"
        said(*self.data.command, "--passes", 2, "--certificate", path)
        said("verify", path, self.data.file, "--replay", *self.data.own)

    def late_labels_by_delay(self):
        late = ls.play(self.kind.make(), self.data.X, self.data.y, delay=3)
        assert late.rounds == ROWS and late.delay == 3 and sorted(late.order) == list(range(ROWS))
        prompt = ls.play(self.kind.make(), self.data.X, self.data.y, delay=0)
        assert prompt.mistakes == self.run.mistakes
        path = self.folder / "late.json"
        said(*self.data.command, "--delay", 3, "--certificate", path)
        said("verify", path, self.data.file, "--replay", *self.data.own)

    def late_labels_by_id(self):
        """Every third label comes in a row of its own, five rounds later."""
        X, y, ids, labels = [], [], [], {}
        for t, row in enumerate(self.data.X):
            late = t % 3 == 0
            X.append(row)
            y.append(None if late else self.data.y[t])
            ids.append(f"r{t}")
            if late:
                labels[t + 5] = (f"r{t}", self.data.y[t])
            if t in labels:
                X.append(np.full_like(row, np.nan if self.kind.rule else 0))
                ids.append(labels[t][0])
                y.append(labels[t][1])
        run = ls.play(self.kind.make(), np.array(X), y, ids=ids)
        assert ROWS - 3 <= run.rounds <= ROWS and run.overlap >= 1
        path = self.folder / "by_id.csv"
        with path.open("w", newline="", encoding="utf-8") as out:
            table = csv.writer(out)
            table.writerow(
                ["truth" if self.kind.rule else "label", *(f"{'e' if self.kind.rule else 'f'}{i}" for i in range(self.data.width)), "id"]
            )
            for row, label, name in zip(X, y, ids, strict=True):
                empty = not np.nan_to_num(row).any()
                table.writerow(["" if label is None else label, *("" if empty else int(v) for v in row), name])
        if self.kind.rule:
            told = said("experts", path, "--truth", "truth", "--id", "id", "--rule", self.kind.option, "--quiet", "--json")
        else:
            learner = ["--learner", self.kind.option] if not self.kind.name.startswith("panel") else ["--members", "perceptron arow"]
            told = said("run", path, "--label", "label", "--id", "id", *learner, "--quiet", "--json")
        assert json.loads(told)["rounds"] == run.rounds

    def alarm(self):
        noise = random.Random(3)
        y = [noise.choice(self.kind.classes) for _ in self.data.y]
        run = ls.play(self.kind.make(), self.data.X, y, assume=self.kind.assume, alarm="stop", ledger=True)
        assert run.alarm is not None and run.model.rows == run.rounds
        quiet = ls.play(self.kind.make(), self.data.X[:1], self.data.y[:1], assume=self.kind.assume, alarm="report")
        assert quiet.alarm is None
        path = self.folder / "alarm.littlestone"
        told = said(*self.data.command, "--assume", self.kind.assume, "--alarm-report", "--model", path)
        assert "alarm" in told.lower() and path.exists()

    def alarm_of_a_change(self):
        """Twelve times the same rounds, and from the middle on other labels."""
        other = dict(zip(self.kind.classes, (*self.kind.classes[1:], self.kind.classes[0]), strict=True))
        X = np.concatenate([np.asarray(self.data.X)] * 12)
        y = [*list(self.data.y) * 6, *(other[label] for label in list(self.data.y) * 6)]
        run = ls.play(self.kind.make(), X, y, alarm="stop", ledger=True)
        assert 540 < run.alarm.round <= 1000 and run.alarm.chance <= 0.05 and run.model.rows == run.rounds
        assert "No alarm" in said(*self.data.command, "--alarm-report")

    def compare(self):
        entries = ls.compare({"first": self.kind.make(), "second": self.kind.make()}, self.data.X, self.data.y, shuffles=1)
        assert entries["first"].mistakes == entries["second"].mistakes is not None
        if self.kind.rule:
            told = said(
                "compare",
                self.data.file,
                "--rule",
                "adahedge",
                "--rule",
                "hedge",
                "--truth",
                "truth",
                "--experts",
                "e0,e1,e2,e3",
                "--quiet",
                "--json",
            )
        else:
            other = "perceptron" if len(self.kind.classes) == 2 else "multiclass_perceptron"
            named = self.kind.option if self.kind.name != "panel" else "panel"
            told = said(
                "compare",
                self.data.file,
                "--label",
                "label",
                "--ignore",
                "w",
                "--ignore",
                "id",
                "--learner",
                named,
                "--learner",
                other,
                "--quiet",
                "--json",
            )
        assert len(json.loads(told)["learners"]) >= 1


@pytest.mark.parametrize("verb", composition.VERBS)
@pytest.mark.parametrize("kind", composition.KINDS)
def test_a_cell(kind, verb, kinds, data, models, certificates, folder):
    cells = Cells(kinds[kind], data[kind], models, certificates, folder)
    do = getattr(cells, verb.replace(" ", "_"))
    if (kind, verb) not in composition.REFUSED:
        do()
        return
    with pytest.raises(ls.LittlestoneError) as refused:
        do()
    assert composition.REFUSED[kind, verb] in str(refused.value)


def test_the_page_is_what_the_table_says():
    page = Path(__file__).parents[1] / "docs" / "composition.md"
    assert page.read_text("utf-8") == composition.page(), "write it anew: python scripts/composition.py"


def test_nothing_is_refused_for_want_of_work():
    for reason in (*composition.REFUSED.values(), *composition.REMARKS.values()):
        assert "yet" not in reason.split() and "so far" not in reason
