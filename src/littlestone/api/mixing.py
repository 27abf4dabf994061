"""`mix`: one learner over shards of a stream, whose weights are mixed after each epoch; theory/mixing.py has the bounds."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from math import sqrt
from typing import Any

import numpy as np

from littlestone.api.sources import Choices, of_two_classes
from littlestone.api.survey import admitted, gate_of, surveyed
from littlestone.errors import LittlestoneError, require
from littlestone.hooks import above
from littlestone.kernels.mixing import winnow_shard
from littlestone.learners.binary.perceptron import State as PerceptronState
from littlestone.learners.binary.perceptron import perceptron
from littlestone.protocol import Block, Learner
from littlestone.protocol.block import or_ones
from littlestone.protocol.workers import OneProcess, itself
from littlestone.reference.mixing import mixture, whole_parts
from littlestone.theory import mixing as theory
from littlestone.theory.bound import Claim, judge, parse_assumption
from littlestone.theory.certificate import exactly, stated_settings
from littlestone.witnesses.stream_digest import Digest

SCALES = tuple(2.0**k for k in range(-12, 13))  # of the last weights, to compare with
EXPECTED = "expected epochs=K, and shards=S, weights=uniform|mistakes, mean=geometric|arithmetic if need be"


@dataclass(frozen=True)
class Mixing:
    """How a learner is to be mixed."""

    epochs: int
    shards: int = 2
    weights: str = "uniform"
    mean: str = "arithmetic"

    @classmethod
    def of(cls, text: str, learner: Any, workers: int | None = None) -> "Mixing":
        """`epochs=5:shards=8:weights=mistakes:mean=geometric`; a shard for each worker unless said otherwise.

        >>> import littlestone as ls
        >>> Mixing.of("epochs=5:shards=4", ls.winnow())
        Mixing(epochs=5, shards=4, weights='uniform', mean='geometric')
        """
        plain = isinstance(learner, Learner) and learner.name in theory.KINDS
        plain = plain and not any(learner.settings.get(name) for name in ("margin", "averaged", "k"))
        require(plain, f"mix: {learner!r} cannot be mixed; expected {', '.join(theory.KINDS)}, without margin, average or k")
        usual = {"perceptron": "arithmetic", "winnow": "geometric", "disjunctions": "intersection"}[learner.name]
        chosen: dict[str, Any] = {"mean": usual, "shards": workers or 2}
        for part in filter(None, text.replace(",", ":").split(":")):
            key, equals, value = part.partition("=")
            require(equals and key in ("epochs", "shards", "weights", "mean"), f"mix: {part!r}; {EXPECTED}")
            chosen[key] = value
        require("epochs" in chosen, f"mix: {text!r} has no epochs; {EXPECTED}")
        for key in ("epochs", "shards"):
            try:
                chosen[key] = int(chosen[key])
            except ValueError:
                raise LittlestoneError(f"mix: {key}={chosen[key]} must be a whole number") from None
            require(1 <= chosen[key] <= 10_000, f"mix: {key}={chosen[key]} must be from 1 to 10,000")
        require(chosen.get("weights", "uniform") in theory.WEIGHTS, f"mix: weights={chosen.get('weights')}; expected uniform or mistakes")
        able = {"perceptron": ("arithmetic",), "winnow": theory.MEANS, "disjunctions": ("intersection",)}[learner.name]
        require(chosen["mean"] in able, f"mix: mean={chosen['mean']}; {learner.name} takes {' or '.join(able)}")
        return cls(**chosen)


@dataclass(frozen=True, eq=False)
class MixedRun:
    """What mixing leaves: mistakes by epoch and shard, the mixed weights, and what its bounds need."""

    learner: Learner
    mix: Mixing
    shards: tuple[int, ...]  # rows of each
    counts: tuple[tuple[tuple[int, int], ...], ...]  # of each epoch and shard, false positives and false negatives
    state: tuple[np.ndarray, ...]
    rounds: int  # with a label, of one epoch
    widest: int
    square: float  # the largest |x|² of a round with a label, with the bias
    candidates: tuple[tuple[Any, tuple[float, ...]], ...]  # witnesses, and what each loses on every shard
    bytes_per_epoch: int

    @property
    def mistakes(self) -> int:
        return sum(map(sum, self.of_epochs))

    @property
    def of_epochs(self) -> list[list[int]]:
        """Mistakes by epoch and shard."""
        return [[sum(pair) for pair in epoch] for epoch in self.counts]

    @property
    def shares(self) -> list[list[Fraction]]:
        return [theory.shares(self.mix.weights, epoch) for epoch in self.of_epochs]

    @property
    def mixed_mistakes(self) -> Fraction:
        """K̄: the mistakes of each shard, as often as it counts in the mixture."""
        pairs = zip(self.shares, self.of_epochs, strict=True)
        return sum((mu * k for shares, counts in pairs for mu, k in zip(shares, counts, strict=True)), Fraction(0))

    def __repr__(self) -> str:
        size = f"{len(self.counts)} epochs of {self.rounds:,} rounds, {len(self.shards)} shards"
        return f"<{self.learner!r} mixed: {self.mistakes:,} mistakes in {size}>"

    @property
    def sizes(self) -> dict[str, Any]:
        """Facts of the run that all bounds share."""
        path = sum(max(epoch) for epoch in self.of_epochs)
        return {"S": len(self.shards), "E": len(self.counts), "P": path, "d": self.widest}

    def facts_of(self, witness: Any) -> dict[str, Any]:
        """What a bound in hindsight needs of a witness: its loss counts as often as the shard in which it falls."""
        lost = next(sums for other, sums in self.candidates if other is witness)
        total = sum((mu * Fraction(own) for shares in self.shares for mu, own in zip(shares, lost, strict=True)), Fraction(0))
        if self.learner.name == "winnow":
            return {**self.sizes, **self._winnow, "r": len(witness), "A": total}
        w, b = self.state
        rho2 = Fraction(self.learner.settings["bias"]) ** 2
        squared = Fraction(float(np.dot(w, w))) + rho2 * Fraction(float(b[0])) ** 2
        facts = {
            "R2": theory.decimal_up(self.square),
            "u2": theory.decimal_up(float(squared * Fraction(witness) ** 2)),
            "L": theory.decimal_up(float(total)),
        }
        return {**self.sizes, **facts}

    @property
    def _winnow(self) -> dict[str, Any]:
        settings = self.learner.settings
        return {"n": settings["n"], "alpha": Fraction(settings["alpha"]), "theta": Fraction(settings["theta"])}

    def bounds(self, assume: str | None = None) -> list[Claim]:
        """What the theorems of mixing allow: of what was declared, and compared with the best witness that was tried."""
        claims = []
        for bound in theory.BOUNDS[self.learner.name]:
            if bound.kind == "hindsight":
                judged = [replace(judge(bound, self.mistakes, self.facts_of(w)), witness=self.in_words(w)) for w, _ in self.candidates]
                held = [claim for claim in judged if claim.limit is not None] or judged
                claims.append(min(held, key=lambda claim: claim.limit or 0))
            elif assume is not None and parse_assumption(assume)[0] == bound.assumes:
                claims.append(self._declared(bound, parse_assumption(assume)[1]))
        require(
            assume is None or any(c.kind == "a priori" for c in claims),
            f"{self.learner.name} has no bound of mixing that assumes {assume!r}",
        )
        return claims

    def _declared(self, bound: Any, declared: dict[str, Fraction]) -> Claim:
        if bound.assumes == "disjunction":
            n = self.learner.settings["n"] if self.learner.name == "winnow" else len(self.state[0])
            facts: dict[str, Any] = {**self.sizes, "n": n, "r": declared.get("r")}
            return judge(bound, self.mistakes, facts | (self._winnow if self.learner.name == "winnow" else {}))
        R2, most = theory.decimal_up(self.square), declared.get("R")
        longer = most is not None and Fraction(most) ** 2 * (1 + Fraction(1, 10**9)) < R2
        void = f"a round has |x|² = {self.square:g}, above the declared R² = {float(most or 0) ** 2:g}" if longer else ""
        return judge(bound, self.mistakes, {**self.sizes, "R2": R2, "gamma": declared.get("gamma")}, void)

    def in_words(self, witness: Any) -> str:
        if self.learner.name == "winnow":
            return f"a disjunction of {len(witness)} features"
        return f"the last weights, {witness:g} times"

    def start(self) -> Any:
        """A model that predicts by the mixed weights: a Perceptron's, whose bias is -θ where Winnow was mixed."""
        require(self.learner.name != "disjunctions", "mixed eliminations are no linear rule with weights: there is no model of them")
        if self.learner.name == "perceptron":
            return self.learner.start(PerceptronState(*self.state), ledger=False)
        theta = float(Fraction(self.learner.settings["theta"]))
        return perceptron(bias=1).start(PerceptronState(self.state[0], np.array([-theta])), ledger=False)


