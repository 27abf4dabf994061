"""What the bounds are worth: for every learner and stream the mistakes, what the best rule found loses over all rounds, the price of not
knowing it, and what guessing the majority costs; and all of it again with the labels permuted, where nothing is to be learned.

python benchmarks/meaning.py [--learner NAME ...] [--stream WORD]      the table (real streams where ../shared/data is there)

A limit that is as good on permuted labels as on the real ones follows from the count of mistakes alone, and says nothing of the stream.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.certificates import DATA, generated, vw_of, words_of

import littlestone as ls
from littlestone import learners

HEAD = ("learner", "mistakes", "comparator's loss", "price", "limit", "majority", "bound", "permuted: mistakes", "its limit", "majority")


def streams() -> Iterator[tuple[str, Any, np.ndarray]]:
    """Each with a name, rows and labels."""
    for kind in ("margin 0.05", "disjunction 5 of 300"):
        yield f"generated, {kind}", *generated(kind)
    if not DATA.is_dir():
        print("../shared/data is not there: real streams are left out", file=sys.stderr)
        return
    from sklearn.datasets import load_svmlight_file

    for name, path in (("agaricus", DATA / "agaricus" / "agaricus.txt.train"), ("reuters", DATA / "reuters_tick" / "reuters.trn.gz")):
        X, y = load_svmlight_file(str(path), dtype=np.float32)
        yield name, X, y > 0
    X, y = vw_of(DATA / "rcv1_vw" / "rcv1_small.dat")
    yield "rcv1", X, np.array(y) > 0
    X, y = words_of(DATA / "sms_spam" / "SMSSpamCollection", "spam")
    yield "sms", X, np.array(y) > 0


#: What is made of learners, and learners of a class of concepts, over n features.
OTHERS: dict[str, Callable[[int], Any]] = {
    "halving": lambda n: ls.halving("dictators", n=n),
    "halving, agnostic": lambda n: ls.halving("dictators", n=n, agnostic=True),
    "optimal": lambda n: ls.optimal("dictators", n=n),
    "conservative of normalized": lambda n: ls.conservative(ls.normalized(bias=1)),
    "one_vs_rest of perceptron": lambda n: ls.one_vs_rest(ls.perceptron(bias=1)),
    "all_pairs of perceptron": lambda n: ls.all_pairs(ls.perceptron(bias=1)),
    "multiclass_perceptron": lambda n: ls.multiclass_perceptron(),
    "banditron": lambda n: ls.banditron(),
    "panel": lambda n: ls.panel(),
    "class_panel": lambda n: ls.class_panel(),
}


def learner_for(name: str, X: Any) -> Any:
    """The learner as it comes, with a bias where it may have one, and with the number of features where it needs it."""
    n = X.shape[1] if hasattr(X, "shape") else len({key for row in X for key in row})
    if name in OTHERS:
        return OTHERS[name](n)
    known = learners.described(name)
    settings: dict[str, Any] = {"bias": 1} if "bias" in known.settings else {}
    if "n" in known.settings:
        settings["n"] = n
    return getattr(ls, name)(**settings)


def outcome(name: str, X: Any, y: np.ndarray) -> tuple[Any, Any] | str:
    """The run and its best bound that compares; or why the learner cannot play this stream."""
    try:
        learner = learner_for(name, X)
        boolean = getattr(learner.family, "domain", "") == "boolean"
        run = ls.play(learner, X, y, boolean=boolean)
        return run, ls.certify(run, X, y, boolean=boolean).best
    except (ls.LittlestoneError, TypeError) as reason:
        return str(reason)


def row_of(name: str, X: Any, y: np.ndarray) -> list[str]:
    done = outcome(name, X, y)
    if isinstance(done, str):
        return [name, *["-"] * (len(HEAD) - 2), done.partition("\n")[0][:120]]
    run, best = done
    permuted = outcome(name, X, np.random.default_rng(1988).permutation(y))
    cells = ["-"] * 3 if best is None else [f"{round(part):,}" for part in (best.comparator_loss, best.price, best.limit)]
    noise = ["-"] * 3
    if not isinstance(permuted, str):
        other, bound = permuted
        noise = [f"{other.mistakes:,}", "-" if bound is None else f"{bound.limit:,}", f"{other.baselines['majority']:,}"]
    name_of_bound = "none that compares" if best is None else best.name
    return [name, f"{run.mistakes:,}", *cells, f"{run.baselines['majority']:,}", name_of_bound, *noise]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--learner", action="append", help="only this one; may be given several times")
    parser.add_argument("--stream", default="", help="only streams with this word in their names")
    options = parser.parse_args()
    for stream, X, y in streams():
        if options.stream not in stream:
            continue
        print(f"\n### {stream}: {len(y):,} rounds\n\n| {' | '.join(HEAD)} |\n|{'---|' * len(HEAD)}", flush=True)
        for name in options.learner or dict.fromkeys([*learners.names(), *OTHERS]):
            print(f"| {' | '.join(row_of(name, X, y))} |", flush=True)


if __name__ == "__main__":
    main()
