"""`mix`: one learner over shards of a stream, whose weights are mixed after each epoch; theory/mixing.py has the bounds."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, partial
from itertools import pairwise
from typing import Any

import numpy as np

from littlestone.api.played_reading import PlayedReading
from littlestone.api.sources import Choices, of_two_classes
from littlestone.api.survey import admitted, gate_of, surveyed
from littlestone.errors import LittlestoneError, require
from littlestone.hooks import above
from littlestone.learners.binary.perceptron import State as PerceptronState
from littlestone.learners.binary.perceptron import perceptron
from littlestone.protocol import Block, Learner
from littlestone.protocol.block import or_ones
from littlestone.protocol.learner import like
from littlestone.protocol.mixture import row_sums, row_values
from littlestone.protocol.workers import OneProcess
from littlestone.reference.mixing import whole_parts
from littlestone.rounds.reading import ROW_VERSION
from littlestone.theory import mixing as theory
from littlestone.theory.bound import Claim, judge, parse_assumption
from littlestone.theory.certificate import exactly, stated_settings
from littlestone.witnesses.contradictions import WholeStream
from littlestone.witnesses.stream_digest import Digest

BY_KEY = "mix plays one learner over shards of all rounds, and each key would have a learner of its own; leave out mix or key"
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
        able = theorems_of(learner).means
        chosen: dict[str, Any] = {"mean": able[0], "shards": workers or 2}
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
        require(chosen["mean"] in able, f"mix: mean={chosen['mean']}; {learner.name} takes {' or '.join(able)}")
        return cls(**chosen)


def theorems_of(learner: Any) -> theory.MixingTheorems:
    """What is true of a learner over shards; one that cannot be mixed is refused."""
    theorems: Any = learner.family.mixing if isinstance(learner, Learner) else None
    reason = "no theorem is known here that would bound its mistakes" if theorems is None else theorems.refuses(learner.settings)
    require(not reason and learner.mixture is not None, f"mix: {learner!r} cannot be mixed: {reason or 'it does not say how'}")
    return theorems


@dataclass(frozen=True, eq=False)
class MixedRun:
    """What mixing leaves: mistakes by epoch and shard, what all shards know in the end, and what its bounds need."""

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
    again: Callable[[], WholeStream]  # all rounds, with the names of their features
    read_by: Any = None  # what was said of how its rows are read

    @cached_property
    def whole(self) -> WholeStream:
        """All rounds in memory: what contradicts a declaration is looked for there."""
        return self.again()

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
        """What a bound in hindsight needs of a witness."""
        lost = next(sums for other, sums in self.candidates if other is witness)
        return self._facts(witness, lost)

    def _facts(self, witness: Any, lost: Sequence[float]) -> dict[str, Any]:
        """A loss counts as often as the shard in which it falls does; where nothing is averaged, in every epoch."""
        if self.learner.family.mixing.arithmetic == "exact":
            total = Fraction(sum(map(int, lost)) * len(self.counts))
        else:
            total = sum((mu * Fraction(own) for shares in self.shares for mu, own in zip(shares, lost, strict=True)), Fraction(0))
        return {**self.sizes, "R2": theory.decimal_up(self.square), **self.learner.mixture.facts(self.learner, self.state, witness, total)}

    def bounds(self, assume: str | None = None) -> list[Claim]:
        """What the theorems of mixing allow: of what was declared, and compared with the best witness that was tried."""
        claims = []
        for bound in theorems_of(self.learner).bounds_of(self.learner.settings):
            if bound.kind == "hindsight":
                judged = [replace(judge(bound, self.mistakes, self.facts_of(w)), witness=self.in_words(w)) for w, _ in self.candidates]
                held = [claim for claim in judged if claim.limit is not None] or judged
                claims.append(min(held, key=lambda claim: claim.limit or 0))
            elif assume is not None and parse_assumption(assume)[0] == bound.assumes:
                claims.append(self._declared(bound, assume))
        require(
            assume is None or any(c.kind == "a priori" for c in claims),
            f"{self.learner.name} has no bound of mixing that assumes {assume!r}",
        )
        return claims

    def _declared(self, bound: Any, assume: str) -> Claim:
        declared = parse_assumption(assume)[1]
        n = self.learner.n if self.learner.n is not None else len(self.state[0])
        facts = {**bound.optional, "n": n, **self._facts(None, self.candidates[0][1]), **declared}
        theorems = self.learner.family.mixing
        return theory.judged(bound, self.mistakes, assume, facts, self.whole, theorems, stated_settings(self.learner))

    def in_words(self, witness: Any) -> str:
        return self.learner.mixture.in_words(witness)

    def start(self) -> Any:
        """A model that predicts by what all shards know together; where that is no state of the learner, a Perceptron's."""
        rule = self.learner.mixture.linear(self.learner, self.state)
        if rule is None:
            return self.learner.start(like(self.learner.init(1), [*self.state]), ledger=False)
        return perceptron(bias=1).start(PerceptronState(rule[0], np.array([rule[1]])), ledger=False)


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
    reading = None if rounds.stream is None else rounds.stream.reading
    require(reading is None or reading.key is None or reading.only is not None, BY_KEY)
    counted = learner.needs_n and learner.n is None and rounds.columns is None
    stream = rounds.stream if count is not None and y is None else None  # which brings its labels
    there = stream is not None and stream.in_parts and stream.reading.expand == 1
    survey = there and surveyed(stream, boolean, learner, workers)
    if survey:
        rows, met, room = survey.rows, survey.met, survey.room
    else:
        held, met, gate = list[Block](), set[Any](), gate_of(learner, rounds.columns)
        for block in rounds.blocks():
            block = admitted(gate, block)
            met.update(np.unique(block.indices).tolist() if counted else ())
            held.append(block.copy())
        whole, room = Block.joined(held), max(1, gate.span)
        held.clear()
        rows = len(whole)
    require(rows >= mix.shards, f"mix: shards={mix.shards}, and there are only {rows} rounds")
    learner = learner.sized(max(1, len(met)) if counted else rounds.columns)
    cuts = [rows * k // mix.shards for k in range(mix.shards + 1)]
    parts = [survey.range(workers, start, stop) if survey else workers.send(whole.cut(start, stop)) for start, stop in pairwise(cuts)]
    sent = workers.send(learner)
    counts, played = [], [workers.send((tuple(learner.mixture.first(learner, room)), (0, 0)))]
    for _ in range(mix.epochs):
        before, played = played, [workers.submit(play_shard, sent, mix, part, *played) for part in parts]
        counts.append(tuple(wrong for _, wrong in workers.gather(before)))  # shards play on while this process hears of the epoch before
    ends = workers.gather(played)
    state, counts = mixture_of(learner, mix, ends), [*counts[1:], tuple(wrong for _, wrong in ends)]
    witnesses = learner.mixture.witnesses(learner, state)
    measured = workers.gather([workers.submit(measure_shard, sent, state, part, witnesses) for part in parts])
    sizes = tuple(stop - start for start, stop in pairwise(cuts))
    losses = tuple((witness, tuple(shard[3][k] for shard in measured)) for k, witness in enumerate(witnesses))
    moved = mix.shards**2 * sum(array.nbytes for array in state)  # of each shard to every other, and here
    widest, square = max(shard[1] for shard in measured), max(shard[2] for shard in measured)
    labelled = sum(shard[0] for shard in measured)
    again = partial(whole_of, rounds)
    read_by = PlayedReading.of(rounds)
    return MixedRun(learner, mix, sizes, tuple(counts), state, labelled, widest, square, losses, moved, again, read_by)


def whole_of(rounds: Any) -> WholeStream:
    """All rows of a source, in memory."""
    parts = []
    for block in rounds.blocks():
        values = or_ones(block.values, len(block.indices)).astype(np.float32)
        parts.append((np.diff(block.indptr), block.indices.copy(), values, block.labels.copy()))
    return WholeStream.of(parts, 1, name_of(rounds))


def name_of(rounds: Any) -> Callable[[int], str]:
    """Return the function that gives a feature's name for its number."""
    names: Any = rounds.features if rounds.stream is None else rounds.stream.names
    return list(names).__getitem__ if names else str


Played = tuple[tuple[np.ndarray, ...], tuple[int, int]]  # what a shard knows at its end, its false positives and false negatives


def play_shard(learner: Learner, mix: Mixing, block: Block, *before: Played) -> Played:
    """A shard from what all shards know after the epoch before it, as a task: each mixes for itself, and waits for nobody who does."""
    end, predictions = learner.mixture.play(learner, mixture_of(learner, mix, before), block)
    wrong = (block.labels >= 0) & (predictions != (block.labels == 1))
    return tuple(end), (int((wrong & predictions).sum()), int((wrong & ~predictions).sum()))


def mixture_of(learner: Learner, mix: Mixing, played: Sequence[Played]) -> tuple[np.ndarray, ...]:
    """What all shards know together."""
    shares = theory.shares(mix.weights, [sum(wrong) for _, wrong in played])
    return tuple(learner.mixture.merged(learner, [end for end, _ in played], whole_parts(shares), mix.mean))


def measure_shard(learner: Learner, state: Any, block: Block, witnesses: Sequence[Any]) -> tuple:
    """Of a shard: rounds with a label, the widest and the longest of them, and what each witness loses there."""
    labelled, values, widest = block.labels >= 0, row_values(block), int(np.diff(block.indptr).max(initial=0))
    squares = row_sums(block, values * values) + learner.mixture.rho2(learner)
    longest = float(squares[labelled].max(initial=0.0)) * (1 + (widest + 4) * 2.0**-52)
    return int(labelled.sum()), widest, longest, learner.mixture.losses(learner, state, block, witnesses)


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
    stream["row_version"] = ROW_VERSION
    if rounds.stream is not None and rounds.stream.reading.settled:
        stream["reading"] = rounds.stream.reading.stated()
    return theory.sealed(
        learner={"name": run.learner.name, "settings": stated_settings(run.learner)},
        stream=stream,
        mixing={
            "epochs": run.mix.epochs, "shards": list(run.shards), "weights": run.mix.weights, "mean": run.mix.mean,
            "arithmetic": run.learner.family.mixing.arithmetic,
            "counts": [[list(pair) for pair in epoch] for epoch in run.counts],
            "shares": [[exactly(share) for share in epoch] for epoch in run.shares],
        },
        witness=_witness(run, claims, name_of(rounds)),
        assume=assume,
        bounds=[theory.record_of(claim) for claim in claims],
    )  # fmt: skip


def _witness(run: MixedRun, claims: Sequence[Claim], name: Callable[[int], str]) -> dict[str, Any]:
    """Whom the bound in hindsight compares with, by the names of features."""
    best = next((claim for claim in claims if claim.kind == "hindsight"), None)
    if best is None:
        return {}
    witness = next(w for w, _ in run.candidates if judge_same(run, w, best))
    return run.learner.mixture.stated(witness, name)


def judge_same(run: MixedRun, witness: Any, claim: Claim) -> bool:
    facts = run.facts_of(witness)
    return all(facts[key] == value for key, value in claim.facts.items())
