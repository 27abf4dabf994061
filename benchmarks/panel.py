"""Progressive mistakes of `littlestone run FILE`, as it is, against the best of five Vowpal Wabbit settings on the same files.

    python benchmarks/panel.py [--data FOLDER] [--learner NAME] [NAME ...]
    python benchmarks/panel.py --log-loss [NAME ...]   # its forecasts against VW's three logistic settings, in nats a round
    python benchmarks/panel.py --auc [NAME ...]        # its forecasts against the best of its members, each alone
    python benchmarks/panel.py --auc coin coin-long    # the same where labels are drawn by a coin; played only where they are named
    python benchmarks/panel.py --weights [NAME ...]    # recall where positives weigh four times as much, beside VW's
    python benchmarks/panel.py --cost [NAME ...]       # what the panel costs beside its members' single runs, on all cores

The streams are made of the folders in ../shared/data; what is not there is skipped, and said so.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import io
import json
import random
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice
from math import exp, log
from pathlib import Path
from statistics import median

DATA = Path(__file__).resolve().parent.parent.parent / "shared" / "data"
LOGISTIC = ("--loss_function logistic", "--loss_function logistic --ftrl", "--loss_function logistic --coin")
SETTINGS = ("--loss_function hinge", "--loss_function logistic", "--loss_function squared", "--ftrl", "--coin")


def texts(path: Path, positive: str) -> Iterator[str]:
    """Lines of a label, a tab and text, as VW text: how often each word occurs, in lower case."""
    for line in path.read_text(encoding="utf-8").splitlines():
        label, _, text = line.partition("\t")
        words = Counter(re.findall(r"\w+", text.lower()))
        yield f"{1 if label == positive else -1} | " + " ".join(w if n == 1 else f"{w}:{n}" for w, n in words.items())


def nouns(path: Path) -> Iterator[str]:
    """Is this word a noun: itself, the words beside it, and its last one, two and three letters, each in a namespace."""
    for sentence in path.read_text(encoding="utf-8").split("\n\n"):
        rows = [line.split("\t") for line in sentence.splitlines() if line]
        words = [row[0].lower().replace(":", "<colon>").replace("|", "<bar>").replace(" ", "_") for row in rows]
        for i, (word, row) in enumerate(zip(words, rows, strict=True)):
            before, after = words[i - 1] if i else "<s>", words[i + 1] if i + 1 < len(words) else "</s>"
            ends = " ".join(f"{k}{word[-k:]}" for k in (1, 2, 3) if k <= len(word))
            yield f"{1 if row[1] == 'NOUN' else -1} |w {word} |p {before} |n {after} |s {ends}"


def flights(path: Path, most: int = 100_000) -> Iterator[str]:
    """Was a flight more than a quarter of an hour late: numbers as they are, words as they stand."""
    text = gzip.decompress(path.read_bytes()).decode()
    for row in islice(csv.DictReader(io.StringIO(text)), most):
        late = float(row.pop("arr_delay")) > 15
        cells = (f"{name}:{value}" if value.isdigit() else f"{name}={value}" for name, value in row.items())
        yield f"{1 if late else -1} | " + " ".join(cells)


def income(rounds: int, seed: int, drift: int = 0) -> Iterator[str]:
    """A table like that of a census: numbers of many sizes, words, few positives; with `drift` the truth changes after so many rounds."""
    rng = random.Random(seed)
    words, scales, middles = (9, 16, 7, 15, 6, 5, 2, 42), (10, 1e5, 2.5, 3000, 400, 12), (38, 2e5, 10, 0, 0, 40)
    for t in range(rounds):
        if t == 0 or (drift and t % drift == 0):
            effects, slopes = [[rng.gauss(0, 0.8) for _ in range(n)] for n in words], [rng.gauss(0, 0.7) for _ in scales]
        z = [rng.gauss(0, 1) for _ in scales]
        picks = [min(n - 1, int(rng.expovariate(0.357))) for n in words]
        odds = -1.5 + sum(effect[k] for effect, k in zip(effects, picks, strict=True)) + sum(a * b for a, b in zip(slopes, z, strict=True))
        odds += 0.8 * z[0] * (picks[0] == 1) - 0.4 * z[2] ** 2
        values = [max(0.0, s * (v - 1.2)) if m == 0 else m + s * v for s, m, v in zip(scales, middles, z, strict=True)]
        cells = [f"n{k}:{v:.6g}" for k, v in enumerate(values) if v] + [f"c{k}={pick}" for k, pick in enumerate(picks)]
        yield f"{1 if rng.random() < 1 / (1 + exp(-odds)) else -1} | {' '.join(cells)}"


def turning(rounds: int, seed: int) -> Iterator[str]:
    """A linear rule that turns a little each round, with noise."""
    rng = random.Random(seed)
    w = [rng.gauss(0, 1) for _ in range(20)]
    for _ in range(rounds):
        w, x = [a + 0.01 * rng.gauss(0, 1) for a in w], [rng.uniform(-1, 1) for _ in w]
        y = sum(a * b for a, b in zip(w, x, strict=True)) + 0.5 * rng.gauss(0, 1) > 0
        yield f"{1 if y else -1} | " + " ".join(f"f{k}:{v:.5f}" for k, v in enumerate(x))


def coin(rounds: int, seed: int) -> Iterator[str]:
    """Labels drawn by a coin beside eight columns that say nothing about them."""
    rng = random.Random(seed)
    for _ in range(rounds):
        yield f"{rng.choice((1, -1))} | " + " ".join(f"f{k}:{rng.gauss(0, 1):.4f}" for k in range(8))


def svm_lines(text: str) -> Iterator[str]:
    """libsvm as VW text."""
    for line in text.splitlines():
        label, _, features = line.split("#")[0].strip().partition(" ")
        yield f"{1 if float(label) > 0 else -1} | {features}"


#: For each stream, where it comes from and what makes the file of it; the file that VW reads is VW text.
STREAMS: dict[str, tuple[str, Callable[[Path], str | Iterator[str]]]] = {
    "agaricus": ("agaricus/agaricus.txt.train", Path.read_text),
    "reuters": ("reuters_tick/reuters.trn.gz", lambda path: gzip.decompress(path.read_bytes()).decode()),
    "rcv1": ("rcv1_vw/rcv1_small.dat", lambda path: iter(path.read_text().splitlines())),
    "sms": ("sms_spam/SMSSpamCollection", lambda path: texts(path, "spam")),
    "polarity": ("nltk_sentence_polarity/stream.tsv", lambda path: texts(path, "+1")),
    "nouns": ("ud_ewt/ewt_tokens.tsv", nouns),
    "flights": ("nycflights13/flights.csv.gz", flights),
    "income": ("", lambda _: income(30_000, 1)),
    "shifting": ("", lambda _: income(20_000, 2, drift=5_000)),
    "turning": ("", lambda _: turning(20_000, 3)),
    "coin": ("", lambda _: coin(2_000, 5)),
    "coin-long": ("", lambda _: coin(20_000, 5)),
}
PLAYED = [name for name in STREAMS if not name.startswith("coin")]


def make(name: str, data: Path, folder: Path) -> tuple[Path, Path] | None:
    """The stream's file for littlestone and for VW, the same unless it is libsvm; None where the data are absent."""
    source, maker = STREAMS[name]
    if not (data / source).exists():
        return None
    made = maker(data / source)
    vw = folder / f"{name}.vw"
    vw.write_text("".join(f"{line}\n" for line in (svm_lines(made) if isinstance(made, str) else made)))
    if not isinstance(made, str):
        return vw, vw
    ours = folder / f"{name}.libsvm"
    ours.write_text(made)
    return ours, vw


