"""A game as the page shows it: who plays, against whom, and everything that can be seen after each round."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from math import isfinite
from typing import Any

from littlestone import learners
from littlestone.api.certify import certify
from littlestone.api.duel import Duel, duel, made_for
from littlestone.api.duel_bounds import Upper
from littlestone.api.play import play
from littlestone.concepts import ConceptClass
from littlestone.concepts.finite import NAMED, finite
from littlestone.errors import LittlestoneError, require
from littlestone.games import adversaries
from littlestone.games.adversaries import Adversary, RecordedRounds, class_of
from littlestone.learners import experts, reductions
from littlestone.models.compare import weights_of
from littlestone.protocol import Learner, Rule, naming
from littlestone.protocol.players import Instance, player
from littlestone.report import duel as words
from littlestone.service.lab import rows
from littlestone.service.lab.requests import LabRequest, shortened
from littlestone.theory.claims import best
from littlestone.theory.comparators.vector import Vector

MOST_ROUNDS = 400  # against an adversary, or typed
MOST_N = 2048  # features, or experts
MOST_TYPED = 24  # features of rounds that are typed
MOST_CONCEPTS = 2048  # that are counted one by one
NAMED_CONCEPTS = 16  # that are left, and listed
BARS = 24  # weights that are shown
CHANGES = 8  # of weights that are listed after a round
WITNESS = 6  # weights of a vector that are named
SPEC = 200  # letters of a learner or an adversary with its settings


@dataclass(frozen=True)
class LearnerGame:
    """One learner's game, and what else is known of it."""

    duel: Duel
    text: str  # the learner, as it was asked for
    certificate: Any = None  # of rows of the user's own
    run: Any = None


@dataclass(frozen=True)
class GameTable:
    """Where a game is played: who picks the rounds, and what features and labels are called."""

    foe: Adversary
    rounds: int | None
    features: Sequence[str] = ()
    labels: tuple[str, str] = ("0", "1")
    rows: rows.PastedRows | None = None


@contextmanager
def opened(asked: LabRequest) -> Iterator[GameTable]:
    """Whom the request plays against."""
    source = asked.part("against")
    kind = source.choice("kind", ("adversary", "typed", "rows"))
    if kind == "rows":
        with rows.opened(source) as read:
            yield GameTable(read.recorded, None, read.features, read.labels, read)
    elif kind == "typed":
        yield GameTable(typed(source, _gives(asked)), None)
    else:
        foe = adversaries.named(source.text("name", SPEC))
        require(foe.n <= MOST_N, f"{shortened(repr(foe), 80)} has n={shortened(foe.n)}; in the lab n is at most {MOST_N:,}")
        yield GameTable(foe, asked.whole("rounds", 1, MOST_ROUNDS, MOST_ROUNDS))


def _gives(asked: LabRequest) -> str:
    """What typed rounds are: votes where every learner is a rule over experts, else features."""
    texts = texts_of(asked)
    rules = [naming.split(text)[0] in experts.names() for text in texts]
    require(all(rules) or not any(rules), f"{' and '.join(texts)}: one takes votes of experts, the other features; expected two of a kind")
    return "votes" if all(rules) else "features"


def typed(source: LabRequest, gives: str) -> RecordedRounds:
    """Rounds that the user has typed: each [active features, label]; of rules over experts [experts that vote 1, label]."""
    n = source.whole("n", 1, MOST_TYPED, 4)
    name = source.text("concepts", 60, "")
    require(not name or name in NAMED, f"concepts={shortened(name)}: expected one of {', '.join(NAMED)}, or none")
    require(not name or gives == "features", f"concepts={name}: rules over experts are given votes, and no class labels them")
    concepts = finite(name, n) if name else None
    if concepts is not None:
        size = concepts.size or 0
        require(size <= MOST_CONCEPTS, f"{concepts!r} has {size:,} concepts; in the lab at most {MOST_CONCEPTS:,}: choose a smaller n")
    stream: list[tuple[Instance, bool]] = []
    for row in source.items("rounds", 0, MOST_ROUNDS):
        pair = isinstance(row, list) and len(row) == 2 and not isinstance(row[1], bool) and row[1] in (0, 1)
        require(pair, f"round {len(stream) + 1}: expected [[active features], label], the label 0 or 1")
        stream.append((instance(row[0], n, gives, concepts, f"round {len(stream) + 1}"), bool(row[1])))
    foe = RecordedRounds(n, tuple(stream), "your own rounds", concepts, gives)
    foe.witness(foe.stream)
    return foe


