"""`duel`: a learner against an adversary, with the proof beside the game.

The game is played first; then the adversary hands over its witness, and the learner plays the same rounds once more, so that at each
mistake the numbers of its proof are known: those that speak of the witness too.
"""

import inspect
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from littlestone.api.duel_bounds import Target, Upper, target_of, upper_of
from littlestone.api.play import play
from littlestone.errors import LittlestoneError, require
from littlestone.games import adversaries
from littlestone.games.adversaries import Adversary, Game, GameRound
from littlestone.protocol import Block, Learner, Rule, Runner, naming
from littlestone.protocol.invariants import CheckedRunner
from littlestone.theory import Invariant, Moment
from littlestone.theory.potentials import Proof, Term, proof_of, rises


class Step(NamedTuple):
    """The proof just after a mistake: the numbers of each of its lines, and what the state says by itself."""

    numbers: tuple[tuple[Term, ...], ...]
    potentials: Mapping[str, Term]
    broken: tuple[str, ...] = ()  # lines and lemmas that do not hold


@dataclass(frozen=True)
class Duel:
    """A game, with its proof and both bounds.

    >>> import littlestone as ls
    >>> duel = ls.duel(ls.winnow, ls.adversaries.unit_vectors(8))
    >>> duel.mistakes, duel.lower_bound, duel.upper_bound, duel.rounds, duel.holds
    (8, 8, 50, 8, True)
    """

    game: Game
    proof: Proof
    steps: Mapping[int, Step]  # by round, counted from 1: the mistakes
    witness: Any
    target: Target  # the witness as the proof takes it
    upper: Upper

    @property
    def learner(self) -> str:
        made = self.game.player.learner
        return self.game.player.name if made is None else repr(made)

    @property
    def adversary(self) -> Adversary:
        return self.game.adversary

    @property
    def mistakes(self) -> int:
        return self.game.mistakes

    @property
    def rounds(self) -> int:
        return len(self.game.rounds)

    @property
    def lower_bound(self) -> int | None:
        return self.game.lower_bound

    @property
    def upper_bound(self) -> int | None:
        return self.upper.limit

    @property
    def faults(self) -> list[str]:
        """What was claimed and turned out false: nothing, unless there is an error in a proof or in the code."""
        faults = [f"round {t}: {fault}" for t, step in self.steps.items() for fault in step.broken]
        if self.lower_bound is not None and self.mistakes < self.lower_bound:
            faults.append(f"{self.mistakes} mistakes are fewer than {self.lower_bound}, which {self.adversary!r} forces")
        if self.upper_bound is not None and self.mistakes > self.upper_bound:
            faults.append(f"{self.mistakes} mistakes are more than {self.upper_bound}, which {self.upper.name} allows")
        if self.witness is not None and self.adversary.gives == "features":
            wrong = [t for t, played in enumerate(self.game.rounds, 1) if bool(self.witness(played.x)) != played.y]
            faults += [f"round {t}: the witness {self.witness!r} gives another label" for t in wrong[:1]]
        return faults

    @property
    def holds(self) -> bool:
        return not self.faults

    @property
    def lower_words(self) -> str:
        """Whose the lower bound is; or why there is none."""
        foe = self.adversary
        if foe.own:
            return f"{foe!r} were chosen before, and force nothing"
        if self.game.excuse:
            return f"the number of {foe!r} is not proved for {self.game.player.name}: {self.game.excuse}"
        if foe.forces is None:
            return f"{foe!r} {'has no number that is proved' if foe.ends else 'never ends'}"
        if not self.game.complete:
            return f"{foe!r} was stopped after {self.rounds} rounds; to its end it forces {foe.forces}"
        return f"{foe!r}, proved for {foe.against}"

    def as_json(self) -> dict[str, Any]:
        """As `littlestone duel --json` prints it."""
        upper = self.upper
        return {
            "learner": self.learner,
            "adversary": repr(self.adversary),
            "mistakes": self.mistakes,
            "lower_bound": self.lower_bound,
            "upper_bound": self.upper_bound,
            "rounds": self.rounds,
            "complete": self.game.complete,
            "holds": self.holds,
            "faults": self.faults,
            "lower": {"why": self.lower_words, "against": self.adversary.against, "source": self.adversary.source},
            "theorem": None
            if upper.limit is None
            else {"name": upper.name, "assumes": upper.assumes, "kind": upper.kind, "formula": upper.formula, "source": upper.source},
            "why": upper.why,
            "witness": None if self.witness is None else repr(self.witness),
            "proof": {"lines": [list(line.symbols) for line in self.proof.lines], "letters": self.proof.letters},
            "stream": [self._round_json(t, played) for t, played in enumerate(self.game.rounds, 1)],
        }

    def _round_json(self, t: int, played: GameRound) -> dict[str, Any]:
        x: Any = {str(i): plain(v) for i, v in played.x.items()} if isinstance(played.x, Mapping) else [plain(v) for v in played.x]
        step = self.steps.get(t)
        fields: dict[str, Any] = {"x": x, "predicted": int(played.predicted), "label": int(played.y), "mistake": played.mistake}
        fields["potentials"] = None if step is None else {name: plain(value) for name, value in step.potentials.items()}
        if step is not None:
            fields["inequalities"] = [[plain(term) for term in numbers] for numbers in step.numbers]
        return fields