def vw_mistakes(path: Path) -> dict[str, int]:
    """Progressive mistakes of one pass of each setting."""
    import vowpalwabbit

    results = {}
    for setting in SETTINGS:
        peer = vowpalwabbit.Workspace(f"-d {path} -b 22 --binary --quiet --no_stdin {setting}")
        results[setting.split()[-1].lstrip("-")] = round(peer.get_sum_loss())
        peer.finish()
    return results


def vw_log_losses(path: Path) -> dict[str, float]:
    """Progressive log-loss of one pass of each logistic setting, in nats a round."""
    import vowpalwabbit

    results = {}
    for setting in LOGISTIC:
        peer = vowpalwabbit.Workspace(f"-d {path} -b 22 --quiet --no_stdin {setting}")
        results[setting.split()[-1].lstrip("-")] = peer.get_sum_loss() / peer.get_weighted_examples()
        peer.finish()
    return results


def by_log_loss(name: str, ours: Path, theirs: Path, options: list[str]) -> float:
    """The ratio of log-losses, with a line about it."""
    run, peer = our_run(ours, options), vw_log_losses(theirs)
    loss, best = run["metrics"]["log_loss"], min(peer.values())
    calibration, others = run["metrics"]["calibration"], ", ".join(f"{setting} {value:.4f}" for setting, value in peer.items())
    print(f"{name:10} {loss:.4f} nats a round, VW {best:.4f}, ratio {loss / best:.3f}   ({others})")
    print(f"{'':10} calibration error {calibration['error']:.4f}, by chance {calibration['by_chance']:.4f}", flush=True)
    return loss / best


