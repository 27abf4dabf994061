"""A panel: a learner made of learners. Each member plays, their predictions are advice, and a rule over experts makes one of it.

Nothing is tuned: members differ in kind and in rates, each sees every round and learns from it in its own way, and the rule (AdaHedge
unless another is named) finds out whom to trust.  The panel predicts by weighted majority: 1 where at least half of the weight says 1.
Blends sit beside the members: they learn from the members' scores (reductions/_blend.py), and vote like any other.

>>> import littlestone as ls
>>> X, y = [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0]] * 25, [1, 0, 1, 1] * 25
>>> run = ls.play(ls.panel(["perceptron", "arow", "adaptive:eta=1/10"], blend=False), X, y)
>>> run.mistakes, [(member.name, member.mistakes) for member in run.members]
(1, [('perceptron', 3), ('arow', 1), ('adaptive:eta=1/10', 1)])

Theorem: a mistake means that at least half of the weight was wrong, so M ≤ 2F, F the shares of wrong weight added up; and F is within the
rule's bound against the best member: M ≤ 2(m + 2Δ) for AdaHedge, m the mistakes of the best member, which are within its own bound.
"""

from __future__ import annotations

import os
from collections import namedtuple
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, partial
from itertools import pairwise
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from littlestone import experts, learners
from littlestone.errors import LittlestoneError, require
from littlestone.jit import jit
from littlestone.protocol import Advice, AdviceRunner, Block, Kernels, Learner, Rule, play_through
from littlestone.protocol.parts import Parts, Term, whole
from littlestone.reductions._blend import BLENDS, Blend, first_state, newton, squashed, voices
from littlestone.theory import Claim, judge, parse_assumption
from littlestone.theory import panel as theory
from littlestone.theory.delay import WHY

SHARED = 20_000  # features times members below which a block is not worth two threads


class Seat(NamedTuple):
    """A member at work: what it is called, its mistakes, and the weight it has earned."""

    name: str
    mistakes: int
    weight: float


@dataclass(frozen=True, eq=False, repr=False)
class Panel(Learner):
    """A learner with members and a rule. Its state is theirs, one after the other, and its accounts."""

    members: tuple[Learner, ...] = ()
    names: tuple[str, ...] = ()  # of the members, then of the blends
    rule: Rule | None = None
    blends: tuple[Blend, ...] = ()

    def listening(self, hear: Callable[[np.ndarray], None]) -> Panel:
        """The same; each block it plays, `hear` is told all votes, a row for each round."""
        table = self.table
        table.listen = hear
        return replace(self, kernels=self.kernels._replace(play=table.play))

    def __repr__(self) -> str:
        """The usual members are too many to be told each time."""
        usual = self.settings["members"] == " ".join(MEMBERS)
        told = [f"{key}={value}" for key, value in self.settings.items() if value is not None and not (usual and key == "members")]
        return f"panel({', '.join(told)})"

    @property
    def table(self) -> Table:
        assert self.rule is not None
        return Table(self.members, self.rule, self.blends)

    def trusted(self, state: tuple) -> tuple[str, Learner, tuple]:
        """The member that has the largest weight, the first of them, with its own state; blends are no members."""
        k = int(np.argmax([seat.weight for seat in self.seats(state)[: len(self.members)]]))
        return self.names[k], self.members[k], self.table.state_of(k, state)

    def seats(self, state: tuple) -> tuple[Seat, ...]:
        """Who sits on it, with the mistakes and the weight of each in this state."""
        assert self.rule is not None and self.rule.weights is not None
        table = self.table
        weights = self.rule.weights(self.rule, table.rule_state(state))
        return tuple(map(Seat, self.names, map(int, table.accounts(state)[0]), map(float, weights)))