def mixed(learner: Learner, X: Any, y: Any = None, mix: str = "epochs=1", *, boolean: bool = False, cluster: Any = None) -> MixedRun:
    """Play a learner over shards of the rounds, epoch after epoch, and mix.

    A shard is a range of rows of about equal size. Each begins an epoch with the mixture of the one before; shards are played in turn here,
    or by the workers of a cluster, with the same result.
    """
    if cluster is None:
        return _mixed(learner, X, y, mix, boolean, OneProcess(), None)
    with above("connected")(cluster) as workers:
        return _mixed(learner, X, y, mix, boolean, workers, workers.count)


def _mixed(learner: Learner, X: Any, y: Any, text: str, boolean: bool, workers: Any, count: int | None) -> MixedRun:
    mix = Mixing.of(text, learner, count)
    rounds = of_two_classes(None, X, y, Choices(boolean))
    counted = learner.needs_n and learner.n is None and rounds.columns is None
    there = count is not None and rounds.stream is not None and rounds.stream.lies_there and rounds.stream.reading.expand == 1
    survey = there and surveyed(rounds.stream, boolean, learner, workers)
    if survey:
        rows, met, room = survey.rows, survey.met, survey.room
    else:
        held, met, gate = list[Block](), set[Any](), gate_of(learner, rounds.columns)
        for block in rounds.blocks():
            block = admitted(gate, block)
            met.update(np.unique(block.indices).tolist() if counted else ())
            held.append(block.copy())
        whole, room = Block.joined(held), max(1, gate.span)
        rows = len(whole)
    require(rows >= mix.shards, f"mix: shards={mix.shards}, and there are only {rows} rounds")
    learner = learner.sized(max(1, len(met)) if counted else rounds.columns)
    cuts = [rows * k // mix.shards for k in range(mix.shards + 1)]
    parts = [
        survey.range(workers, start, stop) if survey else workers.submit(itself, whole.cut(start, stop)) for start, stop in pairwise(cuts)
    ]
    state = first_state(learner, room)
    counts = []
    for _ in range(mix.epochs):
        played = workers.gather([workers.submit(play_shard, learner, state, part) for part in parts])
        counts.append(tuple(wrong for _, wrong in played))
        shares = theory.shares(mix.weights, [sum(wrong) for _, wrong in played])
        state = tuple(mixed_arrays([arrays[k] for arrays, _ in played], whole_parts(shares), mix.mean) for k in range(len(state)))
    witnesses = witnesses_of(learner, state)
    measured = workers.gather([workers.submit(measure_shard, learner, state, part, witnesses) for part in parts])
    sizes = tuple(stop - start for start, stop in pairwise(cuts))
    losses = tuple((witness, tuple(shard[3][k] for shard in measured)) for k, witness in enumerate(witnesses))
    sent = 2 * mix.shards * sum(array.nbytes for array in state)
    widest, square = max(shard[1] for shard in measured), max(shard[2] for shard in measured)
    return MixedRun(learner, mix, sizes, tuple(counts), state, sum(shard[0] for shard in measured), widest, square, losses, sent)


def first_state(learner: Learner, room: int) -> tuple[np.ndarray, ...]:
    """Before the first round: Winnow's weights, which its own state has as exponents, are 1."""
    return (np.ones(room),) if learner.name == "winnow" else tuple(learner.init(room))


def play_shard(learner: Learner, arrays: Sequence[np.ndarray], block: Block) -> tuple[tuple[np.ndarray, ...], tuple[int, int]]:
    """A shard from the mixture, as a task: its weights, its false positives and false negatives."""
    state, predictions = [array.copy() for array in arrays], np.empty(len(block), np.bool_)
    if learner.name == "winnow":
        alpha, theta = (float(Fraction(learner.settings[key])) for key in ("alpha", "theta"))
        winnow_shard(alpha, theta, *state, block.indptr, block.indices, block.labels, predictions)
    else:
        rows = (block.indptr, block.indices, block.values, block.labels)
        learner.kernels.play(*learner.params, *state, *rows, None, predictions, None, None)
    wrong = (block.labels >= 0) & (predictions != (block.labels == 1))
    return tuple(state), (int((wrong & predictions).sum()), int((wrong & ~predictions).sum()))


def mixed_arrays(arrays: Sequence[np.ndarray], parts: Sequence[int], mean: str) -> np.ndarray:
    """The mixture, weight by weight; those on which all shards agree stay as they are."""
    if mean == "intersection":
        return np.maximum.reduce(arrays)  # what any shard has struck out
    result = arrays[0].copy()
    others = np.flatnonzero(np.any([array != arrays[0] for array in arrays], axis=0))
    columns = [array[others] for array in arrays]
    if mean == "arithmetic":  # the same sums as in `mixture`, all at once
        total = np.zeros(len(others))
        for part, column in zip(parts, columns, strict=True):
            total += part * column
        result[others] = total / float(sum(parts))
    else:
        result[others] = [mixture(weights, parts, mean) for weights in zip(*(column.tolist() for column in columns), strict=True)]
    return result


def witnesses_of(learner: Learner, state: Sequence[np.ndarray]) -> list[Any]:
    """Whom to compare with: multiples of the last Perceptron's weights, or sets of the heaviest features of Winnow."""
    if learner.name == "perceptron":
        w, b = state
        length = sqrt(float(np.dot(w, w)) + float(b[0]) ** 2)
        return [scale / length for scale in SCALES] if length else [0.0]
    if learner.name == "winnow":
        heaviest = np.argsort(-state[0], kind="stable")
        sizes = [0, *(2**k for k in range(20) if 2**k <= len(heaviest))]
        return [tuple(sorted(heaviest[:size][state[0][heaviest[:size]] > 1].tolist())) for size in sizes]
    return []


def measure_shard(learner: Learner, state: Sequence[np.ndarray], block: Block, witnesses: Sequence[Any]) -> tuple:
    """Of a shard: rounds with a label, the widest and the longest of them, and what each witness loses there."""
    labelled = block.labels >= 0
    widths = np.diff(block.indptr)
    values = or_ones(block.values, len(block.indices)).astype(np.float64)
    rho2 = float(Fraction(learner.settings.get("bias") or 0)) ** 2 if learner.name == "perceptron" else 0.0
    squares = _sums(block, values * values) + rho2
    widest = int(widths.max(initial=0))
    longest = float(squares[labelled].max(initial=0.0)) * (1 + (widest + 4) * 2.0**-52)
    lost = []
    y = np.where(block.labels == 1, 1.0, -1.0)[labelled]
    if learner.name == "perceptron":
        w, b = state
        scores = (_sums(block, w[block.indices] * values) + rho2 * b[0])[labelled]
        slack = float(_sums(block, np.abs(w[block.indices] * values)).max(initial=0.0)) * (widest + 4) * 2.0**-52
        lost = [float(np.maximum(0.0, 1 - c * (y * scores - slack)).sum()) * (1 + len(y) * 2.0**-52) for c in witnesses]
    elif learner.name == "winnow":
        for witness in witnesses:
            active = _sums(block, np.isin(block.indices, witness).astype(np.float64))[labelled]
            lost.append(float(np.where(y > 0, active == 0, active).sum()))
    return int(labelled.sum()), widest, longest, lost


def _sums(block: Block, terms: np.ndarray) -> np.ndarray:
    """The sum of each row's terms."""
    ends = np.concatenate([np.zeros(1), np.cumsum(terms)]) if block.any_empty or not len(terms) else None
    return np.add.reduceat(terms, block.indptr[:-1]) if ends is None else np.diff(ends[block.indptr])


def certify_mixed(run: MixedRun, X: Any, y: Any = None, *, assume: str | None = None, boolean: bool = False) -> theory.MixingCertificate:
    """The run as a certificate: shards, mixing weights and mistakes, the witness, and the bounds; `verify` plays it again."""
    rounds = of_two_classes(None, X, y, Choices(boolean))
    names: Any = rounds.features if rounds.stream is None else rounds.stream.names
    whole = boolean or (rounds.stream is not None and rounds.stream.boolean)
    digest, rows = Digest(names, weighted=False, boolean=whole, segment=False), 0
    for block in rounds.blocks():
        digest.add(block)
        rows += len(block)
    require(rows == sum(run.shards), "X and y are not what this run was played on: other rounds")
    claims = run.bounds(assume)
    stream: dict[str, Any] = {"digest": digest.text(), "boolean": whole, "weighted": False, "labels": rounds.stated_labels()}
    if rounds.stream is not None and rounds.stream.reading.settled:
        stream["reading"] = rounds.stream.reading.as_json()
    return theory.sealed(
        learner={"name": run.learner.name, "settings": stated_settings(run.learner)},
        stream=stream,
        mixing={
            "epochs": run.mix.epochs, "shards": list(run.shards), "weights": run.mix.weights, "mean": run.mix.mean, "arithmetic": "float",
            "counts": [[list(pair) for pair in epoch] for epoch in run.counts],
            "shares": [[exactly(share) for share in epoch] for epoch in run.shares],
        },
        witness=_witness(run, claims, names),
        assume=assume,
        bounds=[
            {"name": c.name, "kind": c.kind, "formula": c.formula, "facts": exactly(dict(c.facts)), "limit": c.limit,
             "observed": c.observed, "holds": c.holds, "reason": c.reason}
            for c in claims
        ],
    )  # fmt: skip


def _witness(run: MixedRun, claims: Sequence[Claim], names: Any) -> dict[str, Any]:
    """Whom the bound in hindsight compares with, by the names of features: of the Perceptron how many times the last weights."""
    best = next((claim for claim in claims if claim.kind == "hindsight"), None)
    if best is None:
        return {}
    witness = next(w for w, _ in run.candidates if judge_same(run, w, best))
    if run.learner.name == "perceptron":
        return {"times": float(witness)}
    name: Callable[[int], str] = (lambda i: list(names)[i]) if names else str
    return {"features": [name(i) for i in witness]}


def judge_same(run: MixedRun, witness: Any, claim: Claim) -> bool:
    facts = run.facts_of(witness)
    return all(facts[key] == value for key, value in claim.facts.items())
