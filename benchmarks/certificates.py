"""Certificates on real streams and on generated ones: mistakes, the best bound in hindsight, their ratio; all of them verified.

python benchmarks/certificates.py            the table (real streams where ../shared/data is there)
python benchmarks/certificates.py --speed    certify against a LinearSVC fit, verify against a plain parser, on the benchmark stream
python benchmarks/certificates.py --edits N  N random single-field edits, each with and without the digest made anew
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent))
sys.path.insert(0, str(Path(__file__).parent.parent / "scripts"))

import littlestone as ls
from forgery import accepted, edited, resealed

DATA = Path(__file__).parents[2] / "shared" / "data"


def words_of(path: Path, positive: str) -> tuple[list[set[str]], list[int]]:
    """A file of label TAB text: lower-cased words and marks, present or not."""
    lines = [line.partition("\t") for line in path.read_text(encoding="utf-8", errors="replace").splitlines() if "\t" in line]
    return [set(re.findall(r"\w+|[^\w\s]", text.lower())) for _, _, text in lines], [int(label == positive) for label, _, _ in lines]


def vw_of(path: Path) -> tuple[list[dict[str, float]], list[int]]:
    """VW text with `feature:value` pairs in one namespace."""
    X, y = [], []
    for line in path.read_text().splitlines():
        label, _, rest = line.partition("|")
        pairs = [token.partition(":") for token in rest.split()[0 if rest.startswith(" ") else 1 :]]
        X.append({name: float(value or 1) for name, _, value in pairs})
        y.append(int(float(label.split()[0]) > 0))
    return X, y


def generated(kind: str) -> tuple[Any, np.ndarray]:
    """Separable streams: a margin in 40 dimensions, and a disjunction of 5 of 300."""
    rng = np.random.default_rng(1988)
    if kind == "margin 0.05":
        u = rng.normal(size=40)
        u /= np.linalg.norm(u)
        X = rng.normal(size=(60_000, 40)).astype(np.float32)
        X /= np.linalg.norm(X, axis=1, keepdims=True)
        X = X[np.abs(X @ u) >= 0.05][:20_000]
        return X, X @ u > 0
    X = rng.random((20_000, 300)) < 0.03
    return X, X[:, :5].any(axis=1)


def streams() -> Iterator[tuple[str, Any, Any]]:
    for kind in ("margin 0.05", "disjunction 5 of 300"):
        yield f"generated, {kind}", *generated(kind)
    if not DATA.is_dir():
        print("../shared/data is not there: real streams are left out", file=sys.stderr)
        return
    yield "agaricus.txt.train", str(DATA / "agaricus" / "agaricus.txt.train"), None
    yield "reuters.trn", str(DATA / "reuters_tick" / "reuters.trn.gz"), None
    yield "rcv1_small.dat", *vw_of(DATA / "rcv1_vw" / "rcv1_small.dat")
    yield "sms_spam", *words_of(DATA / "sms_spam" / "SMSSpamCollection", "spam")
    polarity = DATA / "nltk_sentence_polarity" / "stream.tsv"
    first = polarity.read_text(encoding="utf-8").partition("\t")[0]
    yield "nltk_sentence_polarity", *words_of(polarity, "pos" if first in ("pos", "neg") else first)


def learner_for(name: str, X: Any) -> Any:
    if name != "winnow":
        return getattr(ls, name)()
    if isinstance(X, str):
        return ls.winnow()
    return ls.winnow(n=X.shape[1] if hasattr(X, "shape") else len({key for row in X for key in row}))


def table() -> None:
    print("| stream | learner | rounds | mistakes | bound in hindsight | limit | ratio | all bounds | certify s | verified |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for stream, X, y in streams():
        for name in ("perceptron", "winnow", "balanced_winnow"):
            learner, boolean = learner_for(name, X), name == "winnow"
            given = ls.open_stream(X, boolean=boolean) if isinstance(X, str) else X
            options = {} if isinstance(X, str) else {"boolean": boolean}
            run = ls.play(learner, given, y, **options)
            begun = time.perf_counter()
            cert = ls.certify(run, given, y, **options)
            seconds = time.perf_counter() - begun
            verdict = ls.verify(json.loads(json.dumps(cert.content)), X, y, replay=True)
            best = cert.best
            every = ", ".join(f"{b.name} {b.limit:,}" for b in cert.bounds)
            ratio = f"{best.limit / run.mistakes:.2f}" if run.mistakes else "-"
            row = [stream, name, f"{run.rounds:,}", f"{run.mistakes:,}", best.name, f"{best.limit:,}", ratio, every, f"{seconds:.2f}"]
            print(f"| {' | '.join(row)} | {'yes, replayed' if verdict.replayed and not verdict.unchecked else 'NO'} |", flush=True)


def speed(repeats: int = 3) -> None:
    from benchmarks.data import load
    from sklearn.svm import LinearSVC

    from littlestone.api.certify import look_at, rows_played
    from littlestone.api.sources import Choices
    from littlestone.witnesses.floor import floor_candidates

    data = load()
    X, y = data.float32, data.labels
    run = ls.play(ls.perceptron(), X, y)
    rows = rows_played(run, X, y, Choices())
    played = look_at(run, rows)
    C = 1 / float(played.squares.mean())
    fits, ours, plain, checks, machines, floors = [], [], [], [], [], []
    path = str(data.libsvm)
    filed = ls.play(ls.perceptron(), ls.open_stream(path))
    cert = ls.certify(filed, ls.open_stream(path))
    for _ in range(repeats):
        fits.append(timed(lambda: LinearSVC(C=C, loss="hinge", fit_intercept=False, random_state=0).fit(played.X, played.y)))
        ours.append(timed(lambda: ls.certify(run, X, y)))
        machines.append(timed(lambda: LinearSVC(C=1, loss="hinge", tol=1e-3, random_state=0).fit(X, y)))
        again = look_at(run, rows)
        floors.append(timed(lambda again=again: next(floor_candidates(again))))
    for _ in range(max(1, repeats - 1)):
        plain.append(timed(lambda: plain_parser(path)))
        checks.append(timed(lambda: ls.verify(cert, path)))
    print(cert)
    fit = f"LinearSVC on the {run.mistakes:,} mistake rounds {min(fits):.2f} s"
    print(f"certify {min(ours):.2f} s, {fit}: {min(ours) / min(fits):.2f}x (at most 3)")
    whole = f"LinearSVC(C=1, tol=1e-3) on all {run.rounds:,} rounds {min(machines):.2f} s"
    print(f"the floor's search {min(floors):.2f} s, {whole}: {min(floors) / min(machines):.2f}x (at most 3)")
    print(f"verify {min(checks):.1f} s, plain parser {min(plain):.1f} s: {min(checks) / min(plain):.2f}x (at most 2)")


def timed(action: Any) -> float:
    """Seconds of the processor: other work on the machine does not count."""
    begun = time.process_time()
    action()
    return time.process_time() - begun


def plain_parser(path: str) -> int:
    """What anyone would write first."""
    rows = 0
    with Path(path).open() as file:
        for line in file:
            label, *features = line.split()
            y, x = float(label), {}
            for feature in features:
                index, value = feature.split(":")
                x[int(index)] = float(value)
            rows += bool(y) or bool(x)
    return rows


def edits(count: int) -> None:
    """None may be accepted without a new digest; with one, only where nothing false is said."""
    rng, random = np.random.default_rng(0), Random(0)
    X = (rng.random((300, 12)) < 0.2).astype(np.float32)
    y = (X[:, 3] + X[:, 7] > 0) ^ (rng.random(300) < 0.05)
    names = ("perceptron", "winnow", "balanced_winnow", "passive_aggressive", "conjunctions", "disjunctions", "winnow_elimination", "pnorm")
    tried, passed = Counter(), Counter()
    for name in names:
        known = {"n": 12} if name.startswith("winnow") else {}
        run = ls.play(getattr(ls, name)(**known), X, y)
        base = json.loads(json.dumps(ls.certify(run, X, y, iid=0.05).content))
        for _ in range(count // len(names)):
            place, changed = edited(base, random)
            if changed == base:
                continue
            tried[name] += 1
            assert not accepted(changed, X, y), place
            if place != ("digest",) and accepted(resealed(changed), X, y):
                where = ".".join("*" if isinstance(step, int) else step for step in place)
                passed[f"{name}: {where}, by a replay {'accepted' if accepted(resealed(changed), X, y, replay=True) else 'refused'}"] += 1
    print(f"{sum(tried.values()):,} edits: none accepted as they are; with the digest made anew {sum(passed.values())} accepted:")
    for what, times in sorted(passed.items()):
        print(f"  {times} {what}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--speed", action="store_true")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--edits", type=int)
    chosen = parser.parse_args()
    speed(chosen.repeats) if chosen.speed else edits(chosen.edits) if chosen.edits else table()