class Table:
    """Where the members sit: plays them, hears them, and lets the rule decide."""

    def __init__(self, members: tuple[Learner, ...], rule: Rule, blends: tuple[Blend, ...] = ()) -> None:
        self.members, self.rule, self.blends = members, rule, blends
        self.voters = len(members) + len(voices(blends))
        self.listen: Callable[[np.ndarray], None] | None = None  # is told the votes of each block, where somebody asks
        firsts = [member.init(1) for member in members]
        ends = np.cumsum([0, *map(len, firsts)]).tolist()
        self.places = [slice(a, b) for a, b in pairwise(ends)]
        self.kinds = [type(first) for first in firsts]
        own = rule.first_state()
        self.rule_kind, self.rule_place = type(own), slice(ends[-1], ends[-1] + len(own))
        fields = [f"{k}_{name}" for k, first in enumerate(firsts, 1) for name in _fields(first)]
        named = [*(f"m{field}" for field in fields), *(f"rule_{name}" for name in _fields(own)), *ACCOUNTS]
        if blends:
            named += ["squares", "seen", *(f"blend{b}_{name}" for b in range(1, len(blends) + 1) for name in ("w", "P"))]
        self.kind: Any = namedtuple("PanelState", named)  # type: ignore[misc]

    def init(self, room: int) -> tuple:
        states = [array for member in self.members for array in member.init(room)]
        own = [np.zeros(self.voters, np.int64), np.zeros(1)]
        if self.blends:
            own += [np.zeros(len(self.members)), np.zeros(1)]
            own += [array for blend in self.blends for array in first_state(len(self.members), blend)]
        return self.kind(*states, *self.rule.first_state(), *own)

    def state_of(self, k: int, state: Sequence) -> tuple:
        arrays = state[self.places[k]]
        return self.kinds[k](*arrays) if hasattr(self.kinds[k], "_fields") else tuple(arrays)

    def rule_state(self, state: Sequence) -> Any:
        return self.rule_kind(*state[self.rule_place])

    def accounts(self, state: Sequence) -> Sequence:
        return state[self.rule_place.stop : self.rule_place.stop + len(ACCOUNTS)]

    def size(self) -> int:
        return self.rule_place.stop + len(ACCOUNTS) + (2 + 2 * len(self.blends) if self.blends else 0)

    # ------------------------------------------------------------------------------------------------- what a learner's kernels do

    def play(self, *arguments: Any) -> None:
        """Every member plays the block, then the rule hears them round by round."""
        state, (indptr, indices, values, labels, weights, predictions, scores) = arguments[: self.size()], arguments[self.size() :]
        block = Block(indptr, indices, values, labels, weights)
        told = labels if weights is None else np.where(weights > 0, labels, np.int32(-1))  # what weighs nothing teaches nothing
        plain = block if told is labels else replace(block, labels=told, weights=None)  # for members that honour no weights
        says = np.empty((self.voters, len(block)), np.bool_)
        heard = np.empty((len(self.members), len(block))) if self.blends else None

        def one(k: int) -> None:
            member = self.members[k]
            own = heard[k] if heard is not None and member.kernels.score is not None else None
            done = play_through(member, self.state_of(k, state), block if member.weighted else plain, says[k], own)
            if heard is not None and own is None:  # a member without scores has its votes
                heard[k] = np.where(says[k], 1.0, -1.0)
            if done < len(block):
                raise LittlestoneError(f"{block.round(done)}: {self.members[k]!r}, a member of the panel, cannot go on")

        _each(one, len(self.members), len(indices))
        if heard is not None:
            self.blend(state, heard, told, says)
        votes = np.ascontiguousarray(says.T, np.float32)
        if self.listen is not None:
            self.listen(votes)
        mix = self.decide(state, votes, told)
        judged(mix, votes, told, predictions, *self.accounts(state))
        if scores is not None:
            scores[:] = 2 * mix - 1

    def blend(self, state: Sequence, heard: np.ndarray, labels: np.ndarray, says: np.ndarray) -> None:
        """What the blends make of the members' scores."""
        squares, seen, *arrays = state[self.rule_place.stop + len(ACCOUNTS) :]
        z = np.empty((len(labels), len(self.members) + 1))
        squashed(heard, labels, squares, seen, z)

        said = np.empty((len(self.blends), len(labels)))

        def one(b: int) -> None:
            newton(z, labels, *self.blends[b][1:4], *arrays[2 * b : 2 * b + 2], says[len(self.members) + b], said[b])

        _each(one, len(self.blends), z.size)
        says[-1] = sum(said) >= 0.0  # in their order: a sum that is the same on every machine

    def decide(self, state: Sequence, votes: np.ndarray, labels: np.ndarray) -> np.ndarray:
        """The share of the weight that says 1, round by round; the rule learns from the labels."""
        runner = AdviceRunner(self.rule, self.voters, state=self.rule_state(state), counting=False)
        mix, _ = runner.take(Advice(votes, labels))
        for kept, new in zip(state[self.rule_place], runner.state, strict=True):
            kept[...] = new
        return mix

    def votes(self, state: Sequence, indices: np.ndarray, values: np.ndarray | None, lo: int, hi: int, label: int = -1) -> np.ndarray:
        """What all of them say of one row; the blends learn its label, where there is one."""
        row = indices[lo:hi], None if values is None else values[lo:hi]
        says = np.empty((self.voters, 1), np.bool_)
        for k, member in enumerate(self.members):
            says[k] = member.predict(self.state_of(k, state), *row)
        if self.blends:
            heard = np.where(says[: len(self.members)], 1.0, -1.0)
            for k, member in enumerate(self.members):
                if member.kernels.score is not None:
                    heard[k] = member.score(self.state_of(k, state), *row)
            self.blend(state, heard, np.array([label], np.int32), says)
        return np.ascontiguousarray(says.T, np.float32)

    def share(self, state: Sequence, votes: np.ndarray) -> float:
        return float(self.decide(state, votes, np.array([-1], np.int32))[0])

    def score(self, *arguments: Any) -> float:
        state, row = arguments[: self.size()], arguments[self.size() :]
        return 2 * self.share(state, self.votes(state, *row)) - 1

    def predict(self, *arguments: Any) -> bool:
        return self.score(*arguments) >= 0.0

    def update(self, *arguments: Any) -> None:
        state, (indices, values, lo, hi, y, _, weight) = arguments[: self.size()], arguments[self.size() :]
        label = int(y) if weight > 0 else -1
        votes, labels = self.votes(state, indices, values, lo, hi, label), np.array([label], np.int32)
        mix = self.decide(state, votes, labels)
        judged(mix, votes, labels, np.empty(1, np.bool_), *self.accounts(state))
        for k, member in enumerate(self.members if weight > 0 else ()):
            weighed = (float(weight),) if member.weighted else ()
            member.kernels.update(*member.params, *self.state_of(k, state), indices, values, lo, hi, bool(y), bool(votes[0, k]), *weighed)

    # ------------------------------------------------------------------------------------------------- what else a learner can do

    def prepare(self, state: Sequence, block: Block) -> tuple:
        """Room for what a block will add, where members need more than a place for a feature."""
        return self._with(state, lambda member, theirs: member.prepare(theirs, block) if member.prepare else theirs)

    def compact(self, state: Sequence) -> tuple:
        return self._with(state, lambda member, theirs: member.compact(theirs) if member.compact else theirs)

    def _with(self, state: Sequence, change: Callable[[Learner, tuple], tuple]) -> tuple:
        changed = [array for k, member in enumerate(self.members) for array in change(member, self.state_of(k, state))]
        return self.kind(*changed, *state[self.rule_place.start :])

    def parts(self, names: Sequence[str], params: tuple, state: tuple, indices: np.ndarray, values: np.ndarray | None) -> Parts:
        """Who says what, and with which weight: a vote for 1 adds the weight, a vote for 0 takes it away."""
        assert self.rule.weights is not None
        said = self.votes(state, indices, values, 0, len(indices))[0].tolist()
        weights = self.rule.weights(self.rule, self.rule_state(state))
        terms = [
            Term(name, 1.0 if vote else -1.0, float(w), float(w) if vote else -float(w), float(w))
            for name, vote, w in zip(names, said, weights, strict=True)
        ]
        words = "a panel is explained by its members: +1 votes for 1, -1 for 0, by the weight that each has earned"
        return whole(*terms, words=words)