def by_auc(name: str, path: Path) -> float:
    """By how much the panel's AUC is above the best member's, with a line about it."""
    import littlestone as ls

    panel = ls.panel()
    auc = {
        text: ls.play(learner, ls.open_stream(path), metrics=True, predictions=False).metrics.auc or 0.0
        for text, learner in zip(("panel", *panel.names), (panel, *panel.members), strict=False)
    }
    ours = auc.pop("panel")
    best = max(auc, key=auc.__getitem__)
    print(f"{name:10} AUC {ours:.4f}, best member {auc[best]:.4f} ({best}), {ours - auc[best]:+.4f}", flush=True)
    return ours - auc[best]


def vw_recall(path: Path, setting: str) -> float:
    """Of the positives, how many VW takes for positive before it is told."""
    import vowpalwabbit

    answers = path.with_suffix(".answers")
    peer = vowpalwabbit.Workspace(f"-d {path} -b 22 --binary --quiet --no_stdin -p {answers} {setting}")
    peer.finish()
    truths = [line.startswith("1 ") for line in path.read_text().splitlines()]
    hits = [float(line.split()[0]) > 0 for line in answers.read_text().splitlines()]
    return sum(hit for hit, truth in zip(hits, truths, strict=True) if truth) / sum(truths)


def by_weights(name: str, path: Path, weight: int = 4) -> None:
    """Recall before and after positives weigh so much, and what it costs, with lines about it."""
    heavy = path.with_name(f"{name}-{weight}.vw")
    heavy.write_text(
        "".join(f"1 {weight} {line[2:]}\n" if line.startswith("1 ") else f"{line}\n" for line in path.read_text().splitlines())
    )
    runs = {
        "": our_run(path, []),
        f", positives weigh {weight}": our_run(heavy, []),
        f", --cost 1:{weight}": our_run(path, ["--cost", f"1:{weight}"]),
    }
    for words, run in runs.items():
        print(f"{name:10} recall {run['metrics']['recall']:.3f}, precision {run['metrics']['precision']:.3f}: the panel{words}")
        if point := run.get("operating"):
            positives = run["false_negatives"] / (1 - run["metrics"]["recall"])
            print(f"{'':10} recall {1 - point['false_negatives'] / positives:.3f} at the operating point, cost {point['cost']:,.0f}")
    for setting in LOGISTIC[:1] + SETTINGS[:1]:
        before, after = vw_recall(path, setting), vw_recall(heavy, setting)
        print(f"{'':10} recall {before:.3f} to {after:.3f}: vw {setting}", flush=True)


