"""Selective sampling: the support vector machine over all rounds with the least limit."""

from littlestone.witnesses.hinge import squared
from littlestone.witnesses.rounding import above
from littlestone.witnesses.searches.second_order import best_of_machines
from littlestone.witnesses.taught_rounds import Candidates, Played


def best_vector(played: Played, effort: float) -> Candidates:
    facts = played.run.known().facts
    R2, b = float(facts["R2"]), float(facts["b"])
    witness, u, loss = best_of_machines(
        played, effort, lambda loss, u: (1 + R2 / (2 * b)) * loss + squared(u) * (2 * b + R2) ** 2 / (8 * b)
    )
    yield witness, {"L": above(loss), "u2": above(squared(u))}


SEARCHES = {"selective-hinge": best_vector}
