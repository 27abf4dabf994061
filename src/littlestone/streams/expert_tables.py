"""Tables of experts as rounds of advice, in constant memory: what is small is read once and kept.

The first rows say which columns are experts and what their advice is; one pass over the table measures what is not declared (the largest
loss, the names of the long layout, does anybody sleep?); every further pass gives the rounds.
"""

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from littlestone.errors import LittlestoneError, require
from littlestone.kernels import native
from littlestone.protocol import Advice
from littlestone.rounds.expert_tables import check_of
from littlestone.rounds.files import expanded
from littlestone.rounds.table_reading import TableReading
from littlestone.streams.expert_rounds import ExpertRounds, long_rounds, wide_rounds
from littlestone.streams.expert_sources import open_source

TRUTHS = ("truth", "y", "label", "actual", "actuals", "target", "outcome", "observed", "observation", "load")  # a column so called is it
NO_EXPERTS = {"date", "datetime", "time", "timestamp", "id", "round", "index", "row", "item", "unnamed"}  # words in names of other columns
SHOWN = 6  # names that a line lists
LEAST = 1e-140  # of a loss that is not 0: squares of it are summed in doubles
KEPT = 2**22  # cells of a table that is kept once it was read: 32 MB

Block = tuple[Advice, np.ndarray | None, np.ndarray | None]


