"""Several classes: our passes and scikit-learn's partial_fit (one against the rest inside) over one stream, in turn, in one process.

    python benchmarks/classes.py [TIMES]
    python benchmarks/classes.py --vw [NAME ...]      # mistakes of the plain panel against the best of five `vw --oaa` settings

The streams of `--vw` are the parts of speech of ud_ewt (../shared/data), scikit-learn's digits, and made ones: texts, normal draws, a
tree, sizes of many orders. Those where the panel is short (docs/several_classes.md) are played only where they are named.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator
from math import exp, log
from pathlib import Path
from statistics import median
from time import perf_counter

import numpy as np
import scipy.sparse as sp

ROWS, COLUMNS, CLASSES, WORDS, SEED = 50_000, 50_000, 20, 60, 1988


def stream(rows: int = ROWS) -> tuple[sp.csr_matrix, np.ndarray]:
    """Text-like rows: words by a Zipf law, each class with favourite words of its own."""
    rng = np.random.default_rng(SEED)
    popularity = np.cumsum(1 / np.arange(1, COLUMNS + 1))
    labels = rng.integers(0, CLASSES, rows)
    common = np.searchsorted(popularity / popularity[-1], rng.random((rows, WORDS)))
    favourites = rng.integers(0, COLUMNS, (CLASSES, 300))
    own = favourites[labels[:, None], rng.integers(0, 300, (rows, WORDS // 6))]
    columns = np.concatenate([np.minimum(common, COLUMNS - 1), own], axis=1)
    X = sp.csr_matrix((np.ones(columns.size, np.float32), (np.repeat(np.arange(rows), columns.shape[1]), columns.ravel())), (rows, COLUMNS))
    X.sum_duplicates()
    X.data = (X.data / np.sqrt(np.add.reduceat(X.data**2, X.indptr[:-1])).repeat(np.diff(X.indptr))).astype(np.float32)
    return X, labels


def contenders(X: sp.csr_matrix, labels: np.ndarray) -> dict:
    """Each as a function that plays the whole stream once."""
    from sklearn.linear_model import Perceptron, SGDClassifier

    import littlestone as ls

    doubles, classes = X.astype(np.float64), np.unique(labels)
    return {
        "littlestone multiclass_perceptron": lambda: ls.play(ls.multiclass_perceptron(), X, labels).mistakes,
        "littlestone one_vs_rest(perceptron)": lambda: ls.play(ls.one_vs_rest(ls.perceptron()), X, labels).mistakes,
        "scikit-learn Perceptron.partial_fit": lambda: Perceptron(shuffle=False).partial_fit(doubles, labels, classes),
        "scikit-learn SGDClassifier(hinge).partial_fit": lambda: SGDClassifier(shuffle=False).partial_fit(doubles, labels, classes),
    }


def several_classes(times: int = 5) -> list[tuple[str, float, float, object]]:
    """(who, median seconds of a pass, ratio to the slowest of ours, progressive mistakes where it tells)."""
    X, labels = stream()
    played = contenders(X, labels)
    said, seconds = {}, {name: [] for name in played}
    for name, act in played.items():
        said[name] = act()  # compiles, and warms up
    for _ in range(times):
        for name, act in played.items():
            begun = perf_counter()
            act()
            seconds[name].append(perf_counter() - begun)
    base = median(seconds["littlestone multiclass_perceptron"])
    return [(name, median(s), median(s) / base, said[name] if isinstance(said[name], int) else "") for name, s in seconds.items()]


# ---- mistakes beside Vowpal Wabbit's ----

DATA = Path(__file__).resolve().parent.parent.parent / "shared" / "data"
SETTINGS = ("--loss_function hinge", "--loss_function logistic", "--loss_function squared", "--ftrl", "--coin")
Lines = Iterator[tuple[object, str]]  # a label, and features as VW text


def tags(most: int = 50_000) -> Lines:
    """Parts of speech: the word, those beside it, and its last letters."""
    rows = 0
    for sentence in (DATA / "ud_ewt" / "ewt_tokens.tsv").read_text(encoding="utf-8").split("\n\n"):
        tokens = [line.split("\t") for line in sentence.splitlines() if line]
        words = [token[0].lower().replace(":", "<colon>").replace("|", "<bar>").replace(" ", "_") for token in tokens]
        for i, (word, token) in enumerate(zip(words, tokens, strict=True)):
            before, after = words[i - 1] if i else "<s>", words[i + 1] if i + 1 < len(words) else "</s>"
            ends = " ".join(f"{k}{word[-k:]}" for k in (1, 2, 3) if k <= len(word))
            yield token[1], f"|w {word} |p {before} |n {after} |s {ends}"
        rows += len(tokens)
        if rows >= most:
            return


def dense(X: np.ndarray, y: np.ndarray) -> Lines:
    return ((label, "| " + " ".join(f"{i}:{v:.6g}" for i, v in enumerate(row) if v)) for row, label in zip(X, y.tolist(), strict=True))


def digits() -> Lines:
    from sklearn.datasets import load_digits

    X, y = load_digits(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))
    return dense(X[order], y[order])


def texts(classes: int, rows: int, words: int, seed: int, drift: bool = False) -> Lines:
    """Words by a Zipf law, a quarter of them favourites of the class; with drift these change four times."""
    rng = np.random.default_rng(seed)
    shares = np.cumsum(1 / np.arange(1, 10_001) ** 1.05)
    favourites = rng.integers(0, 10_000, (classes, 120))
    for t in range(rows):
        if drift and t and t % (rows // 5) == 0:
            favourites = np.where(rng.random(favourites.shape) < 0.4, rng.integers(0, 10_000, favourites.shape), favourites)
        y, size = int(rng.integers(classes)), max(3, int(rng.poisson(words)))
        own = favourites[y, (120 * rng.random(size // 4) ** 2).astype(int)]
        common = np.searchsorted(shares / shares[-1], rng.random(size - size // 4))
        yield y, "| " + " ".join(f"w{w}:{n}" for w, n in zip(*np.unique(np.concatenate([own, common]), return_counts=True), strict=True))


def normal(classes: int, rows: int, columns: int, seed: int) -> Lines:
    rng = np.random.default_rng(seed)
    means, y = rng.normal(size=(classes, columns)) * 0.6, rng.integers(0, classes, rows)
    return dense((means[y] + rng.normal(size=(rows, columns))) * 10.0 ** rng.integers(-2, 3, columns), y)


def sizes(classes: int, rows: int, columns: int, seed: int) -> Lines:
    """e to the power of normal draws: sizes that span many orders."""
    rng = np.random.default_rng(seed)
    means, spreads, y = rng.normal(size=(classes, columns)), rng.uniform(0.5, 1.5, columns), rng.integers(0, classes, rows)
    return dense(np.exp(spreads * (means[y] + rng.normal(size=(rows, columns))) + 2 * rng.normal(size=columns)), y)


def tree(classes: int, rows: int, seed: int, depth: int = 5, columns: int = 10) -> Lines:
    rng = np.random.default_rng(seed)
    X, columns_of, cuts = rng.random((rows, columns)), rng.integers(0, columns, 2**depth), 0.2 + 0.6 * rng.random(2**depth)
    node = np.ones(rows, int)
    for _ in range(depth):
        node = 2 * node + (X[np.arange(rows), columns_of[node]] > cuts[node])
    return dense(X, rng.integers(0, classes, 2**depth)[node - 2**depth])


def logistic(classes: int, rows: int, features: int, seed: int, noise: float = 1.0, cells: int = 0) -> Lines:
    """The largest of linear scores with noise; of normal draws, or where `cells` are said of so many words by a Zipf law."""
    rng = np.random.default_rng(seed)
    W, shares = rng.normal(size=(features, classes)) * (2 if cells else 1), np.cumsum(1 / np.arange(1, features + 1))
    for _ in range(rows):
        x = rng.normal(size=features)
        if cells:
            x = np.isin(np.arange(features), np.searchsorted(shares / shares[-1], rng.random(cells))).astype(float)
        y = int((x @ W + noise * rng.gumbel(size=classes)).argmax())
        yield y, "| " + " ".join(f"f{i}:{x[i]:.5g}" if x[i] != 1 else f"f{i}" for i in np.flatnonzero(x))


def table(classes: int, rows: int, seed: int, sizes: tuple[int, ...] = (6, 10, 20, 4, 8)) -> Lines:
    """Categories, each with a word in favour of each class, and noise."""
    rng = np.random.default_rng(seed)
    effects = [1.5 * rng.normal(size=(size, classes)) for size in sizes]
    for _ in range(rows):
        picks = [int(rng.integers(size)) for size in sizes]
        scores = sum(effect[k] for effect, k in zip(effects, picks, strict=True)) + rng.gumbel(size=classes)
        yield int(np.argmax(scores)), "| " + " ".join(f"c{j}={k}" for j, k in enumerate(picks))


STREAMS: dict[str, Callable[[], Lines]] = {
    "tags": tags,
    "digits": digits,
    "texts 5": lambda: texts(5, 6_000, 30, 1),
    "texts 20": lambda: texts(20, 8_000, 40, 2),
    "drift 8": lambda: texts(8, 8_000, 20, 3, drift=True),
    "normal 4": lambda: normal(4, 6_000, 10, 4),
    "normal 10": lambda: normal(10, 8_000, 20, 5),
    "tree 6": lambda: tree(6, 8_000, 6),
    "sizes 5": lambda: sizes(5, 6_000, 8, 7),
    "sparse 3": lambda: logistic(3, 3_000, 1_500, 21, cells=10),
    "sparse 10": lambda: logistic(10, 4_000, 2_000, 22, cells=10),
    "sparse 30": lambda: logistic(30, 5_000, 2_000, 23, cells=12),
    "noise 4": lambda: logistic(4, 1_500, 6, 28, noise=3.0),
    "table 7": lambda: table(7, 4_000, 34),
    "chance 3": lambda: dense(np.random.default_rng(1).normal(size=(1_000, 6)), np.random.default_rng(2).integers(0, 3, 1_000)),
    "chance 3 long": lambda: dense(np.random.default_rng(1).normal(size=(16_000, 6)), np.random.default_rng(2).integers(0, 3, 16_000)),
}
PLAYED = list(STREAMS)[:9]


def beside_vw(name: str, folder: Path) -> float:
    """Our mistakes divided by those of the best setting, in one line with the times."""
    import vowpalwabbit

    import littlestone as ls

    path, codes, rows = folder / "stream.vw", {}, []
    for label, features in STREAMS[name]():
        rows.append(f"{codes.setdefault(label, len(codes)) + 1} {features}\n")
    path.write_text("".join(rows), encoding="utf-8")
    begun, mistakes = perf_counter(), {}
    for setting in SETTINGS:
        peer = vowpalwabbit.Workspace(f"-d {path} -b 22 --oaa {len(codes)} --quiet --no_stdin {setting}")
        mistakes[setting.split()[-1].lstrip("-")] = round(peer.get_sum_loss())
        peer.finish()
    theirs, best = perf_counter() - begun, min(mistakes.values())
    ls.play(ls.panel(), ls.open_stream(path))  # compiles, and warms up
    begun = perf_counter()
    run = ls.play(ls.panel(), ls.open_stream(path))
    ours = perf_counter() - begun
    counts = f"{run.mistakes:6,} mistakes, VW {best:6,}, ratio {run.mistakes / best:.3f}"
    print(f"{name:10} {counts}; {ours:.2f} s, VW {theirs:.2f} s   {mistakes}", flush=True)
    return run.mistakes / best


def against_vw(names: list[str]) -> None:
    ratios = []
    with tempfile.TemporaryDirectory() as folder:
        for name in names or PLAYED:
            if name == "tags" and not DATA.exists():
                print("tags skipped: no ../shared/data")
                continue
            ratios.append(beside_vw(name, Path(folder)))
    print(f"geometric mean of {len(ratios)} ratios {exp(sum(map(log, ratios)) / len(ratios)):.3f}, largest {max(ratios):.3f}")


if __name__ == "__main__":
    if "--vw" in sys.argv:
        against_vw([name for name in sys.argv[1:] if name != "--vw"])
        sys.exit()
    X, _ = stream()
    print(f"{ROWS:,} rows, {COLUMNS:,} columns, {X.nnz:,} non-zeros, {CLASSES} classes")
    for name, s, ratio, mistakes in several_classes(int(sys.argv[1]) if len(sys.argv) > 1 else 5):
        print(f"{name:48} {s:8.3f} s  {ratio:6.2f} x  {mistakes}")
