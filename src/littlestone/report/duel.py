"""A duel in words: a table of its rounds with the proof at each mistake, and the mistakes between both bounds."""

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

from littlestone.api.duel import Duel
from littlestone.games.adversaries import GameRound
from littlestone.report.words import many

SHORT = 40  # rounds that are all shown
ENDS = 8  # else so many at either end, and so many mistakes in between
BETWEEN = 16
GAP = "  "


def number(value: Any) -> str:
    """A number for a table: whole, or four digits.

    >>> from fractions import Fraction
    >>> number(Fraction(8)), number(0.35357), number(123456.0), number(Fraction(1, 8192))
    ('8', '0.3536', '123,456', '0.0001221')
    """
    near = float(value)
    return f"{near:,.0f}" if near == int(near) or abs(near) >= 10_000 else f"{near:.4g}"


def instance(x: Any, n: int, room: int = 16) -> str:
    """An instance as a set of features (or of those that are off), or as votes, shortened to its room.

    >>> instance({0: 1, 3: 1}, 4), instance({1: 0.5, 2: -1}, 3), instance([1, 0, 1], 3), instance(dict.fromkeys(range(20), 1), 20)
    ('{0, 3}', '{1: 0.5, 2: -1}', '101', 'all')
    >>> instance({i: 1 for i in range(9) if i != 4}, 9), instance(dict.fromkeys(range(0, 40, 2), 1), 80)
    ('all but {4}', '{0, 2, 4, 6, …}')
    """
    if not isinstance(x, Mapping):
        votes = "".join(number(v) for v in x)
        return votes if len(votes) <= room else f"{votes[: room - 1]}…"
    on = {i: v for i, v in sorted(x.items()) if v}
    if any(v != 1 for v in on.values()):
        return _listed([f"{i}: {number(v)}" for i, v in on.items()], room)
    off = [str(i) for i in range(n) if i not in on]
    plain = _listed([str(i) for i in on], room)
    if "…" not in plain or len(off) >= len(on):
        return plain
    return "all" if not off else f"all but {_listed(off, room - 8)}"


def _listed(parts: Sequence[str], room: int) -> str:
    whole = f"{{{', '.join(parts)}}}"
    while len(whole) > room and parts:
        parts = parts[:-1]
        whole = f"{{{', '.join([*parts, '…'])}}}"
    return whole


class DuelTable:
    """The rounds of a duel as lines of equal columns; inequalities that find no room are left out, the last first."""

    def __init__(self, duel: Duel, width: int = 140) -> None:
        self.duel = duel
        n = duel.adversary.n
        self.shown = [instance(played.x, n) for played in duel.game.rounds]
        self.room = max([8, *map(len, self.shown)])
        self.digits = max(5, len(str(duel.rounds)))
        self.marks = 2 + len(str(duel.mistakes))
        used = self.digits + self.room + 4 + 5 + max(7, self.marks) + 4 * len(GAP)
        self.columns: list[int] = []  # the lines of the proof that are shown
        self.widths: dict[int, int] = {}
        self.cells: dict[int, list[int]] = {}  # of each of them, how wide its terms are
        for k, line in enumerate(duel.proof.lines):
            cells = [[number(term) for term in step.numbers[k]] for step in duel.steps.values()]
            terms = [max([len(row[j]) for row in cells], default=0) for j in range(len(line.symbols))]
            wide = max(len(line.statement), sum(terms) + 3 * (len(terms) - 1))
            if used + len(GAP) + wide > width:
                break
            used += len(GAP) + wide
            self.columns.append(k)
            self.widths[k], self.cells[k] = wide, terms

    @property
    def left_out(self) -> list[str]:
        return [line.statement for k, line in enumerate(self.duel.proof.lines) if k not in self.columns]

    @property
    def header(self) -> str:
        heads = [f"{'round':>{self.digits}}", f"{'instance':<{self.room}}", "said", "label", f"{'mistake':<{max(7, self.marks)}}"]
        lines = self.duel.proof.lines
        return GAP.join([*heads, *(f"{lines[k].statement:<{self.widths[k]}}" for k in self.columns)]).rstrip()

    def row(self, t: int) -> str:
        """Round t, counted from 1."""
        played = self.duel.game.rounds[t - 1]
        mark = f"✗ {self.so_far(t)}" if played.mistake else ""
        cells = [f"{t:>{self.digits}}", f"{self.shown[t - 1]:<{self.room}}", f"{played.predicted:>4}", f"{played.y:>5}"]
        cells.append(f"{mark:<{max(7, self.marks)}}")
        step = self.duel.steps.get(t)
        if step is not None:
            for k in self.columns:
                terms = " ≤ ".join(f"{number(term):>{room}}" for term, room in zip(step.numbers[k], self.cells[k], strict=True))
                cells.append(f"{terms:<{self.widths[k]}}")
        return GAP.join(cells).rstrip()

    def so_far(self, t: int) -> int:
        """Mistakes up to round t."""
        return sum(played.mistake for played in self.duel.game.rounds[:t])

    def lines(self, every: bool = False) -> list[str]:
        """The header and the rounds; of a long game some are left out, unless every one is wanted."""
        lines, last = [self.header], 0
        for t in chosen(self.duel.game.rounds, every):
            if t > last + 1:
                gone = self.duel.game.rounds[last : t - 1]
                wrong = sum(played.mistake for played in gone)
                lines.append(f"{'⋯':>{self.digits}}{GAP}{many(len(gone), 'round')}, {many(wrong, 'mistake')}")
            lines.append(self.row(t))
            last = t
        return lines