ACCOUNTS = ("mistakes", "loss")  # of each member; and Σ of the shares of wrong weight


@jit
def judged(mix, votes, labels, predictions, mistakes, loss):
    """Decide, and count what each member got wrong, and how much of the weight."""
    for t in range(len(labels)):
        predictions[t] = mix[t] >= 0.5
        if labels[t] >= 0:
            loss[0] += abs(mix[t] - labels[t])
            for k in range(len(mistakes)):
                mistakes[k] += votes[t, k] != labels[t]


def _fields(state: tuple) -> list[str]:
    return list(getattr(state, "_fields", map(str, range(len(state)))))


@cache
def _pool() -> ThreadPoolExecutor | None:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return ThreadPoolExecutor(cores, "littlestone-panel") if cores > 1 else None


def _each(one: Callable[[int], None], members: int, features: int) -> None:
    """Do it for every member, on all cores where that pays: members share nothing, so who goes first changes nothing."""
    pool = _pool() if features * members > SHARED else None
    for _ in map(one, range(members)) if pool is None else pool.map(one, range(members)):
        pass


# --------------------------------------------------------------------------------------------------------------------- its theorems


def factor_of(rule: Rule) -> int:
    """2 where the rule's theorems bound its loss, 1 where they bound its mistakes, or it follows one member."""
    return 1 if rule.cost == "mistakes" or not rule.randomized else 2


