"""Conjunctions: all 2n literals at first, and each missed 1 removes those that it contradicts.

A literal is removed by the first missed 1 on which it is false, and never comes back.  The first missed 1 makes exactly n of the 2n
literals false, and n are left.  A later one was predicted 0, so some living literal was false on it, and goes: after F ≥ 1 missed 1s
at most n + 1 - F literals live, on every stream, and F ≤ n + 1 - living.  If a satisfiable conjunction c labels the stream, its
literals are true on every 1, so they live: the hypothesis is never true where c is false, and M = F ≤ n + 1 - |c|.

A living literal of a feature that was never on is ¬x, so features not met count 0 in n - living.
"""

from collections.abc import Mapping
from typing import Any

from littlestone.errors import require
from littlestone.theory.bound import Invariant, Moment, a_priori, hindsight
from littlestone.theory.comparators.conjunction import Literals
from littlestone.theory.evidence import Evidence
from littlestone.theory.families import Family
from littlestone.theory.mixing import OWN, MixingTheorems, ShardFacts, ShardRounds
from littlestone.theory.potentials import Line, Proof
from littlestone.theory.settings import FEATURES


def conjunction(n: int, size: int = 0) -> int:
    """Mistakes on streams labelled by a satisfiable conjunction of `size` or more literals over n variables.

    >>> conjunction(5), conjunction(5, 3)
    (6, 3)
    """
    require(0 <= size <= n, f"size={size} must lie between 0 and n = {n}, the features of the stream")
    return n + 1 - size


def any_stream(removed: int, N: int) -> int:
    """M ≤ 1 + removed + N on any stream: a first missed 1, the literals removed by later ones, the false 1s."""
    return 1 + removed + N


CONJUNCTION = a_priori(
    "conjunctions",
    "conjunction",
    "M ≤ n + 1 - size",
    conjunction,
    "Kanade, Lecture 10, Theorem 1; derived for the target at hand",
    among="size",
    least=("n",),
    says="some satisfiable conjunction of at least `size` literals of the stream's n features labels every round",
)
ANY_STREAM = hindsight(
    "conjunctions-any-stream",
    "M ≤ 1 + removed + N ≤ n + 1 + N,  removed = literals that missed 1s after the first removed, N = false 1s",
    any_stream,
    "derived from Kanade, Lecture 10, Theorem 1",
)

CONSISTENT = hindsight(
    "conjunctions-consistent",
    "M ≤ met + 1 - size,  size = literals of a conjunction that labels every round, met = features that are on in some round",
    lambda met, size: conjunction(met, size),
    "Kanade, Lecture 10, Theorem 1; derived for the target at hand",
    witness="conjunction",
    falling=("size",),
    every=True,
    loss="0",
)


def _living(m: Moment) -> tuple[int, int]:
    n, F, seen = m.settings["n_seen"], m.promotions, m.state["seen"]
    living = 2 * n if not m.state["tally"] else n - sum(times != m.state["tally"][0] for times in seen.values())
    return living, 2 * n if F == 0 else n + 1 - F


def _target_lives(m: Moment) -> tuple[int, int]:
    c, seen = m.witness or {}, m.state["seen"]
    if m.demotions or not m.promotions:
        return 0, 0  # a false 1 says that this witness does not label the stream; nothing is removed before a missed 1
    lost = sum(seen.get(i, 0) != (m.promotions if sign > 0 else 0) for i, sign in c.items())
    wrong = m.promotions * sum(sign > 0 for sign in c.values()) - m.margins  # Σ over the missed 1s of the literals false on them
    return lost, int(wrong)


INVARIANTS = (
    Invariant("literals that live", "living ≤ n + 1 - F after F ≥ 1 missed 1s, 2n before", _living),
    Invariant("the target's literals live", "literals of the target removed ≤ its literals false on missed 1s", _target_lives, True),
)


def proof(settings: Mapping[str, Any], witness: bool) -> Proof:
    letters = "F missed 1s, the only mistakes where a conjunction labels the stream"
    if not witness:
        return Proof((Line(("literals left", "n+1-F"), _living, ("literals left",)),), letters)
    line = Line(("|c|", "literals left", "n+1-F"), lambda m: (len(m.witness or {}), *_living(m)), ("literals left",))
    return Proof((line,), f"c the witness, {letters}")


def measure(e: Evidence, c: Literals | None) -> dict:
    """`removed` is a function of the missed 1s: the features that were on in some of them and off in others. N is counted.

    Whatever the rows, 1 + removed + N is what the theorem allows a learner that made these mistakes; which rows they are a replay tells.
    Literals of features that no labelled round met are no part of n = met, and leave n - size as it is.
    """
    ones = [row.x.keys() for row in e.taught if row.y]
    removed = len(set().union(*ones) - set(ones[0]).intersection(*ones)) if ones else 0
    facts = {"n": e.settings["n"] or e.features, "removed": removed, "N": e.N}
    if c is None or e.every is None:
        return facts
    size = len(c.names & e.met) if all(c(x) == y for x, y in ((row.x, row.y) for row in e.every)) else None
    return facts | {"met": len(e.met), "size": size}


def merged(rounds: ShardRounds, witness: Mapping[str, Any], last: Any) -> ShardFacts:
    """The features that 1s have on as well as off, and the 0s on which every literal is true that no 1 contradicts."""
    n, met = rounds.settings["n"], len(rounds.features(True, False, None))
    require(n is None or met <= n, f"conjunctions was made for n={n} features, and the stream has {met}")
    ones = [x.keys() for x, y in rounds.labelled if y]
    ever, always = set().union(*ones), set(ones[0]).intersection(*ones) if ones else set()
    lost = sum(not y and always <= x.keys() <= ever for x, y in rounds.labelled) if ones else 0
    facts = {"changing": len(ever - always), "lost": lost * len(rounds.shares)}
    return ShardFacts(facts if n is None else {**facts, "n": n}, {"n": met})


OVER_SHARDS = MixingTheorems(
    ("intersection",),
    (
        a_priori(
            "conjunctions-mixing",
            "conjunction",
            "M ≤ S·(n + 1 - size)",
            lambda S, n, size=0: S * conjunction(n, size),
            OWN,
            among="size",
            least=("n",),
        ),
        hindsight(
            "conjunctions-mixing-cover",
            "M ≤ S·(1 + changing) + lost,  changing = features that 1s have on as well as off, "
            "lost = 0s of all epochs on which all is true that is true on every 1",
            lambda S, changing, lost: S * (1 + changing) + lost,
            OWN,
            every=True,
            loss="lost",
        ),
    ),
    merged,
    arithmetic="exact",
)

FAMILY = Family(
    "conjunctions",
    {"n": FEATURES},
    (CONJUNCTION, ANY_STREAM, CONSISTENT),
    measure,
    ties="none: a literal is true or false",
    arithmetic="exact",
    invariants=INVARIANTS,
    proof=proof,
    never="false_positives",
    domain="boolean",
    featurewise=True,
    mixing=OVER_SHARDS,
    source="Kanade, Lecture 10, Theorem 1; Valiant 1984",
)
