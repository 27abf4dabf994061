"""An explanation as a value: the parts of a prediction, the rounds behind them, and the table that shows them."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from math import exp, isfinite
from textwrap import wrap
from typing import Any, NamedTuple

LEAST = 30  # so wide the first and the last column of a table remain
FOLDED = 10**6  # no terminal is so wide


class Move(NamedTuple):
    """A round of the ledger, and how far it moved a weight (or what the weight is made of). Of several classes, labels are labels."""

    round: int
    label: Any
    predicted: Any
    moved: float

    def __str__(self) -> str:
        return self.written(lambda label: str(int(label) if isinstance(label, bool) else label))

    def written(self, text_of: Callable[[Any], str]) -> str:
        """With the labels as their stream writes them."""
        return f"{self.round} ({text_of(self.label)}/{text_of(self.predicted)}) {self.moved:+.6g}"


@dataclass(frozen=True)
class Share:
    """What one feature adds to the score. A bias, or a vote, has no column; a weight that nobody knows is None."""

    name: str | int
    column: int | None
    value: float
    weight: float | None
    contribution: float | None
    level: float  # the number that rounds move: the weight itself, or what it is made of
    rounds: tuple[Move, ...] = ()  # the largest moves first
    moved_by: int | None = None  # how many rounds moved it in all; None where that is not known

    @property
    def shown(self) -> str:
        return f"({self.name})" if self.column is None else str(self.name)


@dataclass(frozen=True, repr=False)
class Explanation:
    """The prediction for one instance: 1 where the score reaches the threshold. `features` are in the order of what they contribute."""

    learner: str
    prediction: Any  # True or False, or the label; of losses the expert to follow
    score: float | None
    threshold: float | None
    features: tuple[Share, ...]
    moves: str  # what rounds move: weight, exponent, ...
    words: str
    no_rounds: str  # why there are none; "" where there are
    unknown: tuple[str, ...]  # names that the model has not met
    labels: tuple[Any, Any] = (False, True)  # of two classes: what is predicted below the threshold, and what where it is reached
    forecast: float | None = None  # of a panel that forecasts: its score, the log-odds of a 1, or of the class that is named
    additive: bool = True  # do the contributions add up to the score? If not, each is what leaving out the feature changes
    forecast_weights: dict[str, float] = field(default_factory=dict)  # of a forecast: who makes it, with which weight
    answer: Any = None  # what a model with an operating point answers instead

    def __repr__(self) -> str:
        return "\n".join(self.lines())

    def as_json(self) -> dict[str, Any]:
        """All of it in numbers and text; a number that is not finite is None."""
        features = [asdict(share) | {"rounds": [move._asdict() for move in share.rounds]} for share in self.features]
        left = {"labels", *(name for name in ("forecast", "answer") if getattr(self, name) is None)}
        left |= set() if self.forecast_weights else {"forecast_weights"}
        fields = {name: value for name, value in vars(self).items() if name not in left}
        return _plain({**fields, "features": features, "unknown": list(self.unknown)})

    def lines(self, most: int = 10, rounds: int = 3, labels: Sequence[str] | None = None, width: int | None = None) -> list[str]:
        """A table of so many features with so many rounds each; `labels` are as the stream writes them, `width` that of the terminal."""
        labels = labels or (("0", "1") if self.labels == (False, True) else tuple(map(str, self.labels)))
        lines = [f"predicted {self._predicted(labels)}{self._why()}"]
        if self.answer is not None:
            lines.append(f"  answered {self._text_of(self.answer, labels)}, at the model's operating point")
        if self.forecast is not None:
            lines.append(f"  {self._forecast_in_words(labels)}")
        if self.forecast_weights:
            lines.append(f"  {self._forecasters_in_words()}")
        if self.words:
            lines.append(f"  {self.words}")
        for digits, longest in ((6, None), (3, None), (3, width)):  # as much as fits into a narrow terminal
            rows = [self._heading(), *(self._row(share, rounds, labels, digits) for share in self.features[:most])]
            widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
            over = 2 + sum(widths[:-1]) + 2 * (len(widths) - 2) - (width or FOLDED)
            if over > 0 and longest is not None:
                widths[0] = max(LEAST, widths[0] - over)
            if over <= 0:
                break
        for name, *numbers, last in rows if self.features else ():
            name = name if len(name) <= widths[0] else f"{name[: widths[0] - 1]}…"
            cells = [f"{number:>{width}}" for number, width in zip(numbers, widths[1:-1], strict=True)]
            lines += _folded("  ".join([f"  {name:<{widths[0]}}", *cells, ""]), last, width)
        if len(self.features) > most:
            lines.append(f"  and {len(self.features) - most:,} more")
        if self.unknown:
            lines.append(f"  never met: {', '.join(self.unknown)}")
        if self.no_rounds:
            lines.append(f"  no rounds: {self.no_rounds}")
        return lines

    def _predicted(self, labels: Sequence[str]) -> str:
        return self._text_of(self.prediction, labels)

    def _text_of(self, label: Any, labels: Sequence[str]) -> str:
        """A label as the stream writes it."""
        return labels[self.labels.index(label)]

    def _reached(self) -> bool:
        """Does the prediction say that the score reaches the threshold?"""
        return bool(self.prediction == self.labels[1])

    def _why(self) -> str:
        if self.score is None or self.threshold is None or self.forecast is not None:
            return ""
        score, threshold = f"{self.score:.6g}", f"{self.threshold:.6g}"
        if (self.score >= self.threshold) != self._reached():
            return f": score {score} is too near the threshold {threshold} for doubles to tell, and exact arithmetic decided"
        if score == threshold and self.score != self.threshold:
            score, threshold = f"{self.score!r}", f"{self.threshold!r}"
        return f": score {score} {'reaches' if self._reached() else 'is below'} the threshold {threshold}"

    def _forecast_in_words(self, labels: Sequence[str]) -> str:
        """The probability of the label, and that the vote predicts another one where it does."""
        assert self.forecast is not None
        chance = 1 / (1 + exp(-max(self.forecast, -700.0)))
        text = f"forecast: {self._about(labels)} has probability {chance:.4g} (score {self.forecast:.6g})"
        return f"{text}; the prediction is the vote's, which has the mistake bound" if self._voted_apart() else text

    def _voted_apart(self) -> bool:
        """True if the vote predicts another label than the forecast."""
        return self._reached() != (self.score is not None and self.score >= 0)

    def _forecasters_in_words(self) -> str:
        """The three forecasters with the largest weights, which are not those that the vote gives the members."""
        ranked = sorted(self.forecast_weights.items(), key=lambda item: -item[1])
        text = ", ".join(f"{name} (forecast weight {weight:.2g})" for name, weight in ranked[:3])
        others = f" and {len(ranked) - 3} others" if len(ranked) > 3 else ""
        return f"forecast by {text}{others}"

    def _about(self, labels: Sequence[str]) -> str:
        """The label whose probability is forecast."""
        return labels[1]

    def _levels(self) -> bool:
        """Do rounds move something else than the weights, and is there any of it to show?"""
        return self.moves != "weight" and any(share.column is not None for share in self.features)

    def _heading(self) -> list[str]:
        weight = ["weight"] if self.additive else []
        level = [self.moves] if self._levels() else []
        return ["feature", "value", *weight, *level, "contribution", "" if self.no_rounds else "moved by round (label/predicted)"]

    def _row(self, share: Share, most: int, labels: Sequence[str], digits: int = 6) -> list[str]:
        level = [_number(None if share.column is None else share.level, digits)] if self._levels() else []
        moves = [move.written(lambda label: self._text_of(label, labels)) for move in share.rounds[:most]]
        if share.moved_by is not None and share.moved_by > len(moves) > 0:
            moves.append(f"and {share.moved_by - len(moves):,} more")
        weight = [_number(share.weight, digits)] if self.additive else []
        value = share.value if self.additive or share.column is not None else None
        numbers = [_number(value, digits), *weight, *level, _number(share.contribution, digits)]
        return [share.shown, *numbers, "" if self.no_rounds else ", ".join(moves) or "none"]


@dataclass(frozen=True, repr=False)
class ClassExplanation(Explanation):
    """The same of several classes: why this class, and not its strongest rival. It is named where the score reaches the threshold."""

    rival: Any = None
    scores: dict[Any, float] = field(default_factory=dict)  # of every class
    by: str = ""  # whose weights these are

    def as_json(self) -> dict[str, Any]:
        return super().as_json() | {"scores": {str(label): score for label, score in self.scores.items()}}

    def _text_of(self, label: Any, labels: Sequence[str]) -> str:
        return str(label)

    def _about(self, labels: Sequence[str]) -> str:
        return str(self.prediction)

    def _voted_apart(self) -> bool:
        return any(score > self.scores[self.prediction] for score in self.scores.values())

    def _reached(self) -> bool:
        return self.rival is None or self.score is None or self.threshold is None or self.score >= self.threshold

    def _why(self) -> str:
        rival = "" if self.rival is None else f", the strongest rival is {self.rival}"
        return f"{rival}{f'; {self.by}' if self.by else ''}{super()._why()}"


@dataclass(frozen=True, repr=False)
class AdviceExplanation(Explanation):
    """The same of a rule over experts: each expert with its advice, and by what weight it counts."""

    def _heading(self) -> list[str]:
        return ["expert", "advice", "weight", "contribution", ""]

    def _why(self) -> str:
        if self.threshold is None and self.score is not None:
            return ": the weighted mean" + ("" if self.prediction == self.score else f" is {self.score:.6g}")
        return super()._why()

    def _reached(self) -> bool:
        return bool(self.prediction)

    def _predicted(self, labels: Sequence[str]) -> str:
        if isinstance(self.prediction, float):
            return f"{self.prediction:.6g}"
        return str(int(self.prediction)) if isinstance(self.prediction, bool) else str(self.prediction)


def _folded(cells: str, last: str, width: int | None) -> list[str]:
    """A row of the table; where its last cell does not fit, in several lines, all of which begin where the first one does."""
    if width is None or not last or len(cells) + len(last) <= width:
        return [(cells + last).rstrip()]
    indent = len(cells) if len(cells) + LEAST <= width else 6
    parts = wrap(last, max(LEAST, width - indent), break_on_hyphens=False, break_long_words=False)
    first = [cells + parts[0]] if indent == len(cells) else [cells.rstrip(), " " * indent + parts[0]]
    return first + [" " * indent + part for part in parts[1:]]


def _number(number: float | None, digits: int) -> str:
    return "" if number is None else f"{number + 0.0:.{digits}g}"  # + 0.0: no -0


def _plain(thing: Any) -> Any:
    """The same with None for numbers that JSON has no word for."""
    if isinstance(thing, dict):
        return {key: _plain(value) for key, value in thing.items()}
    if isinstance(thing, list):
        return [_plain(value) for value in thing]
    return None if isinstance(thing, float) and not isfinite(thing) else thing
