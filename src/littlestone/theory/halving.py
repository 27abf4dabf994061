"""Halving: predict with the majority of the concepts that are still possible.

Of the living concepts V at least half predict as the learner does (it says 1 where at least half say 1, else more than half say 0).  A
mistake proves all of these wrong, so |V'| ≤ |V|/2.  No other round adds a concept.  Hence |V| ≤ |C|/2^M after M mistakes, whether
correct rounds shrink V too (`updates="always"`) or not.  The concept that labels the stream is never dropped: |V| ≥ 1, and
M ≤ ⌊log2 |C|⌋.

On any stream at all, as long as some concept is left, M ≤ ⌊log2(|C|/|V|)⌋ with V at the end: nothing need be assumed or known beforehand.
It never exceeds ⌊log2 |C|⌋.  Where correct rounds shrink V too, it is the further above the mistakes the more they dropped.
Rounds have no weights here.

Agnostic.  Let concept c weigh β^(its mistakes so far), 0 < β < 1, and W be the weight of all: W = |C| at first.  No round adds to it.  The
learner says 1 where those that say 1 have at least half of W, and else those that say 0 have more than half; so a mistake multiplies by β
what is at least half of W, and leaves at most W·(1+β)/2.  At the end W is at least the weight of any one concept, β^m, m its mistakes over
all rounds.  So β^m ≤ W ≤ |C|·((1+β)/2)^M, and M ≤ (m·ln(1/β) + ln |C|)/ln(2/(1+β)) for every concept, whatever labels the stream.
"""

from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

from littlestone.errors import require
from littlestone.theory import experts
from littlestone.theory.bound import Invariant, Moment, a_priori, hindsight
from littlestone.theory.classes import PlainClass, theorems_of_class
from littlestone.theory.evidence import Evidence
from littlestone.theory.families import Family
from littlestone.theory.mixing import OWN, MixingTheorems, ShardFacts, ShardRounds
from littlestone.theory.numbers import Exact
from littlestone.theory.potentials import Line, Proof, Term
from littlestone.theory.settings import CONCEPTS, choice, number

SOURCE = "Kanade, Lecture 10, Theorem 8; Blum, Hopcroft and Kannan, Section 5.8.2; Littlestone 1988"


def any_concept(size: int) -> int:
    """⌊log2 |C|⌋, in whole numbers.

    >>> [any_concept(size) for size in (1, 2, 3, 4, 2**24, 3**20)]
    [0, 1, 1, 2, 24, 31]
    """
    return int(size).bit_length() - 1


