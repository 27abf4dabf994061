"""`certify` for rules over advice: the table's digest, whom to compare the rule with, and what that makes of its theorems."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from itertools import islice
from math import inf, log, sqrt
from typing import Any

import numpy as np

from littlestone.api.play import play
from littlestone.api.rows import told_by_name
from littlestone.errors import require
from littlestone.protocol import Advice, AdviceRun
from littlestone.protocol.advice import one_hot
from littlestone.rounds.table_reading import TableReading
from littlestone.streams.expert_tables import ExpertTable
from littlestone.theory import Bound, Claim
from littlestone.theory.advised import Advised, AdvisedRow, ForecastTable
from littlestone.theory.all_rounds import ALL
from littlestone.theory.certificate import Certificate, record_of, sealed, stated_learner
from littlestone.theory.claims import Candidate, Known, KnownOfExperts, declared_of_experts, match, tightest, void_when_late
from littlestone.theory.comparators.combination import Combination
from littlestone.theory.comparators.distribution import Mix
from littlestone.theory.comparators.expert import One
from littlestone.theory.comparators.path import Path
from littlestone.theory.delay import Delay
from littlestone.theory.experts import EVERY_ROUND, SLEEPING_ADAHEDGE, mixed, slip
from littlestone.theory.families import RuleFamily, rule_family
from littlestone.theory.numbers import float_above
from littlestone.theory.regrets import about
from littlestone.theory.risk import of_certificate
from littlestone.witnesses.convex import best_convex
from littlestone.witnesses.experts import best_switches, losses_of, mixture
from littlestone.witnesses.rounding import TWELVE, above

HEADER = b"littlestone advice 1\n"
FORECASTS = b"littlestone forecasts 1\n"
ASLEEP = np.uint32(0x7FC00000)
DELTA = Fraction(1, 100)
SPECIALISTS = 20  # experts for each of whom the theorem is written down; of more, those for whom it is nearest to its limit
MOST_CELLS = 50_000_000  # of a table, which is looked at as a whole
EXPONENT = 40  # of the shares in a mixture

Candidates = Iterator[tuple[Any, dict[str, Any]]]


def certify_advice(
    run: AdviceRun, table: Any, truth: Any = None, *, assume: str | None = None, iid: float | None = None, ids: Any = None
) -> Certificate:
    """Which theorems hold of this run, with the evidence that they apply to its advice; `ls.verify` checks it.

    The advice is an array, or a table of experts: then the certificate says how advice is made of it. `ids` are the names of the rounds of
    an array, where truths came by name.

    >>> import littlestone as ls
    >>> advice, truth = [[1, 0, 0], [1, 1, 0], [0, 1, 0], [1, 0, 1]] * 5, [1, 1, 0, 1] * 5
    >>> cert = ls.certify(ls.play(ls.weighted_majority(n=3), advice, truth), advice, truth, assume="expert:m=0")
    >>> print(str(ls.verify(cert, advice, truth, replay=True)).splitlines()[0])
    verified and replayed: weighted_majority made 1 mistake in 20 rounds
    """
    require(not run.resumed, "this run went on from a state that earlier rounds had made; its bounds need those rounds too")
    require(not run.first_round, f"this run left out {run.first_round} rounds: certify it with the advice and the truths of the others")
    rule = run.rule
    family = rule.family if rule.family.own else rule_family(rule.name, rule.settings)
    reading: TableReading | None = None
    if isinstance(table, ExpertTable):
        require(truth is None, "the table carries its own truth; y must be left out")
        reading = table.reading
        advice, names = whole(table)
    else:
        names = ids
        if rule.gradient:
            require(truth is not None, f"{rule.name} is told gradients of forecasts: certify it with the forecasts and with what came true")
            advice = Advice.of_forecasts(rule, table, truth)
        else:
            once = play(rule, table, truth)  # as codes
            advice = Advice(np.ascontiguousarray(table, np.float32), once.truth)
    table, codes = advice.table, advice.truth
    order: list[int] = []
    if by_name := run.order is not None and run.delay is None:
        require(names is not None, "truths came by name: certify needs the names of the rounds too (ids=)")
        order, labelled, labels = told_by_name(codes, names_of(names), np.isnan(table).all(axis=1))
        require(labelled == run.order.tolist(), OTHER)
        table, codes = table[labelled], np.array(labels, codes.dtype)
        met = run.truth >= 0  # rounds whose truths never came are no part of it
        run = replace(run, truth=run.truth[met], mix=run.mix[met], predictions=None if run.predictions is None else run.predictions[met])
    if run.passes > 1:  # the table so many times over
        table, codes = np.tile(table, (run.passes, 1)), np.tile(codes, run.passes)
    forecasts = digest_of_forecasts(advice) if rule.gradient else None
    advice = Advice.joined([advice] * run.passes) if rule.gradient else Advice.of(table, codes)
    again = play(rule, advice)  # the run may have read its advice once; and this proves that it is the same
    late = bool(run.overlap)
    again = replace(again, order=run.order)
    if late or by_name:
        again = replace(again, mix=run.mix, predictions=run.predictions, followed=run.followed, state=run.state)
    same = len(run.mix) == len(again.mix) and np.array_equal(run.truth, again.truth) and np.array_equal(run.mix, again.mix)
    require(same, OTHER)
    cells = np.ascontiguousarray(table, np.float32)
    how: dict[str, Any] = {"table": reading.as_json()} if reading is not None else {}
    how |= ({"passes": run.passes} if run.passes > 1 else {}) | ({"delay": run.delay} if run.delay else {})
    how |= ({"order": order} if by_name else {}) | ({} if forecasts is None else {"forecasts": forecasts})
    played = PlayedAdvice(again, family, cells, advice=advice)
    claims = void_claims(played, Delay(run.overlap, run.made), assume) if late else claims_of(played, assume)
    wrong = played.wrong
    counts = {
        "rounds": again.rounds,
        "positives": int((again.truth == 1).sum()),
        "mistakes": len(played.mistakes),
        "false_positives": int((wrong & (again.truth == 0)).sum()),
        "false_negatives": int((wrong & (again.truth == 1)).sum()),
        "observed": played.cost,
    }
    require(iid is None or family.advice != "loss", "iid: a bound on the risk is about mistakes, and of losses there are none")
    content = {
        "about": "advice",
        "learner": stated_learner(rule, family, family.arithmetic),
        "stream": {
            "digest": digest_of(*(part[: len(part) // run.passes] for part in (cells, again.truth))),  # of one pass
            "rows": [1, len(again.truth)],
            "segment": False,
            "boolean": False,
            "weighted": False,
            "labels": None,
            "experts": cells.shape[1],
            **how,
        },
        "counts": counts,
        "mistakes": played.mistakes,
        "updates": None if family.updates_on == "always" else [],
        "assume": assume,
        "bounds": [record_of(claim) for claim in claims],
    }
    return sealed({**content, "risk": None if iid is None else of_certificate(content, iid).as_json()})


OTHER = "the advice and truth are not what this run was played on: other rounds, other truths, or another order"


def names_of(ids: Any) -> list[str | None]:
    """The names of rounds, as a run has them."""
    return [None if name is None else str(name) for name in ids]


def whole(table: ExpertTable) -> tuple[Advice, list[str | None]]:
    """All the advice of a table, with the forecasts it was made of where there are some, and the names of its rounds."""
    parts: list[Advice] = []
    cells = 0
    for advice, forecasts, outcomes in table.advices():
        cells += advice.table.size
        require(cells <= MOST_CELLS, f"certify: the table has more than {MOST_CELLS:,} cells, and a certificate needs all of them at once")
        real = table.reading.played == "loss" and forecasts is not None
        parts.append(replace(advice, forecasts=forecasts, outcomes=outcomes, scale=table.reading.scale or 1.0) if real else advice)
    names = [name for part in parts for name in (part.ids or [None] * len(part.truth))]
    return Advice.joined(parts), names


def digest_of_forecasts(advice: Advice) -> str:
    """SHA-256 over the forecasts and what came true; verifier/advice.py says what is hashed."""
    assert advice.forecasts is not None and advice.outcomes is not None
    cells = np.column_stack([advice.outcomes, advice.forecasts]).astype("<f8") + 0.0
    cells[np.isnan(cells)] = np.nan
    return "sha256:" + hashlib.sha256(FORECASTS + cells.tobytes()).hexdigest()


def digest_of(table: np.ndarray, truth: np.ndarray) -> str:
    """SHA-256 over the advice; verifier/advice.py says what is hashed."""
    sha = hashlib.sha256(HEADER + b"%d\n" % table.shape[1])
    size = max(1, 2**21 // max(1, table.shape[1]))
    for start in range(0, len(table), size):
        rows, codes = table[start : start + size], truth[start : start + size]
        bits = np.where(np.isnan(rows), ASLEEP, rows.view(np.uint32)).astype("<u4")
        out = np.empty((len(rows), 1 + 4 * table.shape[1]), np.uint8)
        out[:, 0] = np.where(codes < 0, ord("?"), ord("0") + codes)
        out[:, 1:] = bits.view(np.uint8).reshape(len(rows), -1)
        sha.update(out.tobytes())
    return "sha256:" + sha.hexdigest()


@dataclass(frozen=True, eq=False)
class PlayedAdvice:
    """A run beside its table: what its claims are made from."""

    run: AdviceRun
    family: RuleFamily
    table: np.ndarray
    every: bool = False  # do losses count on all rounds, though the rule updates on mistakes alone?
    advice: Advice | None = None  # the rounds with the forecasts that they were made of

    @property
    def T(self) -> int:
        return self.run.rounds

    @cached_property
    def wrong(self) -> np.ndarray:
        """Which rounds were mistakes."""
        run = self.run
        none = np.zeros(len(run.truth), np.bool_)
        return none if run.predictions is None else (run.truth >= 0) & (run.predictions != (run.truth == 1))

    @cached_property
    def mistakes(self) -> list[int]:
        return (np.flatnonzero(self.wrong) + 1).tolist()

    @cached_property
    def counted(self) -> np.ndarray:
        """The rounds on which an expert's losses count."""
        return self.wrong if self.family.updates_on == "mistakes" and not self.every else self.run.truth >= 0

    @cached_property
    def losses(self) -> np.ndarray:
        """|a - y| on those rounds, NaN while asleep."""
        return losses_of(self.table[self.counted], self.run.truth[self.counted])

    @cached_property
    def totals(self) -> np.ndarray:
        """What each expert lost there, awake."""
        return np.nansum(self.losses, axis=0)

    def stated(self, x: float) -> float:
        """A loss as the certificate states it: not below the true one, whatever the rounding of the run."""
        return float_above(Fraction(float(x)) + Fraction(slip(self.T)))

    @cached_property
    def cost(self) -> int | float:
        return len(self.mistakes) if self.family.whole else self.stated(self.run.expected_loss)

    @cached_property
    def chosen(self) -> float:
        return self.stated(self.run.chosen_loss)

    def observed(self, bound: Bound) -> int | float:
        what = self.family.observes(bound)
        return self.chosen if what == "chosen" else len(self.mistakes) if what == "mistakes" else self.cost

    @cached_property
    def facts(self) -> dict[str, Any]:
        asleep = np.isnan(self.table).any(axis=1) & (self.wrong if self.family.cost == "mistakes" else self.run.truth >= 0)
        facts = {**self.family.follows(self.T), "delta": DELTA, "F": above(self.stated(self.run.loss)), "Z": int(asleep.sum())}
        facts |= {name: above(self.stated(float(gaps))) for name, gaps in self.gaps.items()}
        return facts

    def prices(self, shares: Any) -> dict[str, Any]:
        """What the theorems of a rule by regret need beside the loss of a comparator in which each expert has such a share."""
        facts = self.run.measured(shares) if self.run.rule.measured is not None else {}
        return {name: above(self.stated(float(value))) for name, value in facts.items()}

    @cached_property
    def exact(self) -> Advised:
        """The table as rows whose losses are exact."""
        truths = [None if y < 0 else y == 1 for y in self.run.truth.tolist()]
        return Advised(self.family.n, list(map(AdvisedRow, truths, plain(self.table))))

    @cached_property
    def gaps(self) -> Mapping[str, Any]:
        """What the run measured of its mixability gaps, by name; Δ of AdaHedge is `gaps`."""
        facts = self.run.rule.facts(self.run) if self.run.rule.facts else {}
        return {name: value for name, value in facts.items() if name.startswith("gaps")}

    def loss(self, total: float) -> int | Decimal:
        """A sum of losses, rounded up; votes are whole."""
        return int(total) if self.family.advice == "vote" else above(total * (1 + len(self.losses) * 2.0**-52))

    @property
    def rate(self) -> float:
        """η of the mixture that is compared with: the rule's own, or its last."""
        s, n = self.family.values or {}, self.family.n
        if "gaps" in self.gaps:
            return log(n) / float(self.gaps["gaps"]) if self.gaps["gaps"] > 0 and n > 1 else inf
        if "epsilon" in s:
            return -log(1 - s["epsilon"])
        if "eta" in s:
            return float(s["eta"]) if s["eta"] is not None else sqrt(8 * log(max(2, n)) / max(1, self.T))
        return -log(s["beta"]) if s["beta"] else inf