def plain(value: Any) -> int | float:
    """A number as JSON has it."""
    if isinstance(value, bool | int):
        return int(value)
    if isinstance(value, np.generic):
        return plain(value.item())
    whole = isinstance(value, Fraction) and value.denominator == 1
    return int(value) if whole or (isinstance(value, Decimal) and value == value.to_integral_value()) else float(value)


def duel(learner: Any, adversary: Any, rounds: int | None = None) -> Duel:
    """Let a learner meet an adversary, for so many rounds or to its end.

    The learner is one of this library, a rule over experts, another library's estimator, anything with `predict` and `update`, or a class
    or function that makes one, which is told n and the class of concepts where it asks for them. The adversary is one of
    `littlestone.games.adversaries`, or its name as text.

    >>> import littlestone as ls
    >>> duel = ls.duel(ls.halving, "unit_vectors:n=4")
    >>> duel.mistakes, duel.upper_bound, [step.potentials["|V|"].numerator for step in duel.steps.values()]
    (4, 4, [8, 4, 2, 1])
    """
    foe = adversaries.named(adversary) if isinstance(adversary, str) else adversary
    require(isinstance(foe, Adversary), f"{foe!r} is no adversary; expected one of littlestone.games.adversaries, or its name")
    game = adversaries.meet(informed(learner, foe), foe, rounds=rounds)
    witness, plays = game.witness, game.player.learner
    if isinstance(plays, Rule):
        return _of_rule(game, plays, witness)
    if isinstance(plays, Learner):
        return _of_learner(game, plays, witness)
    return Duel(game, Proof(), {}, witness, Target(), Upper(why=f"no theorem about {game.player.name} is known here"))


def informed(learner: Any, foe: Adversary) -> Any:
    """A function or class that takes n, or a class of concepts, is told what the adversary knows; anything else is left as it is."""
    if not callable(learner) or hasattr(learner, "predict_one") or (hasattr(learner, "predict") and not isinstance(learner, type)):
        return learner
    try:
        known = known_to(foe, learner)
    except (TypeError, ValueError) as error:
        if isinstance(error, LittlestoneError):
            raise
        return learner  # what has no signature is made by whoever made it
    return learner(**known) if known else learner


def made_for(foe: Adversary, text: str, factory: Any, parts: Sequence[str]) -> Any:
    """What the factory makes, told what the adversary knows where the text says nothing of it."""
    return naming.made("learner", text, factory, parts, **known_to(foe, factory, [part.partition("=")[0] for part in parts]))


def known_to(foe: Adversary, factory: Any, settings: Collection[str] = ()) -> dict[str, Any]:
    """What an adversary can tell a function that makes a learner: its class of concepts, or n, where the function takes them and no setting
    says otherwise. A learner of a finite class must be told one: no other is to be taken that nobody named.
    A Perceptron goes without a bias, but for rounds of the user's own: the bounds that adversaries meet are those of the lecture's.
    """
    takes, concepts = inspect.signature(factory).parameters, adversaries.class_of(foe)
    if "concepts" in takes and not {"concepts", "n", "r"}.intersection(settings):
        ours, name = getattr(factory, "__module__", "").startswith("littlestone."), getattr(factory, "__name__", "")
        require(
            concepts is not None or not ours or foe.gives != "features",
            f"{name} learns a finite class of concepts, and {foe!r} has none to tell it, or one that is too large; expected a class, as in "
            f"{name}:concepts=NAME:n=N",
        )
        if concepts is not None:
            return {"concepts": concepts}
    homogeneous = not foe.own and getattr(takes.get("bias"), "default", 0) == 1 and not {"bias", "preset"}.intersection(settings)
    return ({"n": foe.n} if "n" in takes else {}) | ({"bias": 0} if homogeneous else {})