def survivors(size: int, alive: int) -> int:
    """⌊log2(|C|/|V|)⌋: the largest m with |V|·2^m ≤ |C|.

    >>> survivors(16, 16), survivors(16, 3), survivors(10, 5), survivors(11, 6)
    (0, 2, 1, 0)
    """
    require(1 <= alive <= size, f"alive={alive}: of {size} concepts at least one must be left")
    return any_concept(size // alive)


CLASS = a_priori("halving-class", "class", "M ≤ ⌊log2 |C|⌋", any_concept, SOURCE)
SURVIVORS = hindsight(
    "halving-survivors",
    "M ≤ ⌊log2(|C|/|V|)⌋,  V = the concepts still alive",
    survivors,
    f"{SOURCE}, its proof",
    falling=("alive",),
    every=True,
    loss="0",
)


def agnostic(size: int, m: int, beta: Exact) -> Decimal:
    """(m·ln(1/β) + ln |C|)/ln(2/(1+β)).

    >>> round(agnostic(16, 1, Fraction(1, 2)), 2), round(agnostic(16, 0, Fraction(1, 1000)), 2)
    (Decimal('12.05'), Decimal('4.01'))
    """
    return experts.majority(size, m, beta)


AGNOSTIC_CLASS = a_priori(
    "halving-agnostic-class",
    "class",
    "M ≤ ln |C|/ln(2/(1+β))",
    lambda size, beta: agnostic(size, 0, beta),
    experts.LITTLESTONE_WARMUTH,
)
AGNOSTIC = hindsight(
    "halving-agnostic",
    "M ≤ (m·ln(1/β) + ln |C|)/ln(2/(1+β)),  m = the mistakes of one concept over all rounds",
    agnostic,
    experts.LITTLESTONE_WARMUTH,
    witness="concept",
    every=True,
    loss="m",
)
BETA = replace(number("1/1000", "999/1000"), spare=True)
PLAIN, WEIGHED = theorems_of_class(CLASS, SURVIVORS), theorems_of_class(AGNOSTIC_CLASS, AGNOSTIC)


def theorems(settings: Mapping[str, Any]) -> tuple[Any, ...]:
    require("beta" not in settings or settings["updates"] == "always", "halving with a beta counts every round: updates must be 'always'")
    made = (WEIGHED if "beta" in settings else PLAIN)(settings)
    if settings["updates"] == "always":
        return made
    return tuple(replace(bound, every=False, loss="") if bound.name == SURVIVORS.name else bound for bound in made)  # V of mistakes alone


ALL = 2**64 - 1


def _alive(m: Moment) -> int:
    return int(m.state["tally"].get(0, m.settings["concepts"].size))


def _halved(m: Moment) -> tuple[Fraction, Fraction]:
    mistakes = int(m.state["tally"].get(1, 0))
    return Fraction(_alive(m) * 2**mistakes), Fraction(m.settings["concepts"].size)


def _counted(m: Moment) -> tuple[Fraction, Fraction]:
    size = m.settings["concepts"].size
    last, partly = divmod(size, 64)
    dropped = sum(((2**partly - 1 if w == last else ALL) ^ int(word)).bit_count() for w, word in m.state["alive"].items())
    return Fraction(abs(size - dropped - _alive(m))), Fraction(0)


INVARIANTS = (
    Invariant("each mistake halves", "|V|·2^M ≤ |C|", _halved),
    Invariant("the count is the number of living concepts", "|V| = Σ bits", _counted),
    Invariant("some concept is left", "|V| ≥ 1", lambda m: (Fraction(1), Fraction(_alive(m)))),
)


def _weight(m: Moment) -> Fraction:
    """W: a concept that never erred weighs 1."""
    counts = m.state["counts"]
    return m.settings["concepts"].size - len(counts) + sum((Fraction(m.settings["beta"]) ** int(c) for c in counts.values()), Fraction(0))


def _shrunk(m: Moment) -> Fraction:
    return m.settings["concepts"].size * ((1 + Fraction(m.settings["beta"])) / 2) ** m.settings["mistakes"]


OF_WEIGHTS = (
    Invariant("no round adds to the weight of all", "W ≤ |C|", lambda m: (_weight(m), Fraction(m.settings["concepts"].size))),
    Invariant(
        "the best concept is part of it", "β^m ≤ W", lambda m: (Fraction(m.settings["beta"]) ** int(m.state["tally"].get(0, 0)), _weight(m))
    ),
)


def proof(settings: Mapping[str, Any], witness: bool) -> Proof:
    if "beta" in settings:

        def weights(m: Moment) -> tuple[Term, ...]:
            return Fraction(m.settings["beta"]) ** int(m.state["tally"].get(0, 0)), _weight(m), _shrunk(m)

        shrinks = f"|C|·({(1 + Fraction(settings['beta'])) / 2})^M"
        return Proof(
            (Line((f"({settings['beta']})^m", "W", shrinks), weights, ("W",)),), "W the weight of all concepts, m mistakes of the best"
        )

    def terms(m: Moment) -> tuple[Term, ...]:
        return 1, _alive(m), Fraction(m.settings["concepts"].size, 2 ** m.settings["mistakes"])

    line = Line(("1", "|V|", "|C|/2^M"), terms, ("|V|",))
    return Proof((line,), f"V the concepts that are left of C, |C| = {settings['concepts'].size}")


def living(e: Evidence, C: PlainClass, always: bool) -> int:
    """The concepts that agree with every label that taught, as one number; all of them where nothing did."""
    rounds = ((row.x, row.y) for row in ((e.every or ()) if always else e.taught))
    alive = C.all
    for alive in C.living(rounds):  # noqa: B007 (the last one counts)
        pass
    return alive


def measure(e: Evidence, witness: Any) -> dict:
    """|C| from the class that the settings name; |V| by keeping and dropping concepts, round by round; or the mistakes of one concept."""
    C = PlainClass.of(e.settings["concepts"])
    if "beta" in e.settings:
        facts = {"size": C.size, "beta": e.settings["beta"]}
        return facts if witness is None or e.every is None else {**facts, "m": witness.mistakes(C, e.every)}
    if e.settings["updates"] == "always" and e.every is None:
        return {"size": C.size}
    return {"size": C.size, "alive": living(e, C, e.settings["updates"] == "always").bit_count()}


def merged(rounds: ShardRounds, witness: Mapping[str, Any], last: Any) -> ShardFacts:
    """|C|, and the concepts that the last epoch has left."""
    C = PlainClass.of(rounds.settings["concepts"])
    return ShardFacts({"size": C.size} if last is None else {"size": C.size, "alive": last.concepts.bit_count()})


def of_another_size(facts: Mapping[str, Any], declared: Mapping[str, Any]) -> str:
    size = declared.get("size", facts["size"])
    return "" if size >= facts["size"] else f"size={size}: the class at hand has {facts['size']:,} concepts"


def merged_bounds(settings: Mapping[str, Any]) -> tuple[Any, ...]:
    compared: dict[str, Any] = {"every": True, "loss": "0"} if settings["updates"] == "always" else {}  # else V is of mistakes alone
    return (
        a_priori("halving-mixing-class", "class", "M ≤ S·⌊log2 |C|⌋", lambda S, size: S * any_concept(size), OWN),
        hindsight(
            "halving-mixing-survivors",
            "M ≤ S·⌊log2(|C|/|V|)⌋,  V = the concepts that every shard has left",
            lambda S, size, alive: S * survivors(size, alive),
            OWN,
            falling=("alive",),
            **compared,
        ),
    )


OVER_SHARDS = MixingTheorems(
    ("intersection",),
    merged_bounds,
    merged,
    lambda settings: "concepts that keep a vote are weighed, and an intersection has no weights" if "beta" in settings else "",
    of_another_size,
    arithmetic="exact",
)

FAMILY = Family(
    "halving",
    {"concepts": CONCEPTS, "updates": choice("always", "mistakes"), "beta": BETA},
    theorems,
    measure,
    ties=lambda settings: f"as {'much weight' if 'beta' in settings else 'many concepts'} for 1 as for 0 predicts 1",
    updates_on=lambda settings: settings["updates"],
    arithmetic=lambda settings: "filtered" if "beta" in settings else "exact",
    invariants=lambda settings: OF_WEIGHTS if "beta" in settings else INVARIANTS,
    proof=proof,
    domain="boolean",
    mixing=OVER_SHARDS,
    source="Littlestone 1988",
)