def claims(run: Any, assume: str | None = None) -> list[Claim]:
    """The rule's theorems about the members' votes; `assume="expert:m=5"` declares that some member errs at most 5 times."""
    learner: Panel = run.learner
    kind, declared = parse_assumption(assume) if assume else ("none", {})
    rule, table = learner.rule, learner.table
    assert rule is not None
    bounds = [theory.weighed(bound) for bound in learner.bounds] if run.weighted else learner.bounds
    theorems = [bound for bound in bounds if bound.kind == "a priori" and bound.assumes == kind]
    require(kind == "none" or theorems, f"a panel has no theorem that assumes {kind!r}; it has: expert, such as expert:m=5")
    mistakes, loss = table.accounts(run.state)
    best = int(np.argmin(mistakes))
    facts: dict[str, Any] = {**rule.settings, "n": len(mistakes), "T": run.rounds, "m": int(mistakes[best])}
    facts |= {
        "F": Fraction(float(loss[0])),
        "slack": 0,
        "c": Fraction(run.largest_weight),
        "witness": f"{learner.names[best]}, the best member",
    }
    heard = SimpleNamespace(rule=rule, state=table.rule_state(run.state), rounds=run.rounds, loss=float(loss[0]))
    facts |= {
        key: value for key, value in (rule.facts(heard) if rule.facts else {}).items() if key not in ("witness", "observed", "m", "T")
    }
    late = WHY if run.overlap else ""
    found = []
    for bound in theorems:
        takes = [key for key in ("m", "S") if key in bound.needs]
        for key, value in declared.items():
            require(key in takes, f"assumption {kind!r} of a panel takes {', '.join(takes)}; not {key!r}")
            require(value >= 0 and value.denominator == 1, f"assumption: {key}={value} must be a whole number, not negative")
        require("m" in declared, "assumption 'expert' needs m=...: how often the best member errs at most")
        given = {key: int(value) for key, value in declared.items()}
        void = ""
        if mistakes[best] > given["m"] and not given.get("S"):
            void = f"the best member, {learner.names[best]}, made {mistakes[best]:,} mistakes, more than the declared m={given['m']}"
        found.append(judge(bound, run.weighted_mistakes, {"S": 0, **facts, **given}, late or void))
    for bound in bounds:
        if bound.kind == "hindsight" and set(bound.needs) <= {*facts, *bound.optional}:
            best_named = {} if "m" in bound.needs else {"witness": ""}  # the run's own losses are compared with nobody
            found.append(judge(bound, run.weighted_mistakes, {**bound.optional, **facts, **best_named}, late))
    return found


# ----------------------------------------------------------------------------------------------------------------- making a panel

