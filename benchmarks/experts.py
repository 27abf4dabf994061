"""Rules over advice: bytes of advice a second, against numpy adding up the same matrix; and against River's loop over experts."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from river import base, optim
from river.ensemble import EWARegressor

import littlestone as ls
from measure import Row, interleaved

EXPERTS, ROUNDS = 1_000, 20_000
RIVER_ROUNDS = 20
FIXED, ADAPTIVE, RIVER = 0.4, 0.1, 50


class Column(base.Regressor):
    """The expert whose forecast stands in column i."""

    def __init__(self, i: int) -> None:
        self.i = i

    def predict_one(self, x: dict) -> float:
        return x[self.i]

    def learn_one(self, x: dict, y: float) -> None:
        pass


def memory_speed(quick: bool = False) -> Iterator[Row]:
    """A pass over 80 MB of advice, votes or losses."""
    rng = np.random.default_rng(0)
    rounds = 2_000 if quick else ROUNDS
    losses = rng.random((rounds, EXPERTS), dtype=np.float32)
    votes, truth = (losses < 0.5).astype(np.float32), rng.integers(0, 2, rounds)
    rules = {
        "randomized_weighted_majority, votes": (ls.randomized_weighted_majority(EXPERTS, epsilon="1/20"), votes, FIXED),
        "weighted_majority, votes": (ls.weighted_majority(EXPERTS), votes, FIXED),
        "follow_leader, votes": (ls.follow_leader(EXPERTS), votes, FIXED),
        "hedge, fixed rate, votes": (ls.hedge(EXPERTS, rounds=rounds), votes, FIXED),
        "hedge, fixed rate, losses": (ls.hedge(EXPERTS, rounds=ROUNDS, advice="loss"), losses, FIXED),
        "fixed_share, votes": (ls.fixed_share(EXPERTS, eta="1/20"), votes, FIXED),
        "specialists, votes": (ls.specialists(EXPERTS, eta="1/20"), votes, FIXED),
        "adahedge, votes": (ls.adahedge(EXPERTS), votes, ADAPTIVE),
        "adahedge, losses": (ls.adahedge(EXPERTS, advice="loss"), losses, ADAPTIVE),
    }
    contenders = {
        name: (lambda rule=rule, table=table: ls.play(rule, table, None if rule.advice == "loss" else truth))
        for name, (rule, table, _) in rules.items()
    }
    seconds = interleaved({"numpy": losses.sum, **contenders}, 5 if quick else 15)
    speed = {name: f"{losses.nbytes / np.median(times) / 1e9:.2f} GB/s" for name, times in seconds.items()}
    for name, (_, _, target) in rules.items():
        yield Row(f"j  {name}", speed[name], f"numpy.sum {speed['numpy']}", seconds["numpy"] / seconds[name], target)


def against_river(quick: bool = False) -> Iterator[Row]:
    """The same job as River's exponentially weighted average: so many experts' forecasts, a loss each, new weights."""
    rng = np.random.default_rng(0)
    table, truth = rng.random((ROUNDS, EXPERTS), dtype=np.float32), rng.integers(0, 2, ROUNDS)
    rows = [dict(enumerate(row)) for row in table[:RIVER_ROUNDS].tolist()]

    def theirs() -> None:
        model = EWARegressor([Column(i) for i in range(EXPERTS)], loss=optim.losses.Absolute(), learning_rate=0.05)
        for x, y in zip(rows, truth[:RIVER_ROUNDS].tolist(), strict=True):
            model.learn_predict_one(x, y)

    seconds = interleaved({"ours": lambda: ls.play(ls.hedge(EXPERTS, eta="1/20", advice="probability"), table, truth), "river": theirs}, 5)
    ours, river = seconds["ours"] / ROUNDS, seconds["river"] / RIVER_ROUNDS
    yield Row(
        "j  hedge, a round of 1,000 experts",
        f"{1e6 * np.median(ours):.2f} µs",
        f"River EWA {1e6 * np.median(river):.0f} µs",
        river / ours,
        RIVER,
    )


if __name__ == "__main__":
    for row in (*memory_speed(), *against_river()):
        print("  ".join(row.cells()))