class ExpertTable:
    """Rounds of advice from files or one frame. `reading` is settled; `slept`: is a cell empty, among rounds and experts that count?

    `notes` are lines for a person: what was taken for what.
    """

    def __init__(
        self,
        *tables: Any,
        reading: TableReading | None = None,
        id: str | None = None,
        workers: Any = None,
        truth_optional: bool = False,
        **choices: Any,
    ) -> None:
        require(tables, "a table of experts is a file or a frame")
        self.id = id  # the column of what rounds are called
        declared = (reading or TableReading()).but(**{name: value for name, value in choices.items() if value is not None})
        every = [path for table in tables for path in (expanded([str(table)]) if isinstance(table, str | os.PathLike) else [table])]
        self.sources = [open_source(table, declared.format, declared.delimiter) for table in every]
        self.source = self.sources[0]
        self.notes: list[str] = []
        without = any(declared.truth not in source.columns for source in self.sources)
        self.without_truth = truth_optional and declared.truth is not None and without  # then no round has one
        self.reading = self._looked(declared)
        self.slept: bool | None = None
        self.rounds: int | None = None
        self.kept: list[ExpertRounds] | None = None  # all rounds, where they are few
        for source in self.sources[1:]:
            for name in (*self._numbers(), *self._texts()):
                if name not in source.columns:
                    raise LittlestoneError(f"{source.path}: no column {name!r}, which {self.source.path} has", path=source.path)
            same = source.format == self.source.format
            require(same, f"{source.path}: is {source.format}, and {self.source.path} is {self.source.format}; expected tables alike")
        if not self._known_beforehand():
            self._measure(workers)
        self._say(declared)

    @classmethod
    def settled(cls, path: str, reading: TableReading) -> "ExpertTable":
        """One file of a table whose reading is settled: nothing of it is looked at but its columns."""
        table = cls.__new__(cls)
        table.id, table.reading, table.notes, table.slept, table.rounds, table.kept = None, reading, [], None, None, None
        table.without_truth = False
        table.source = open_source(path, reading.format, reading.delimiter)
        table.sources = [table.source]
        return table

    @property
    def names(self) -> tuple[str, ...]:
        assert self.reading.experts is not None
        return self.reading.experts

    # what the first rows say

    def _looked(self, declared: TableReading) -> TableReading:
        columns, path = self.source.columns, self.source.path
        for option in ("truth", "round", "expert", "forecast"):
            name = getattr(declared, option)
            known = name is None or name in columns or (option == "truth" and self.without_truth)
            require(known, f"{path}: --{option} {name}: no such column; the columns are: {', '.join(columns)}")
        for name in declared.ignore:
            require(name in self.source.known_columns, f"{path}: --ignore {name}: no such column; the columns are: {', '.join(columns)}")
        long = declared.layout == "long" or any((declared.round, declared.expert, declared.forecast))
        if declared.layout is None and not long and declared.experts is None:
            long = {"round", "expert", "forecast"} <= set(columns)
        reading = declared.but(format=self.source.format, layout="long" if long else "wide", delimiter=self.source.reading.delimiter)
        reading = self._threshold(reading)
        reading = self._long(reading) if long else reading
        reading = reading.but(truth=self._truth(reading))
        if not long:
            reading = reading.but(experts=self._experts(reading))
        if self.id is not None:
            require(self.id in columns, f"{path}: --id {self.id}: no such column; the columns are: {', '.join(columns)}")
            require(not long, f"{path}: --id {self.id} is of the wide layout, a row for each round; in the long one the round has a column")
            reading = reading.but(experts=tuple(name for name in reading.experts or () if name != self.id))
        beside = {reading.truth, reading.round, reading.expert, reading.forecast, *((reading.experts or ()) if not long else ())}
        reading = reading.but(ignore=tuple(name for name in columns if name not in beside))
        for name in (reading.truth, reading.forecast):
            needed = name is not None and not (name == reading.truth and self.without_truth)
            if name is not None and needed and name not in self.source.numeric:
                raise self.source.refuse_words(name, f"column {name!r} is text; expected a number in each row, or an empty cell")
        return self._advice(reading)

    def _threshold(self, reading: TableReading) -> TableReading:
        """A quantile or a threshold says which loss is meant, and a loss that the advice is forecasts."""
        loss = reading.loss or ("pinball" if reading.quantile is not None else "zero_one" if reading.threshold is not None else None)
        return reading.but(loss=loss, advice="forecast" if loss and reading.advice is None else reading.advice)

    def _long(self, reading: TableReading) -> TableReading:
        columns = self.source.columns
        roles = {}
        for option in ("round", "expert", "forecast"):
            roles[option] = getattr(reading, option) or (option if option in columns else None)
            known = roles[option] is not None
            listed = f"the columns are: {', '.join(columns)}"
            require(known, f"{self.source.path}: which column is the {option}? --{option} COLUMN ({option}=) says so; {listed}")
        require(len(set(roles.values())) == 3, f"{self.source.path}: the round, the expert and the forecast stand in columns of their own")
        return reading.but(**roles)

    def _truth(self, reading: TableReading) -> str | None:
        if not reading.judged:
            require(reading.truth is None, f"--truth {reading.truth}: the advice is {reading.advice}, and needs no truth")
            return None
        if reading.truth is not None:
            return reading.truth
        for usual in TRUTHS:
            alike = [name for name in self.source.columns if name.lower() == usual and name not in reading.ignore]
            if len(alike) == 1:
                return alike[0]
        raise LittlestoneError(
            f"{self.source.path}: which column is the truth? --truth COLUMN (truth=) says so, and --advice loss or gain (advice=) that "
            f"there is none; the columns are: {', '.join(self.source.columns)}",
            path=self.source.path,
        )

    def _experts(self, reading: TableReading) -> tuple[str, ...]:
        columns, path, ignored = self.source.columns, self.source.path, set(reading.ignore)
        if reading.experts is not None:
            for name in reading.experts:
                require(
                    name in self.source.known_columns, f"{path}: --experts {name}: no such column; the columns are: {', '.join(columns)}"
                )
                if name not in self.source.numeric:
                    raise self.source.refuse_words(name, f"--experts {name}: the column is text; expected numbers")
                require(name != reading.truth, f"{path}: --experts {name}: it is the truth")
            require(len(set(reading.experts)) == len(reading.experts), f"{path}: --experts names a column twice")
            require(reading.experts, f"{path}: --experts names no column")
            return reading.experts
        experts = [
            name
            for name in columns
            if name != reading.truth
            and name not in ignored
            and name
            and not words(name) & NO_EXPERTS
            and (name in self.source.numeric or self.source.mostly_numbers(name))
        ]
        if reading.truth is not None and not reading.ignore:
            after = set(columns[columns.index(reading.truth) :])
            experts = [name for name in experts if name in after] or experts
        for name in experts:
            if name not in self.source.numeric:  # a column that lacks a few numbers is an expert with faults, not text to be passed over
                raise self.source.refuse_words(name, f"column {name!r} is text", f"; --ignore {name} (ignore=) leaves the column out")
        require(experts, f"{path}: no column can be an expert: none is all numbers beside the truth; the columns are: {', '.join(columns)}")
        return tuple(experts)

    def _advice(self, reading: TableReading) -> TableReading:
        if reading.advice is None:
            truths = self.source.numbers_in_first_rows(reading.truth or "")
            kind = "forecast"
            if truths <= {0, 1} and reading.low is None:
                columns = [reading.forecast] if reading.layout == "long" else reading.experts or ()
                advice = {x for name in columns for x in self.source.numbers_in_first_rows(name or "")}
                kind = "vote" if advice <= {0, 1} else "probability" if all(0 <= x <= 1 for x in advice) else "forecast"
            reading = reading.but(advice=kind)
        elif reading.advice in ("vote", "probability"):
            require(reading.low is None, f"--range (range=) is of forecasts, losses and gains; the advice is {reading.advice}")
        if reading.advice == "forecast":
            require(reading.loss != "zero_one" or reading.low is None, "--range (range=): the zero_one loss needs none")
            reading = reading.but(loss=reading.loss or "squared")
        return reading

    def _numbers(self) -> list[str]:
        r = self.reading
        columns = [r.forecast or ""] if r.layout == "long" else list(r.experts or ())
        return columns + ([r.truth] if r.truth is not None and not self.without_truth else [])

    def _texts(self) -> list[str]:
        if self.reading.layout == "long":
            return [self.reading.round or "", self.reading.expert or ""]
        return [] if self.id is None else [self.id]

    # what one pass over the table says

    def _known_beforehand(self) -> bool:
        """Is nothing left to measure? Then the table need not be read for it."""
        r = self.reading
        if r.layout == "long" or r.played == "loss":
            return False
        self.slept = False
        if all(source.never_null(r.experts or ()) for source in self.sources):
            self.reading = r.but(scale=1.0)
            return True
        return False

    def _measure(self, workers: Any = None) -> None:
        declared, names = self.reading.low is not None, dict[str, int]()
        files = workers is not None and self.reading.layout == "wide" and self.id is None and all(source.is_file for source in self.sources)
        tasks = [workers.submit(measured_file, source.path, self.reading) for source in self.sources] if files else []
        looks = workers.gather(tasks) if files else [self.measured(names)]
        rounds, cells = sum(look[0] for look in looks), sum(look[1] for look in looks)
        low, high, largest = (most(look[k] for look in looks) for k, most in ((2, min), (3, max), (4, max)))
        self.rounds = rounds
        r = self.reading
        if r.layout == "long":
            r = r.but(experts=r.experts if r.experts is not None else tuple(names))
            require(r.experts, f"{self.source.path}: has no rounds with an expert")
        require(rounds, f"{self.source.path}: has no rows; expected a round in each")
        self.slept = cells < rounds * len(r.experts or ())
        if not low <= high:
            low, high = 0.0, 1.0
        if r.played == "loss" and r.advice == "forecast" and r.loss != "zero_one":
            self._refuse_unit(r.loss, (r.high or 0.0) - (r.low or 0.0) if declared else high - low)
        if r.played != "loss":
            r = r.but(scale=1.0)
        elif declared:
            r = r.but(scale=r.widest)
        elif r.judged:
            r = r.but(low=low, high=high, measured=True, scale=largest or 1.0)
        elif r.advice == "loss" and low >= 0 and high <= 1:
            r = r.but(low=0.0, high=1.0, scale=1.0)  # they are what a rule takes
        else:
            low = min(low, 0.0) if r.advice == "loss" else low
            r = r.but(low=low, high=high, measured=True, scale=(high - low) or 1.0)
        self.reading = r

    def _refuse_unit(self, loss: str | None, width: float) -> None:
        """Refuse forecasts in a unit so large or so small that doubles do not hold the squares of what they lose."""
        largest = width * width if loss == "squared" else width
        why = f"forecasts and truths spread over {width:g}, and doubles do not hold the squares of {loss} losses there"
        require(not width or LEAST <= largest <= 1 / LEAST, f"{self.source.path}: {why}; expected them in another unit")

    def measured(self, names: dict[str, int]) -> tuple[int, int, float, float, float]:
        """Rounds, cells that are not empty, the least and the largest number, and the largest loss."""
        declared = self.reading.low is not None
        unscaled = self.reading.but(scale=1.0, **({} if declared else {"low": 0.0, "high": 1.0, "measured": True}))
        low, high, largest = np.inf, -np.inf, 0.0
        rounds = cells = 0
        for piece in self._pieces(names):
            rounds += piece.rounds
            cells += piece.cells
            if unscaled.played == "loss" and piece.cells:
                x, y = piece.awake(judged=unscaled.judged)
                if len(x):
                    low, high = min(low, float(x.min())), max(high, float(x.max()))
                if unscaled.judged and len(x):
                    low, high = min(low, float(y.min())), max(high, float(y.max()))
                    with np.errstate(over="ignore"):
                        largest = max(largest, float(unscaled_losses(unscaled, x, y).max()))
        return rounds, cells, low, high, largest

    def _say(self, declared: TableReading) -> None:
        r = self.reading
        parts = [f"truth {r.truth!r}"] if r.truth is not None else []
        if r.layout == "long":
            parts.append(f"a row for each forecast: round {r.round!r}, expert {r.expert!r}, forecast {r.forecast!r}")
        parts.append(f"{len(self.names):,} experts" + (f" ({listed(self.names)})" if declared.experts is None else ""))
        if r.ignore:
            parts.append(f"not used: {listed(r.ignore)}")
        self.notes.append(f"{self.source.path}: {'; '.join(parts)}.")
        kind_declared = {declared.advice, declared.loss, declared.quantile, declared.threshold} != {None}
        guessed = "" if kind_declared else ", as the first rows look (--advice tells otherwise)"
        kind = {"vote": "votes", "probability": "probabilities of a 1", "forecast": "forecasts", "loss": "losses", "gain": "gains"}
        line = f"The advice is {kind[r.advice or '']}{guessed}"
        if r.played == "loss":
            what = f"{r.loss} loss" if r.judged else "loss as given" if r.advice == "loss" else f"loss {r.high:g} - gain"
            how = "the largest that occurs: measured; --range LOW:HIGH declares a range" if r.measured else "the largest within the range"
            line += f"; {what}, divided by {r.scale:.6g}, {how}" if r.scale != 1 or r.measured else f"; {what}"
        elif r.advice == "forecast":
            line += f"; a forecast of at least {r.threshold:g} is a vote for 1"
        self.notes.append(line + ".")

    # rounds

    def _pieces(self, names: dict[str, int] | None = None) -> Iterator[ExpertRounds]:
        if self.kept is not None:
            yield from self.kept
            return
        kept: list[ExpertRounds] = []
        cells = 0
        for piece in self._read(names):
            cells += piece.numbers.size
            kept = [*kept, piece] if cells <= KEPT else []
            yield piece
        self.kept = kept if cells <= KEPT else None

    def _read(self, names: dict[str, int] | None) -> Iterator[ExpertRounds]:
        """Read the rounds; without a column of the truth the truth of each is missing."""
        for piece in self._read_columns(names):
            yield replace(piece, truths=np.full(len(piece.lines), np.nan)) if self.without_truth else piece

    def _read_columns(self, names: dict[str, int] | None) -> Iterator[ExpertRounds]:
        r = self.reading
        numbers, texts = self._numbers(), self._texts()
        if r.layout == "long":
            known = {name: k for k, name in enumerate(r.experts)} if r.experts is not None else None
            yield from self._sound(long_rounds(self.sources, r, numbers, texts, known, names))
        else:
            small = r.advice in ("vote", "probability")
            yield from self._sound(wide_rounds(self.sources, numbers, len(r.experts or ()), np.float32 if small else np.float64, texts))

    def _sound(self, pieces: Iterator[ExpertRounds]) -> Iterator[ExpertRounds]:
        """Refuse what is not the advice that was declared, or that the first rows showed."""
        r = self.reading
        check, shares = check_of(r), r.advice in ("vote", "probability")
        low, high = (0.0, 1.0) if shares else (r.low, r.high)
        declared = shares or (low is not None and not r.measured and r.played == "loss")
        for piece in pieces:
            if declared:
                known = shares and piece.zeros_and_ones
                place = -1 if known else native.core.first_outside(piece.numbers, low, high, r.advice == "vote")
                if place >= 0:
                    raise piece.refusal(check, place // piece.numbers.shape[1])
                place = -1 if piece.truths is None else native.core.first_outside(piece.truths.reshape(-1, 1), low, high, shares)
                if place >= 0:
                    raise piece.refusal(check, place)
            yield piece

    def advices(self) -> Iterator[Block]:
        """The rounds, in order: advice as rules take it, and of forecasts the numbers of the table and its truths, NaN where missing."""
        r = self.reading
        start = 0
        for piece in self._pieces():
            for table, truths in piece.tables(len(self.names)):
                codes = truth_codes(r, truths, len(table))
                cells = (
                    narrow(r, table, truths)
                    if r.advice not in ("vote", "probability")
                    else table
                    if piece.zeros_and_ones
                    else as_said(table)
                )
                yield Advice(cells, codes, start, piece.ids), table if r.advice == "forecast" else None, truths
                start += len(codes)


def measured_file(path: str, reading: TableReading) -> tuple[int, int, float, float, float]:
    """What `measured` says of one file, as a task."""
    return ExpertTable.settled(path, reading).measured({})


def as_said(table: np.ndarray) -> np.ndarray:
    """Votes and probabilities as they are; a zero without its sign."""
    table = np.ascontiguousarray(table, np.float32)
    table += np.float32(0)
    return table


def unscaled_losses(r: TableReading, x: np.ndarray, y: Any) -> np.ndarray:
    """What advice x costs where y is the truth, in the units of the table; see `TableReading.loss_of`."""
    if r.advice == "gain":
        return (r.high or 0.0) - x
    if r.advice == "loss":
        return x - (r.low or 0.0)
    if r.loss == "squared":
        d = x - y
        return d * d
    if r.loss == "pinball":
        d, q = y - x, r.quantile or 0.0
        return np.maximum(q * d, (q - 1.0) * d)
    return np.abs(x - y)


def narrow(r: TableReading, x: np.ndarray, y: np.ndarray | None) -> np.ndarray:
    """Each number as advice, float32; see `TableReading.cell_of`."""
    if r.played == "vote":
        return np.where(np.isnan(x), x, x >= (r.threshold or 0.0)).astype(np.float32)
    losses = unscaled_losses(r, x, None if y is None else y[:, None]) / (r.scale or 1.0)
    if y is not None:
        losses[np.isnan(y)] = 0.0
        losses[np.isnan(x)] = np.nan
    return np.ascontiguousarray(np.minimum(losses, 1.0) + 0.0, np.float32)


def truth_codes(r: TableReading, truths: np.ndarray | None, rounds: int) -> np.ndarray:
    """See `TableReading.truth_of`."""
    if truths is None:
        return np.zeros(rounds, np.int32)
    codes = (
        np.zeros(rounds, np.int32) if r.played == "loss" else (truths >= (r.threshold if r.advice == "forecast" else 1.0)).astype(np.int32)
    )
    codes[np.isnan(truths)] = -1
    return codes


def words(name: str) -> set[str]:
    """The words of a column's name.

    >>> sorted(words("target_end_date")), sorted(words("CMU-TimeSeries"))
    (['date', 'end', 'target'], ['cmu', 'timeseries'])
    """
    return {word for word in re.split(r"[^a-z]+", name.lower()) if word}


def listed(names: Sequence[str], most: int = SHOWN) -> str:
    """
    >>> listed(["a", "b", "c"], 2)
    'a, b, ... 3 in all'
    """
    return ", ".join(names) if len(names) <= most else f"{', '.join(names[:most])}, ... {len(names):,} in all"