@dataclass
class KnownOfTable(Known):
    """A run beside its table: whom the theorems may compare with, and what the table says of what was declared."""

    played: Any = None

    def observed(self, bound: Bound, facts: Mapping[str, Any]) -> Any:
        return facts.get("observed", self.played.observed(bound))

    def declared(self, bound: Bound, declared: Mapping[str, Fraction]) -> tuple[Mapping[str, Any], str]:
        self.row = self.played.exact.contradiction(declared)
        return {**self.facts, "S": 0, **declared_of_experts(self.who, bound, declared, KnownOfExperts.needed)}, ""

    def contradiction(self, bound: Bound, facts: Mapping[str, Any]) -> Mapping[str, Any] | None:
        return self.row

    def met(self, bound: Bound, facts: Mapping[str, Any]) -> bool:
        return True  # what each expert, and each sequence of them, lost is known

    def candidates(self, bound: Bound) -> Iterable[Candidate]:
        """Whom the theorem may compare with, and what that makes of the advice, rounded outward."""
        played = replace(self.played, every=True) if bound.name.endswith(ALL) else self.played
        if bound.witness == "run":
            yield None, self.facts
        elif bound.witness:
            some: Candidates
            if bound.witness == "combination":
                some = iter(()) if played.run.slept else combinations(played)
            elif played.family.sleeps:
                # of the worst case one is enough: the gaps say more of every expert
                some = islice(specialists(played), 1 if bound.name == SLEEPING_ADAHEDGE[1].name else SPECIALISTS)
            elif played.run.slept == ("Z" in bound.needs):
                some = {"expert": best_expert, "distribution": best_mixture, "path": best_paths}[bound.witness](played)
            else:
                return
            yield from ((witness, {**self.facts, **facts}) for witness, facts in some)


