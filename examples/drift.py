"""A stream whose target changes halfway, and a panel whose rule follows the change.

    python examples/drift.py --out drift.png

In the first half three of 200 features make a disjunction, which Winnow finds; in the second all features vote, which suits the Perceptron.
AdaHedge trusts whoever has erred least so far, so it takes a long time to leave Winnow. Fixed share lets every weight give a little
away in each round, and competes with the best sequence of members: its bound is about Winnow first and the Perceptron then. It speaks of
the vote of the members, so the panels predict by that.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np

import littlestone as ls
from littlestone.errors import LittlestoneError
from littlestone.witnesses.experts import best_path

MEMBERS = ["winnow:n=200", "perceptron:bias=1"]
# One change is expected in 6,000 rounds: α = S/T, and η near the √(8·((S+1)·ln 2 + ln T + 1)/T) = 0.12 that makes the bound least
RULES = {"adahedge": "adahedge", "fixed share": "fixed_share:alpha=1/6000:eta=1/10"}
STEP = 50  # rounds between two points of the figure
COLOURS = {"winnow:n=200": "#1f6fb4", "perceptron:bias=1": "#d9660a", "adahedge": "#777777", "fixed share": "#222222"}


def drifting(T: int = 6000, n: int = 200, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Boolean rows; the label is an OR of three features in the first half, a weighted vote of all in the second."""
    rng = np.random.default_rng(seed)
    X = (rng.random((T, n)) < 0.5).astype(np.float32)
    u = rng.choice([-1.0, 1.0], n)
    many = (2 * X - 1) @ u > 0
    return X, np.where(np.arange(T) < T // 2, X[:, :3].max(axis=1) > 0, many).astype(int)


def best_with_one_change(wrong: np.ndarray) -> np.ndarray:
    """After each round, the mistakes of the best sequence of members that changes once at most. A column a member, 1 for a mistake."""
    made = np.cumsum(wrong, axis=0)
    before = np.vstack([np.zeros((1, wrong.shape[1]), int), made[:-1]])
    # Whoever is followed last has made made[t] - made[s] since round s, and the best until then min(made[s])
    return (made + np.minimum.accumulate(before.min(axis=1, keepdims=True) - before, axis=0)).min(axis=1)


def followed(panel: Any, X: np.ndarray, y: np.ndarray) -> tuple[Any, np.ndarray]:
    """The panel's run, and after every STEP rounds the weights of its members. It is played piece by piece, which changes nothing."""
    model, weights = panel, []
    for start in range(0, len(y), STEP):
        run = ls.play(model, X[start : start + STEP], y[start : start + STEP], ledger=True)
        weights.append([seat.weight for seat in run.members])
        model = run.model
    return run, np.array(weights)


def drift(out: Path | None) -> list[str]:
    """What is printed, as lines; the figure goes to `out`."""
    X, y = drifting()
    T, half = len(y), len(y) // 2
    panels = {name: ls.panel(MEMBERS, rule=rule, blend=False, label_by="vote") for name, rule in RULES.items()}
    alone = {name: ls.learners.named(name) for name in MEMBERS}
    wrong = {name: ls.play(learner, X, y).predictions != (y == 1) for name, learner in {**alone, **panels}.items()}
    votes = np.stack([wrong[name] for name in MEMBERS], axis=1)
    path = best_path(votes, 1)[1]
    assert path is not None
    assume = {"adahedge": None, "fixed share": f"expert:m={path.m},S=1"}
    lines = [f"{T:,} rounds, {half:,} before the change", "", f"  {'':<45} {'before':>6} {'after':>6} {'in all':>6} {'bound':>6}"]

    def line(name: str, made: np.ndarray, bound: str = "") -> None:
        lines.append(f"  {name:<45} {made[:half].sum():6,} {made[half:].sum():6,} {made.sum():6,} {bound:>6}".rstrip())

    for name in MEMBERS:
        line(name, wrong[name])
    first, (switch, second) = path.segments[0][1], path.segments[1]
    names = [MEMBERS[k].partition(":")[0] for k in (first, second)]
    line(f"{names[0]}, from round {switch + 1:,} on {names[1]}", np.where(np.arange(T) < switch, votes[:, first], votes[:, second]))
    weights = {}
    for name, panel in panels.items():
        run, weights[name] = followed(panel, X, y)
        assert run.mistakes == wrong[name].sum()
        claims = [claim for claim in run.bounds(assume[name]) if claim.name in ("panel-adahedge", "panel-fixed-share")]
        line(f"panel, {RULES[name]}", wrong[name], f"{claims[0].limit:,}")
    lines.append("")
    for name, shares in weights.items():
        late = int(np.argmax(shares[half // STEP :, 1] > 0.5) + 1) * STEP
        lines.append(f"{name} gives the Perceptron more than half of the weight {late:,} rounds after the change")
    if out is not None:
        theorem = next(bound for bound in panels["fixed share"].bounds if bound.name == "panel-fixed-share")
        settings = panels["fixed share"].rule.settings
        facts = {key: settings[key] for key in ("n", "alpha", "eta")}
        times = range(STEP, T + 1, STEP)
        best = best_with_one_change(votes)
        limits = [float(theorem.value(**facts, T=t, m=int(best[t - 1]), S=1)) for t in times]
        draw(out, {name: np.cumsum(made) for name, made in wrong.items()}, times, limits, weights)
        lines.append(f"drawn: {out}")
    return lines


def draw(out: Path, made: dict[str, np.ndarray], times: range, limits: list[float], weights: dict[str, np.ndarray]) -> None:
    try:
        import matplotlib

        matplotlib.use("Agg")
        import matplotlib.pyplot as plt
    except ImportError:
        raise LittlestoneError("drawing needs matplotlib: install the extra 'plot', or matplotlib itself") from None
    figure, (above, below) = plt.subplots(2, 1, figsize=(8, 7.2), dpi=110, sharex=True, height_ratios=[2, 1])
    rounds, half = np.arange(1, times[-1] + 1), times[-1] // 2
    above.plot(times, limits, "--", color=COLOURS["fixed share"], linewidth=1.2)
    above.annotate("bound of fixed share", (times[-1], limits[-1]), (6, 0), textcoords="offset points", va="center", fontsize=9)
    for name, counts in made.items():
        panel = name in weights
        above.plot(rounds, counts, color=COLOURS[name], linewidth=2.2 if panel else 1.4)
        label = f"panel, {name}" if panel else name
        aside = {"perceptron:bias=1": -7, "adahedge": 7}.get(name, 0)  # these two end at the same place
        place = {"xytext": (6, aside), "textcoords": "offset points", "va": "center", "fontsize": 9}
        above.annotate(label, (rounds[-1], counts[-1]), color=COLOURS[name], fontweight="bold" if panel else "normal", **place)
    above.set_ylabel("mistakes so far")
    above.set_title("The target changes halfway; fixed share follows", loc="left", fontsize=12)
    for name, shares in weights.items():
        below.plot(times, shares[:, 1], color=COLOURS[name], linewidth=2.2)
        turn = half // STEP + int(np.argmax(shares[half // STEP :, 1] > 0.5))
        left = name == "fixed share"  # the other curve is on its right
        place = {"xytext": (-12 if left else 12, 0), "textcoords": "offset points", "va": "center", "ha": "right" if left else "left"}
        below.annotate(f"panel, {name}", (times[turn], 0.5), color=COLOURS[name], fontweight="bold", fontsize=9, **place)
    below.set_ylabel("weight of the Perceptron")
    below.set_xlabel("rounds")
    below.set_ylim(-0.03, 1.03)
    for axes in (above, below):
        axes.axvline(half, color="#bbbbbb", linewidth=0.8)
        axes.set_xlim(0, times[-1] * 1.27)
        axes.set_xticks(range(0, times[-1] + 1, 1000))
        axes.grid(True, color="#ececec", linewidth=0.8)
        for side in ("top", "right"):
            axes.spines[side].set_visible(False)
    figure.tight_layout()
    figure.savefig(out)
    plt.close(figure)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=Path, help="draw the figure to this file; needs matplotlib")
    print("\n".join(drift(parser.parse_args().out)))


if __name__ == "__main__":
    main()