def _of_learner(game: Game, learner: Learner, witness: Any) -> Duel:
    rows = [{i: float(v) for i, v in played.x.items() if v} for played in game.rounds if isinstance(played.x, Mapping)]
    block = Block.of(rows, [int(played.y) for played in game.rounds])
    target = target_of(witness, learner, block)
    proof = proof_of(learner.family, learner.settings, target.weights is not None)
    replay = Replay(Runner(learner, columns=game.adversary.n), game, target, proof)
    predictions = replay.take(block)
    answers = [played.predicted for played in game.rounds]
    require(predictions.tolist() == answers, f"{learner!r} predicts otherwise when the same rounds are played again")
    rounded = first_rounded(game)
    if rounded is not None:  # the witness speaks of other instances than those that the learner saw
        upper = Upper(why=f"{learner.name} keeps values in single precision; from round {rounded} on it sees other numbers than were shown")
    else:
        upper = upper_of(replay.runner.run(predictions), witness, target)
    return Duel(game, proof, replay.steps, witness, target, upper)


def first_rounded(game: Game) -> int | None:
    """The first round, counted from 1, with a value that is not the same in single precision, in which a Block keeps it."""
    for t, played in enumerate(game.rounds, 1):
        if isinstance(played.x, Mapping) and any(Fraction(float(np.float32(float(v)))) != Fraction(v) for v in played.x.values()):
            return t
    return None


class Replay(CheckedRunner):
    """The rounds of a game once more, with a look at the proof after each mistake."""

    def __init__(self, runner: Runner, game: Game, target: Target, proof: Proof) -> None:
        super().__init__(runner, target.weights)
        self.game, self.target, self.proof = game, target, proof
        self.steps: dict[int, Step] = {}

    def _check(self, round_number: int) -> None:
        if self.game.rounds[round_number - 1].mistake:
            self.steps[round_number] = step_at(self.moment(len(self.steps) + 1), self.proof, self.runner.learner.invariants)

    def moment(self, mistakes: int = 0) -> Moment:
        learner, moment = self.runner.learner, super().moment()
        facts = dict(learner.facts(self.runner.run())) if learner.concepts is not None and learner.facts is not None else {}
        known = {**facts, "mistakes": mistakes, "gamma": self.target.gamma, "R2": self.target.longest}
        return replace(moment, settings={**moment.settings, **known})


def step_at(moment: Moment, proof: Proof, lemmas: tuple[Invariant, ...] = ()) -> Step:
    """The numbers of the proof at a moment; a line or lemma that does not hold is named."""
    numbers = tuple(tuple(line.terms(moment)) for line in proof.lines)
    potentials: dict[str, Term] = {"P": moment.promotions, "N": moment.demotions} if proof.counts else {}
    broken = []
    for line, terms in zip(proof.lines, numbers, strict=True):
        potentials |= {symbol: term for symbol, term in zip(line.symbols, terms, strict=True) if symbol in line.potentials}
        if not rises(terms, moment.slack):
            broken.append(f"{line.statement} is false: {' ≤ '.join(f'{float(term):.6g}' for term in terms)}")
    for lemma in lemmas:
        if lemma.needs_witness and moment.witness is None:
            continue
        left, right = lemma.sides(moment)
        if left > right:
            broken.append(f"{lemma.name}, {lemma.statement}, is false: {float(left):.6g} > {float(right):.6g}")
    return Step(numbers, potentials, tuple(broken))


def _of_rule(game: Game, rule: Rule, witness: Any) -> Duel:
    proof = proof_of(rule.family, rule.settings) if rule.advice == "vote" else Proof()
    table = [[float(v) for v in played.x] for played in game.rounds if not isinstance(played.x, Mapping)]
    model, steps, lost = rule.start(), {}, 0.0
    missed = false = 0
    for t, (row, played) in enumerate(zip(table, game.rounds, strict=True), 1):
        lost += abs(model.mixture(row) - played.y)
        model.update(row, played.y)
        if played.mistake:
            missed, false = missed + played.y, false + (not played.y)
            state: Any = model.state
            known = {**rule.settings, "mistakes": missed + false, "loss": Fraction(lost) * (1 - Fraction(1, 2**30))}
            values = {name: {i: Fraction(float(v)) for i, v in enumerate(array)} for name, array in state._asdict().items()}
            steps[t] = step_at(Moment(known, values, missed, false, Fraction(0), None, Fraction(0)), proof)
    run = play(rule, table, [played.y for played in game.rounds])
    return Duel(game, proof, steps, witness, Target(), upper_of(run, witness, Target()))