def claims_of(played: PlayedAdvice, assume: str | None) -> list[Claim]:
    """What was declared, then every bound in hindsight that holds, the smallest limit first.

    Of experts judged on their own rounds there is a claim for each. A round costs at most 1, where no other bound says so for certain.
    """
    family = played.family
    each = [bound.name for bound in family.bounds.values() if family.own_rounds(bound)]
    known = KnownOfTable(family.name, list(family.bounds.values()), played.facts, played=played)
    claims = tightest(match(known, assume), each)
    certain = [claim.limit for claim in claims if claim.kind == "hindsight" and not family.bounds[claim.name, claim.kind].chance]
    if min(certain, default=inf) > played.T + 1:  # type: ignore[type-var,operator]
        claims = tightest([*claims, *match(Known(family.name, [EVERY_ROUND], played.facts, played.cost))], each)
    return claims


def void_claims(played: PlayedAdvice, delay: Delay, assume: str | None) -> list[Claim]:
    """The rule's theorems, which are void where truths came late. What the experts drawn lost is not told then: it has no bound."""
    family = played.family
    bounds = [bound for bound in family.theorems if family.observes(bound) != "chosen"]
    return void_when_late(delay, bounds, played.observed, assume)


def plain(table: np.ndarray) -> Iterator[list[float | None]]:
    asleep = np.isnan(table).any()
    for row in table:
        yield [None if a != a else a for a in row.tolist()] if asleep else row.tolist()


