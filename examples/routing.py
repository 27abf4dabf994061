"""Which language model to ask the next question, when answers cost money and only the past is known.

    python examples/routing.py llm_livecodebench/repair_matrix.csv

The table has a row for each question, in the order of their dates, and a column for each model: the percentage of its answers that passed
the tests, empty where it was not asked. Without a table, a small one is made up. A question costs

    (1 - share of answers that passed) + the price of asking that model

and a rule that has seen the questions before it chooses whom to ask. Two ways to learn: full information (afterwards every model's answer
is known, as when all were asked offline) and bandit (only the answer of the model that was asked).
"""

from __future__ import annotations

import argparse
import csv
from pathlib import Path
from random import Random

import numpy as np

import littlestone as ls
from littlestone.witnesses.experts import best_path

# What asking costs, as a part of what a solved question is worth. These are assumptions, chosen to make the choice interesting: classes of
# price by the size of a model, not anybody's market prices. The first line whose words stand in a model's name decides.
PRICES = [
    (0.30, "reasoning", ("o1-",)),
    (0.01, "tiny", ("1.3b", "6.7b", "7b", "8b", "cl-7b")),
    (0.02, "small", ("haiku", "flash", "mini", "instant", "13b", "starcoder", "gpt-3.5", "8x7b")),
    (0.10, "large", ("opus", "405b", "gpt-4-0613", "gpt-4-turbo", "8x22b", "pro-1.5", "mistral-large", "deep")),
    (0.05, "middle", ("",)),
]


def price_of(model: str) -> float:
    return next(price for price, _, words in PRICES if any(word in model.lower() for word in words))


def read(path: Path) -> tuple[list[str], np.ndarray]:
    """The models, and what share of each one's answers passed; NaN where there are none."""
    with path.open(newline="", encoding="utf-8") as file:
        header, *rows = list(csv.reader(file))
    return header[2:], np.array([[float(cell) / 100 if cell else np.nan for cell in row[2:]] for row in rows])


def made_up(questions: int = 600) -> tuple[list[str], np.ndarray]:
    """Five models; questions grow harder, and halfway a new release makes a small model good."""
    draw = Random(7)
    skills = {"tiny-7b": 0.15, "new-mini": 0.25, "plain": 0.50, "large-405b": 0.62, "o1-like": 0.70}
    rows = []
    for t in range(questions):
        hard = 0.25 * t / questions + draw.uniform(-0.3, 0.3)
        row = []
        for name, skill in skills.items():
            better = 0.40 if name == "new-mini" and t >= questions // 2 else 0.0
            chance = min(1.0, max(0.0, skill + better - hard))
            row.append(sum(draw.random() < chance for _ in range(10)) / 10)
        rows.append(row)
    return list(skills), np.array(rows)


def route(models: list[str], passed: np.ndarray, seed: int, switches: int) -> list[str]:
    """The page's table, as lines."""
    asked = ~np.isnan(passed).all(axis=1)
    passed = passed[asked]
    prices = np.array([price_of(name) for name in models])
    most = 1 + prices.max()
    costs = (1 - passed + prices) / most  # rules take losses in [0, 1]
    absent = np.isnan(costs)
    table = costs.astype(np.float32)
    lines = [f"{len(costs):,} questions, {len(models)} models; a question costs at most {most:g}"]
    if not asked.all():
        lines.append(f"{(~asked).sum()} more questions were put to nobody, and are left out")
    if absent.any():
        lines.append(f"{absent.mean():.1%} of the answers are absent: those models sleep")

    def line(name: str, total: float, beside: str = "", rounds: int = len(costs)) -> None:
        some = "" if rounds == len(costs) else f" ({rounds} answers)"
        lines.append(f"  {name + some:<60} {total * most:8.1f} {total * most / rounds:7.3f}  {beside}".rstrip())

    lines += ["", f"  {'whom to ask':<60} {'cost':>8} {'a round':>7}"]
    line("a model drawn afresh for each question", float(np.nansum(costs / (~absent).sum(axis=1, keepdims=True))))
    best, strongest = int(np.argmin(np.nanmean(costs, axis=0))), int(np.argmax(np.nanmean(passed, axis=0)))
    for chosen, why in {strongest: "solves most", best: "best in hindsight"}.items():
        line(f"always {models[chosen]}: {why}", float(np.nansum(costs[:, chosen])), rounds=int((~absent[:, chosen]).sum()))
    for changes, path in enumerate(best_path(costs, switches)):
        if path is not None and changes and path.switches == changes:
            line(f"the best in hindsight with {changes} change{'s' * (changes > 1)}", float(path.m))
    rule = (ls.sleeping_adahedge if absent.any() else ls.adahedge)(advice="loss")
    full = ls.play(rule, table)
    line(f"{rule.name}, every answer seen", full.loss, beside(full, most))
    share = ls.play(ls.fixed_share(alpha="1/100", eta="1/2", advice="loss"), table)
    line("fixed_share, every answer seen", share.loss, beside(share, most))
    runs = [ls.play(ls.exp3_ix(advice="loss", rounds=len(table), seed=seed + k), table) for k in range(20)]
    line("exp3_ix, only the answer asked for", runs[0].chosen_loss, beside(runs[0], most))
    drawn = most * np.array([run.chosen_loss for run in runs])
    lines.append(f"  {'... over 20 seeds':<60} {drawn.min():8.1f} to {drawn.max():.1f}")
    top = np.argsort(-full.weights, kind="stable")[:4]
    lines += ["", f"{rule.name} ends with " + ", ".join(f"{full.weights[i]:.2f} on {models[i]}" for i in top if full.weights[i] > 0.005)]
    return lines


def beside(run, most: float) -> str:
    """The regret, and the least that a theorem about the best expert allows; for experts who sleep, where it comes nearest to its limit."""
    said = [c for c in run.bounds() if c.limit is not None and "m" in c.facts and not c.name.endswith("-mixture")]
    if not said:
        return "no theorem for models that sleep"
    claim = min(said, key=lambda c: c.limit - c.facts["m"])
    assert claim.holds
    regret, bound = (most * (float(x) - float(claim.facts["m"])) for x in (claim.observed, claim.limit))
    return f"regret {regret:.1f} ≤ {bound:.1f} ({claim.name})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", nargs="?", type=Path, help="a CSV file: date, question, then a column for each model; or a folder of such")
    parser.add_argument("--seed", type=int, default=0, help="of the bandit's coin")
    parser.add_argument("--switches", type=int, default=3, help="changes of the best sequence of models")
    options = parser.parse_args()
    if options.table is None:
        print("No table given: one is made up.\n")
    elif not options.table.exists():
        parser.error(f"{options.table}: no such file")
    folder = options.table is not None and options.table.is_dir()
    for path in sorted(options.table.glob("*.csv")) if folder else [options.table]:
        if folder:
            print(f"{path.name}")
        models, passed = made_up() if path is None else read(path)
        print("\n".join(route(models, passed, options.seed, options.switches)))


if __name__ == "__main__":
    main()