#: Who sits on the panel unless others are named.
MEMBERS = (
    "perceptron:bias=1",
    "balanced_winnow:eta=1/2:margin=1/10",
    "passive_aggressive:C=1/10:variant=II:bias=1",
    "arow:bias=1",
    "arow:r=10:bias=1",
    "arow_full:bias=1",
    "adaptive:eta=1:bias=1",
    "adaptive:eta=1/10:bias=1",
    "adaptive:eta=1/100:bias=1",
    "normalized:eta=2:bias=1",
    "normalized:eta=1/2:loss=squared:bias=1",
    "normalized:eta=1/10:loss=squared:bias=1",
    "naive_bayes:alpha=1/10",
    "naive_bayes:alpha=1",
    "pairs:bias=1",
)


#: It is a learner of two classes, not of several.
TWO_CLASSES = True

#: When to use it, for `littlestone learners --which`.
WHEN = "any stream of two classes, when you do not know which learner is best on it"

#: Settings the contract suite tries.
SAMPLES: tuple[dict, ...] = (
    {"members": "perceptron:bias=1 arow adaptive:eta=1/10"},
    {"members": ("passive_aggressive", "balanced_winnow"), "rule": "weighted_majority", "blend": False},
)


def panel(
    members: str | Sequence[str | Learner] | None = None,
    *,
    n: int | None = None,
    rule: str | Rule = "adahedge",
    blend: bool = True,
) -> Learner:
    """A panel of these members, each `NAME:key=value...` or a learner; `rule` decides whom to trust.

    `blend=False` leaves out the blends, which learn from the members' scores.
    """
    require(blend in (True, False), f"blend={blend!r} must be true or false")
    blends = BLENDS if blend else ()
    given = MEMBERS if members is None else members.split() if isinstance(members, str) else tuple(members)
    require(len(given) >= 1, "a panel needs at least one member")
    made = tuple(learners.named(one, n) if isinstance(one, str) else one for one in given)
    names = tuple(one if isinstance(one, str) else learners.text_of(one) for one in given)
    for member, name in zip(made, names, strict=True):
        require(isinstance(member, Learner), f"member {name!r}: expected a learner of two classes, such as perceptron:bias=1")
        require(
            member.broken is None and member.final is None,
            f"member {name!r}: {member.name} cannot sit on a panel: it refuses streams that contradict its class"
            if member.broken is not None
            else f"member {name!r}: its hypothesis is not its last one, and a panel hears what members predict",
        )
    chosen = experts.named(rule) if isinstance(rule, str) else rule
    require(isinstance(chosen, Rule) and not chosen.bandit, f"rule={rule!r}: expected a rule that sees every expert, such as adahedge")
    require(chosen.advice == "vote", f"rule={rule!r}: members vote; expected advice=vote")
    require(chosen.expectation is None, f"rule={rule!r}: {chosen.name} {theory.NO_RULE}; expected one such as adahedge")
    chosen = chosen.sized(len(made) + len(voices(blends)))
    require(chosen.weights is not None, f"rule={rule!r} has no weights")
    table = Table(made, chosen, blends)
    written = rule if isinstance(rule, str) else experts.text_of(rule)
    called = (*names, *voices(blends))
    domains = {member.domain for member in made}
    needs_n = any(member.needs_n for member in made)
    unsized = any(member.needs_n and member.n is None for member in made)
    return Panel(
        name="panel",
        settings={"members": " ".join(names), "n": n, "rule": written, "blend": bool(blend)},
        params=(),
        init=table.init,
        kernels=Kernels(table.predict, table.update, table.play, table.score),
        n=n if not needs_n else None if unsized else next(member.n for member in made if member.needs_n),
        needs_n=needs_n,
        with_n=lambda size: panel(given, n=size, rule=rule, blend=blend),
        domain=next(domain for domain in ("boolean", "unit", "real") if domain in domains),
        arithmetic="float",
        updates_on="always",
        bounds=theory.bounds_of_rule(chosen.bounds, factor_of(chosen)),
        claims=claims,
        prepare=table.prepare if any(member.prepare for member in made) else None,
        compact=table.compact if any(member.compact for member in made) else None,
        parts=partial(table.parts, called),
        ledger=ACCOUNTS,
        weighted=True,
        source=theory.SOURCE,
        members=made,
        names=called,
        rule=chosen,
        blends=blends,
    )