def our_run(path: Path, options: list[str]) -> dict:
    command = [sys.executable, "-m", "littlestone", "run", str(path), "--json", "--quiet", *options]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def beside_members(run: dict) -> str:
    """The panel beside its best member, and the least limit of its bounds."""
    limit = min(bound["limit"] for bound in run["bounds"] if bound["limit"] is not None)
    if "members" not in run:
        return f"bound {limit:,}"
    best = min(run["members"], key=lambda member: member["mistakes"])
    blend = min(run["blends"], key=lambda member: member["mistakes"], default=best)
    return (
        f"{run['mistakes'] / best['mistakes']:.3f} of the best member ({best['name']} {best['mistakes']:,}), "
        f"{run['mistakes'] / blend['mistakes']:.3f} of the best blend ({blend['name']} {blend['mistakes']:,}), bound {limit:,}"
    )


def cost(name: str, path: Path, repeats: int = 5) -> None:
    """The panel, and each of its members alone, over the same file; and over the same rounds in memory."""
    import littlestone as ls
    from measure import interleaved

    panel = ls.panel()
    kept = [block.copy() for block in ls.open_stream(path).lent_blocks(None)]
    for what, source in (("file", lambda: ls.open_stream(path)), ("memory", lambda: kept)):
        contenders = {"panel": lambda source=source: ls.play(panel, source())}
        for text, member in zip(panel.names, panel.members, strict=False):
            contenders[text] = lambda member=member, source=source: ls.play(member, source())
        seconds = interleaved(contenders, repeats)
        alone = sum(times for text, times in seconds.items() if text != "panel")
        ratios = seconds["panel"] / alone
        slowest = max((text for text in seconds if text != "panel"), key=lambda text: median(seconds[text]))
        print(
            f"{name:10} {what:6} panel {1e3 * median(seconds['panel']):7,.0f} ms, its {len(panel.members)} members alone "
            f"{1e3 * median(alone):7,.0f} ms: {median(ratios):.2f} ({min(ratios):.2f}-{max(ratios):.2f}); "
            f"slowest {slowest} {1e3 * median(seconds[slowest]):,.0f} ms"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", default=PLAYED, metavar="NAME", help="which streams; all but the coins unless given")
    parser.add_argument("--data", type=Path, default=DATA, help="the folder of folders")
    parser.add_argument("--learner", help="instead of the default of littlestone run")
    parser.add_argument("--log-loss", action="store_true", help="compare the log-loss of the forecasts instead")
    parser.add_argument("--auc", action="store_true", help="compare the AUC of the forecasts with the members' instead")
    parser.add_argument("--weights", action="store_true", help="compare the recall where positives weigh four times as much instead")
    parser.add_argument("--cost", action="store_true", help="time it beside its members instead")
    given = parser.parse_args()
    options = ["--learner", given.learner] if given.learner else []
    ratios: list[float] = []
    ahead: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        for name in given.names:
            files = make(name, given.data, Path(folder))
            if files is None:
                print(f"{name:10} skipped: no {given.data / STREAMS[name][0]}")
                continue
            if given.cost:
                cost(name, files[0])
                continue
            if given.weights:
                by_weights(name, files[1])
                continue
            if given.auc:
                ahead.append(by_auc(name, files[0]))
                continue
            if given.log_loss:
                ratios.append(by_log_loss(name, *files, options))
                continue
            peer = vw_mistakes(files[1])
            best = min(peer.values())
            run = our_run(files[0], options)
            ours = run["mistakes"]
            ratios.append(ours / best)
            others = ", ".join(f"{setting} {count:,}" for setting, count in peer.items())
            print(f"{name:10} {ours:6,} mistakes, VW {best:6,}, ratio {ours / best:.3f}   ({others})")
            print(f"{'':10} {beside_members(run)}", flush=True)
    if ahead:
        print(f"AUC beside the best member: at least {min(ahead):+.4f}")
    if ratios:
        print(f"geometric mean of {len(ratios)} ratios {exp(sum(map(log, ratios)) / len(ratios)):.3f}, largest {max(ratios):.3f}")


if __name__ == "__main__":
    main()