def best_expert(played: PlayedAdvice) -> Candidates:
    best = int(np.argmin(played.totals))
    yield One(best), {"m": played.loss(float(played.totals[best]))}


def best_mixture(played: PlayedAdvice) -> Candidates:
    shares = in_units(mixture(played.totals, played.rate).weights, EXPONENT)
    m, kl = mixed(shares, [Fraction(loss) for loss in played.totals.tolist()])
    rounded = above(float(m) * (1 + 2.0**-52 * (len(played.losses) + 4)))
    yield Mix(shares, EXPONENT), {"m": m if m == 0 else rounded, "kl": TWELVE.create_decimal(kl)}


def in_units(weights: np.ndarray, exponent: int) -> list[int]:
    """Whole numbers in about these proportions that add up to 2^exponent.

    >>> in_units(np.array([1, 1, 1]), 4)
    [6, 5, 5]
    """
    whole, units = int(weights.sum()), weights.tolist()
    shares = [(w << exponent) // whole for w in units]
    shares[int(np.argmax(weights))] += (1 << exponent) - sum(shares)
    return shares


def best_paths(played: PlayedAdvice) -> Candidates:
    """The sequence of experts for which the bound is least, and the best expert alone."""
    rows = np.flatnonzero(played.counted) + 1
    best = int(np.argmin(played.totals))
    if not np.isnan(played.losses[:, best]).any():
        yield Path([[1, best]]), {"m": played.loss(float(played.totals[best])), "S": 0}
    if len(rows) and played.family.n > 1:
        for price in played.family.prices():
            path = best_switches(played.losses, **price)
            if path is not None:
                steps = [[int(rows[t]) if k else 1, i] for k, (t, i) in enumerate(path.segments)]
                yield Path(steps), {"m": played.loss(float(path.m)), "S": path.switches}


def combinations(played: PlayedAdvice) -> Candidates:
    """The convex combination of the forecasts that loses least in hindsight, the one `experts` prints; the best expert where none is found.

    Another may have a smaller limit, for the price has a mean over the experts too; of a single one the theorem about experts speaks.
    """
    advice, rule, n = played.advice, played.run.rule, played.family.n
    assert advice is not None and advice.forecasts is not None and advice.outcomes is not None
    labelled, q = advice.truth >= 0, rule.settings["quantile"]
    convex = best_convex(advice.forecasts[labelled], advice.outcomes[labelled], rule.settings["loss"], None if q is None else float(q))
    shares = convex.weights if convex.weights is not None else np.arange(n) == np.argmin(played.totals)
    weights = in_units(np.floor(shares * 2.0**EXPONENT).astype(np.int64), EXPONENT)
    rows = [
        (xs, y if known else None)
        for xs, y, known in zip(plain(advice.forecasts), advice.outcomes.tolist(), labelled.tolist(), strict=True)
    ]
    forecasts = ForecastTable(rows, rule.settings["loss"], Fraction(q or 0), Fraction(advice.scale))
    exact = Advised(n, played.exact.rows, forecasts)
    witness = Combination(weights, EXPONENT)
    m = witness.measured(exact, exact.labelled)["m"]
    yield witness, {"m": above(float(m) * (1 + 2.0**-50)), **played.prices([Fraction(w, 1 << EXPONENT) for w in weights])}


def specialists(played: PlayedAdvice) -> Candidates:
    """Each expert over the rounds it was awake, those first for whom the theorem is nearest to its limit."""
    run, family = played.run, played.family
    labelled = run.truth >= 0
    awake = ~np.isnan(played.table)
    n, days = family.n, awake[labelled].sum(axis=0)
    eta = float((family.values or {}).get("eta", 0))
    if family.whole:
        own = awake[played.wrong].sum(axis=0).astype(float)
        slack = (played.totals * eta + np.log(n)) / np.log(2 / (1 + np.exp(-eta))) - own
    else:
        own = np.abs(run.mix[labelled] - run.truth[labelled]) @ awake[labelled]
        slack = played.totals - own + (np.log(n) / eta + eta * days / 8 if eta else 0)  # AdaHedge allows all of them the same
        if family.overall:
            slack = played.totals
        if run.rule.measured is not None:
            slack = slack + np.array(about(n, run.rule.measured(run.state, run.scale)))
    for i in np.argsort(slack, kind="stable").tolist():
        every = days[i] == played.T or family.overall
        observed = int(own[i]) if family.whole else played.cost if every else played.stated(own[i])
        prices = played.prices(one_hot(i, n))
        yield One(i), {"m": played.loss(float(played.totals[i])), "T": int(days[i]), "observed": observed, **prices}
