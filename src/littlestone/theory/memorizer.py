"""The memorizer: remember each missed instance with the label it had.

Look at one instance.  Until remembered it is predicted 0, and after that what it was last told, so it errs exactly when its label
changes, counting from 0: its missed 1s and false 1s alternate, a missed 1 first.  Let f give it 0: each missed 1 is an error of f, and
there are no more false 1s than missed 1s.  Let f give it 1: each false 1 is an error of f, and there is at most one missed 1 more.
Summed over the instances, for every function f of the instance: M ≤ D + 2E, D = instances that were missed and to which f gives 1,
E = errors of f on the mistake rounds.  With f = what is remembered at the end it is an equality.  If f labels the stream, E = 0, and
M ≤ D ≤ |X|.
"""

from littlestone.theory.bound import Invariant, a_priori, hindsight
from littlestone.theory.evidence import Evidence
from littlestone.theory.families import Family

SOURCE = "Kanade, Lecture 10, Section 1"

FUNCTION = a_priori(
    "memorizer",
    "function",
    "M ≤ size,  size = instances with label 1 (as declared, or as many as were remembered), at most |X|",
    lambda size: size,
    SOURCE,
)
ANY_STREAM = hindsight(
    "memorizer-any-stream",
    "M ≤ D + 2E,  D = instances to which f gives 1, E = errors of f on the mistake rounds, f any function of the instance",
    lambda D, E: D + 2 * E,
    f"derived from {SOURCE}",
)


INVARIANTS = (
    Invariant("one memory an instance", "instances remembered ≤ P", lambda m: (int(m.state["tally"].get(0, 0)), m.promotions)),
    Invariant(
        "mistakes alternate", "P ≤ N + instances remembered with label 1", lambda m: (m.promotions, m.demotions + len(m.state["told"]))
    ),
    Invariant(
        "a missed 1 comes first", "N + instances remembered with label 1 ≤ P", lambda m: (m.demotions + len(m.state["told"]), m.promotions)
    ),
)


def measure(e: Evidence, _: None) -> dict:
    """f gives each instance what it was told at its last mistake: that is what a learner with these mistakes remembers of it."""
    instances = [frozenset((name, v) for name, v in row.x.items() if v) for row in e.taught]
    labels = {instance: row.y for instance, row in zip(instances, e.taught, strict=True)}
    errors = sum(labels[instance] != row.y for instance, row in zip(instances, e.taught, strict=True))
    return {"size": len(labels), "D": sum(labels.values()), "E": errors}


FAMILY = Family(
    "memorizer",
    {},
    (FUNCTION, ANY_STREAM),
    measure,
    ties="an instance never remembered predicts 0",
    arithmetic="exact",
    invariants=INVARIANTS,
    never="false_positives",
    source=SOURCE,
)