def instance(active: Any, n: int, gives: str, concepts: ConceptClass | None, where: str) -> Instance:
    whole = isinstance(active, list) and all(isinstance(i, int) and not isinstance(i, bool) and 0 <= i < n for i in active)
    require(whole and len(set(active)) == len(active), f"{where}: expected a list of different features from 0 to {n - 1}")
    points = concepts is not None and concepts.domain == "points"
    require(not points or len(active) == 1, f"{where}: an instance of {concepts!r} is one point; expected one number")
    return [float(i in active) for i in range(n)] if gives == "votes" else dict.fromkeys(sorted(active), 1)


def texts_of(asked: LabRequest) -> list[str]:
    texts = asked.items("learners", 1, 2)
    for text in texts:
        require(isinstance(text, str) and len(text) <= SPEC and text.isprintable(), f"learners: expected names of at most {SPEC} letters")
    return texts


def learner_for(text: str, foe: Adversary) -> Any:
    """One of the catalogues, told what the adversary knows. No file and no other library: a link may come from anybody."""
    name, parts = naming.split(text)
    room: Any = experts if name in experts.names() else reductions if name == "panel" else learners
    return made_for(foe, text, room.factory(name), parts)


def played(asked: LabRequest, table: GameTable) -> list[LearnerGame]:
    """The games of all learners that are asked for."""
    return [_played(text, table) for text in texts_of(asked)]


def _played(text: str, table: GameTable) -> LearnerGame:
    learner = learner_for(text, table.foe)
    game = duel(learner, table.foe, table.rounds)
    if not table.foe.own or not game.rounds or not isinstance(game.game.player.learner, Learner):
        return LearnerGame(game, text)
    made = game.game.player.learner
    stream: list[dict] = [dict(x) for x, _ in game.game.stream if isinstance(x, Mapping)]
    if table.features and getattr(made.concepts, "symmetric", True):  # a witness names the columns that it speaks of
        stream = [{feature_name(i, table): v for i, v in x.items()} for x in stream]
    labels = [int(y) for _, y in game.game.stream]
    run = play(made, stream, labels)
    try:
        certificate = certify(run, stream, labels)
    except LittlestoneError:  # nothing can be certified of it
        return LearnerGame(game, text, run=run)
    claim = best([claim for claim in certificate.bounds if claim.compares])
    if game.upper.kind != "a priori" and claim is not None and claim.limit is not None and claim.holds:
        game = replace(game, upper=Upper(int(claim.limit), claim.name, "", claim.kind, claim.formula, claim.source))
    return LearnerGame(game, text, certificate, run)


def answered(asked: LabRequest) -> dict[str, Any]:
    """The whole of a request: a game for each learner."""
    with opened(asked) as table:
        games = [shown(game, table) for game in played(asked, table)]
        answer: dict[str, Any] = {"games": games, "labels": list(table.labels), "source": asked.part("against").value["kind"]}
        if isinstance(table.foe, RecordedRounds) and table.rows is None:
            answer["next"] = following(asked, table.foe)
        return answer


def following(asked: LabRequest, foe: RecordedRounds) -> dict[str, Any] | None:
    """What each learner predicts of an instance that has no label yet, and the labels that the class still allows."""
    source = asked.part("against")
    if source.value.get("next") is None:
        return None
    x = instance(source.value["next"], foe.n, foe.gives, foe.concepts, "next")
    predictions = []
    for text in texts_of(asked):
        who = player(learner_for(text, foe), foe.n)
        for row, y in foe.stream:
            who.predict(row)
            who.update(row, y)
        predictions.append(int(who.predict(x)))
    labels = [0, 1] if foe.concepts is None else sorted({int(bool(concept(x))) for concept in alive(foe.concepts, foe.stream)})
    return {"predictions": predictions, "labels": labels}


