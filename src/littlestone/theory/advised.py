"""What a table of advice says, exactly.

Advice is float32, so a loss |a - y| is a whole number over a power of two; sums of them are exact.
"""

from array import array
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from math import frexp
from typing import Any, NamedTuple

from littlestone.errors import require


class ForecastTable(NamedTuple):
    """Of rounds that are forecasts: what each expert said, None while asleep, and what came true; the loss, and what it was divided by."""

    rows: Sequence[tuple[Sequence[float | None], float | None]]
    loss: str
    quantile: Fraction
    scale: Fraction


class AdvisedRow(NamedTuple):
    """A round: the truth (None where none was told; False where the advice is losses), and what each expert says, None while asleep."""

    y: bool | None
    advice: Sequence[float | None]


class Advised:
    """The rows of a table, and the exact losses of its experts."""

    def __init__(self, n: int, rows: Sequence[AdvisedRow], forecasts: ForecastTable | None = None) -> None:
        self.n, self.rows, self.forecasts = n, rows, forecasts
        self.labelled = array("q", (t for t, row in enumerate(rows, 1) if row.y is not None))

    @cached_property
    def unit(self) -> int:
        """A loss of 1, as the whole numbers have it: a float32 has 24 bits, so the smallest says over which power of two all are whole."""
        smallest = min((min(filter(None, row.advice), default=1.0) for row in self.rows if row.y is not None), default=1.0)
        return 1 << (0 if self._votes else max(0, min(149, 24 - frexp(smallest)[1])))

    @cached_property
    def _votes(self) -> bool:
        return all(a in (0.0, 1.0, None) for row in self.rows if row.y is not None for a in row.advice)

    def losses(self, t: int) -> list[int | None]:
        """What each expert loses in row t, in whole numbers; None while asleep."""
        (y, advice), unit = self.rows[t - 1], self.unit
        scale = float(unit)
        if y:
            return [None if a is None else unit - int(a * scale) for a in advice]
        return [None if a is None else int(a * scale) for a in advice]

    def loss(self, i: int, rows: Iterable[int]) -> Fraction:
        """What expert i loses in these rows, where it is awake."""
        unit, total = self.unit, 0
        scale = float(unit)
        for t in rows:
            y, advice = self.rows[t - 1]
            a = advice[i]
            if a is not None:
                total += unit - int(a * scale) if y else int(a * scale)
        return Fraction(total, unit)

    def awake(self, i: int, rows: Iterable[int]) -> list[int]:
        return [t for t in rows if self.rows[t - 1].advice[i] is not None]

    @cached_property
    def first_asleep(self) -> tuple[int, int] | None:
        """The first row whose truth is told and in which somebody sleeps, and who."""
        for t in self.labelled:
            advice = self.rows[t - 1].advice
            if None in advice:
                return t, list(advice).index(None)
        return None

    @cached_property
    def asleep(self) -> set[int]:
        """The rows whose truth is told and in which somebody sleeps."""
        return {t for t in self.labelled if None in self.rows[t - 1].advice}

    def loss_of_path(self, path: Sequence[Sequence[int]], rows: Iterable[int]) -> Fraction:
        """What a sequence of experts loses in these rows, which grow."""
        total, step = 0, 0
        for t in rows:
            while step + 1 < len(path) and path[step + 1][0] <= t:
                step += 1
            lost = self.losses(t)[path[step][1]]
            require(lost is not None, f"the path follows expert {path[step][1]} in row {t}, where it is asleep")
            total += lost or 0
        return Fraction(total, self.unit)

    def loss_of_combination(self, weights: Sequence[int], exponent: int, rows: Iterable[int]) -> Fraction:
        """What the mean of the forecasts with these shares, over 2^exponent, loses in these rows; nobody may sleep."""
        require(self.forecasts is not None, "a combination is of forecasts, and the advice is none")
        assert self.forecasts is not None
        table, loss, q, scale = self.forecasts
        shares = [(i, w) for i, w in enumerate(weights) if w]
        total = Fraction(0)
        for t in rows:
            forecasts, y = table[t - 1]
            require(None not in forecasts and y is not None, f"an expert sleeps in row {t}, and has no share in a combination")
            cells = [(w, *forecasts[i].as_integer_ratio()) for i, w in shares]  # type: ignore[union-attr]
            over = max(bottom for _, _, bottom in cells)  # powers of two
            mean = Fraction(sum(w * top * (over // bottom) for w, top, bottom in cells), over << exponent)
            d = mean - Fraction(y)  # type: ignore[arg-type]
            total += d * d if loss == "squared" else max(-q * d, (1 - q) * d) if loss == "pinball" else abs(d)
        return total / scale

    def passed(self, m: Fraction, changes: int) -> int | None:
        """The row with which every sequence of experts that changes no more often has lost more than m; None where one has not."""
        most, limit = min(changes, max(0, len(self.labelled) - 1)), m * self.unit
        if most == len(self.labelled) - 1:  # as often as one likes
            total = 0
            for t in self.labelled:
                total += min(loss for loss in self.losses(t) if loss is not None)
                if total > limit:
                    return t
            return None
        lost = [[0] * self.n for _ in range(most + 1)]
        for t in self.labelled:
            now = self.losses(t)
            for s in range(most, -1, -1):
                before = min(lost[s - 1]) if s else None
                lost[s] = [(a if before is None or a < before else before) + (b or 0) for a, b in zip(lost[s], now, strict=True)]
            if min(lost[most]) > limit:
                return t
        return None

    def contradiction(self, declared: Mapping[str, Fraction]) -> dict[str, Any] | None:
        """The row with which what was declared of the experts has become false; None where it has not."""
        if self.first_asleep is not None:
            row, expert = self.first_asleep
            why = f"expert {expert} sleeps, and the theorem is about experts who are always awake; see sleeping_adahedge"
        else:
            m, changes = declared["m"], int(declared.get("S", 0))
            passed = self.passed(m, changes)
            if passed is None:
                return None
            whom = "every expert" if not changes else f"every sequence of experts that changes at most {changes} times"
            row, why = passed, f"with it {whom} has lost more than the declared m={m}"
        y, advice = self.rows[row - 1]
        instance = {str(i): a for i, a in enumerate(advice) if a is not None}
        return {"row": row, "why": why, "rows": [], "label": int(bool(y)), "instance": instance}