def chosen(rounds: Sequence[GameRound], every: bool = False) -> list[int]:
    """The rounds to show, counted from 1: all of a short game; else the first, the last, and some of the mistakes in between."""
    total = len(rounds)
    if every or total <= SHORT:
        return list(range(1, total + 1))
    wrong = [t for t in range(ENDS + 1, total - ENDS + 1) if rounds[t - 1].mistake]
    thinned = [wrong[k * len(wrong) // BETWEEN] for k in range(min(BETWEEN, len(wrong)))] if len(wrong) > BETWEEN else wrong
    return [*range(1, ENDS + 1), *thinned, *range(total - ENDS + 1, total + 1)]


def title(duel: Duel) -> str:
    return f"{duel.learner} against {duel.adversary!r}"


def letters(duel: Duel, table: DuelTable, names: Sequence[str] = ()) -> list[str]:
    """What the letters of the proof mean; `names` are those of the features, where they have such."""
    if not duel.proof.lines:
        return []
    first = f"The proof at each mistake: {duel.proof.letters}." if duel.proof.letters else "The learner's lemmas at each mistake."
    lines = [first]
    if duel.target.searched and duel.target.weights is not None:
        u = duel.target.weights
        called = {-1: "bias", **dict(enumerate(names))}
        shown = ", ".join(f"{called.get(i, i)}: {number(v)}" for i, v in sorted(u.items())[:8])
        lines.append(f"w* is {{{shown}{', …' if len(u) > 8 else ''}}}, scaled: it separates the rounds with the largest margin.")
    if table.left_out:
        lines.append(f"A wider terminal also shows {'; '.join(table.left_out)}.")
    return lines


def outcome(duel: Duel) -> list[str]:
    """The end: mistakes, lower bound, upper bound, witness."""
    made, low, high = duel.mistakes, duel.lower_bound, duel.upper_bound
    ends = [end for end in (low, made, high) if end is not None]
    between = f": {' ≤ '.join(f'{end:,}' for end in ends)}" if len(ends) > 1 and ends == sorted(ends) else ""
    lines = [f"{many(made, 'mistake')} in {many(duel.rounds, 'round')}{between}."]
    source = f" ({duel.adversary.source})" if duel.adversary.source and low is not None else ""
    if low is None:
        lines.append(f"Lower bound: none; {duel.lower_words}.")
    else:
        end = "reached" if made == low else f"{made - low} more than that" if made > low else "NOT reached"
        lines.append(f"Lower bound {low}: {duel.lower_words}{source}; {end}.")
    lines.append(_upper_words(duel))
    if duel.witness is not None:
        target = _shortened(repr(duel.witness))
        lines.append(f"Witness: the concept {target} labels every round." if duel.adversary.gives == "features" else f"Witness: {target}.")
    lines += [f"FALSE: {fault}. One of the claims above is wrong, or the code is." for fault in duel.faults[:5]]
    return lines


def _upper_words(duel: Duel) -> str:
    upper = duel.upper
    if upper.limit is None:
        return f"Upper bound: none; {upper.why}."
    what = f" for {upper.assumes}" if upper.assumes else " in hindsight"
    met = "; reached" if duel.mistakes == upper.limit else ""
    return f"Upper bound {upper.limit:,}: {upper.name}{what}, {upper.formula} ({upper.source}){met}."


def _shortened(text: str, room: int = 200) -> str:
    return text if len(text) <= room else f"{text[: room - 1]}…"


def board(duel: Duel, t: int) -> list[str]:
    """The proof at the mistake of round t with its symbols: γM = 1 ≤ w·w* = 1.2 ≤ …"""
    step = duel.steps.get(t)
    if step is None:
        return []
    pairs = zip(duel.proof.lines, step.numbers, strict=True)
    return [
        " ≤ ".join(f"{s} = {number(v)}" if s != number(v) else s for s, v in zip(line.symbols, terms, strict=True)) for line, terms in pairs
    ]


def summary(duel: Duel, width: int = 140, every: bool = False) -> str:
    """All of it, for a terminal that wide."""
    table = DuelTable(duel, width)
    shown = table.lines(every)
    thinned = not every and len(shown) - 1 < duel.rounds
    note = ["Some rounds are left out; --all shows every one."] if thinned else []
    fit = textwrap.TextWrapper(width, subsequent_indent="    ", break_on_hyphens=False, break_long_words=False)
    words = [fit.fill(line) for line in (*note, *outcome(duel))]
    return "\n".join([*(fit.fill(line) for line in (title(duel), *letters(duel, table))), "", *shown, "", *words])