def alive(concepts: ConceptClass, stream: Sequence[tuple[Instance, bool]]) -> list[Any]:
    left = list(concepts)
    for x, y in stream:
        left = [concept for concept in left if bool(concept(x)) == y]
    return left


def shown(game: LearnerGame, table: GameTable) -> dict[str, Any]:
    """One learner's game, for the page."""
    done = game.duel
    names = [feature_name(i, table) for i in range(table.foe.n)]
    bars = Bars(done, names)
    left = remaining(done)
    table_words = words.DuelTable(done, 10_000)
    high = done.upper
    rounds = []
    mistakes = 0
    for t, round_ in enumerate(done.game.rounds, 1):
        mistakes += round_.mistake
        step = done.steps.get(t)
        rounds.append(
            {
                "x": described(round_.x, table),
                "on": active(round_.x),
                "predicted": int(round_.predicted),
                "label": int(round_.y),
                "mistakes": mistakes,
                "weights": bars.after[t - 1],
                "moved": bars.moved[t - 1],
                "left": left[t - 1] if left else None,
                "terms": None if step is None else [[number_of(term) for term in terms] for terms in step.numbers],
                "broken": [] if step is None else list(step.broken),
            }
        )
    return {
        "learner": done.learner,
        "text": game.text,
        "against": repr(table.foe),
        "n": table.foe.n,
        "votes": table.foe.gives == "votes",
        "mistakes": done.mistakes,
        "rounds": rounds,
        "bars": {"heading": bars.heading, "names": bars.names, "places": bars.places, "start": bars.start, "all": bars.all},
        "class": start_of(done),
        "lines": [list(line.symbols) for line in done.proof.lines],
        "letters": words.letters(done, table_words, names),
        "lower": done.lower_bound,
        "upper": high.limit,
        "upper_name": high.name,
        "outcome": words.outcome(done),
        "holds": done.holds,
        "complete": done.game.complete,
        "claims": []
        if game.certificate is None
        else [_claim(claim, game.certificate) for claim in game.certificate.bounds if claim.compares],
    }


def _claim(claim: Any, certificate: Any) -> dict[str, Any]:
    """A bound of a certificate for the page, with whom it compares the learner: of a vector, its largest weights by name."""
    whom, vector = certificate.compared(claim).removeprefix(", compared with "), claim.comparator
    if isinstance(vector, Vector) and vector.weights:
        ranked = sorted(vector.weights.items(), key=lambda item: (-abs(item[1]), item[0]))
        shown = ", ".join(f"{name} {words.number(Fraction(weight, 2**vector.exponent))}" for name, weight in ranked[:WITNESS])
        whom = f"{whom}: {shown}{', …' if len(ranked) > WITNESS else ''}"
    return {"name": claim.name, "kind": claim.kind, "limit": claim.limit, "holds": claim.holds, "whom": whom, "formula": claim.formula}


def number_of(value: Any) -> list[Any]:
    """A number as it is drawn, and as it is written."""
    near = float(value)
    return [near if isfinite(near) else None, words.number(value)]


def feature_name(i: int, table: GameTable) -> str:
    if i < len(table.features):
        return table.features[i]
    return f"expert {i}" if table.foe.gives == "votes" else f"x{i}"


def active(x: Instance) -> list[int]:
    return sorted(i for i, v in x.items() if v)[:MOST_N] if isinstance(x, Mapping) else [i for i, v in enumerate(x) if v][:MOST_N]


def described(x: Instance, table: GameTable) -> str:
    """The instance in letters: a set of features, votes, or names with their values."""
    if not table.features or not isinstance(x, Mapping):
        return words.instance(x, table.foe.n, 60)
    listed = [feature_name(i, table) + ("" if v == 1 else f" = {words.number(v)}") for i, v in x.items() if v]
    return ", ".join(listed[:12]) + (f" … and {len(listed) - 12} more" if len(listed) > 12 else "") if listed else "no feature"


def start_of(done: Duel) -> dict[str, Any] | None:
    concepts = counted_class(done)
    return None if concepts is None else {"name": repr(concepts), "size": concepts.size}


def counted_class(done: Duel) -> ConceptClass | None:
    """The class of the adversary, or else of the learner, where it is small enough to look at each concept."""
    plays = done.game.player.learner
    concepts = class_of(done.adversary) or (plays.concepts if isinstance(plays, Learner) else None)
    small = concepts is not None and concepts.size is not None and concepts.size <= MOST_CONCEPTS
    return concepts if small and done.adversary.gives == "features" else None


def remaining(done: Duel) -> list[dict[str, Any]]:
    """After each round the concepts that agree with every label; listed where they are few."""
    concepts = counted_class(done)
    if concepts is None:
        return []
    left, listed = list(concepts), []
    for round_ in done.game.rounds:
        left = [concept for concept in left if bool(concept(round_.x)) == round_.y]
        few = [shortened(concept, 60) for concept in left] if len(left) <= NAMED_CONCEPTS else []
        listed.append({"count": len(left), "concepts": few})
    return listed


class Bars:
    """The weights after each round: of all features where they are few, else of those that moved most."""

    def __init__(self, done: Duel, names: Sequence[str]) -> None:
        self.heading, self.names, self.places = "", list[str](), list[int]()
        self.start: list[float] | None = None
        self.all = 0  # weights, shown or not
        self.after: list[list[float | None] | None] = [None] * done.rounds
        self.moved: list[list[Any]] = [[] for _ in range(done.rounds)]
        learner = done.game.player.learner
        if learner is None:
            return
        who = player(learner, done.adversary.n)
        before = self._of(who, names)
        if before is None:
            return
        first, history = before, []
        for round_ in done.game.rounds:
            who.predict(round_.x)
            who.update(round_.x, round_.y)
            now = self._of(who, names)
            assert now is not None
            history.append(now)
        keys = list(first) if len(first) <= BARS else self._largest(first, history)
        self.names, self.all = [str(key) for key in keys], len({key for now in (first, *history[-1:]) for key in now})
        place = {name: i for i, name in enumerate(names)}
        self.places = [place.get(key, -1) for key in keys]
        self.start = [_finite(first.get(key, 0.0)) or 0.0 for key in keys]
        for t, now in enumerate(history):
            changes = [[str(key), _written(before.get(key, 0.0)), _written(now[key])] for key in now if now[key] != before.get(key, 0.0)]
            self.moved[t] = changes[:CHANGES] + ([["…", str(len(changes) - CHANGES), "more"]] if len(changes) > CHANGES else [])
            self.after[t] = [_finite(now.get(key, 0.0)) for key in keys] if changes else None
            before = now

    def _of(self, who: Any, names: Sequence[str]) -> dict[str, float] | None:
        learner = who.learner
        if isinstance(learner, Rule):
            self.heading = "weights of the experts, adding up to 1"
            if who.model.rule.weights is None:
                return None
            return {name: float(v) for name, v in zip(names, who.model.weights, strict=False)}
        seats = learner.seats(who.state)
        if seats:
            self.heading = "weights of the panel's members"
            return {seat.name: float(seat.weight) for seat in seats}
        weights = weights_of(learner, who.state)
        if weights is None:
            return None
        field = getattr(who.state, "_fields", ("",))[0]
        numbers = [float(v) for v in weights.tolist()] + [0.0] * (len(names) - len(weights))
        if learner.scored or field == "w":
            self.heading = "weights"
        elif field == "e" and "alpha" in learner.settings:
            self.heading = f"weights w = α^e, α = {learner.settings['alpha']}"
            numbers = [float(learner.settings["alpha"]) ** v for v in numbers]
        else:
            self.heading = f"“{field}”: what the learner keeps of each feature"
        return dict(zip(names, numbers, strict=False))

    @staticmethod
    def _largest(first: Mapping[str, float], history: Sequence[Mapping[str, float]]) -> list[str]:
        """Those that were furthest from where they began, in their own order."""
        furthest = dict.fromkeys(first, 0.0)
        for now in history:
            for key, value in now.items():
                furthest[key] = max(furthest.get(key, 0.0), abs(value - first.get(key, 0.0)))
        chosen = set(sorted(furthest, key=lambda key: -furthest[key])[:BARS])
        return [key for key in furthest if key in chosen]


def _finite(value: float) -> float | None:
    return value if isfinite(value) else None


def _written(value: float) -> str:
    return words.number(value) if isfinite(value) else "∞"
