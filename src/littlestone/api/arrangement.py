"""What `play` can be asked for, by what belongs together; and what stands around the runner that plays."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from littlestone.api.keyed import RESIDENT, refuse_by_key
from littlestone.errors import require
from littlestone.protocol import TESTS, DriftGuard, ExchangeableCopies, Guard, LateRunner, RateCopies, RateGuard, Rule
from littlestone.protocol.advice_model import LATE_BANDITS
from littlestone.protocol.block import ROWS
from littlestone.protocol.invariants import CheckedRunner
from littlestone.protocol.recent import WINDOW

ONE_PASS = "an alarm without assume asks whether rounds change, and those of a second pass are no new ones: play one pass"
ONE_TEST = "alarm_test='drift' goes with alarm='stop', 'report' or 'restart', and without assume: it asks whether the stream changes"
NO_LEMMAS = "the lemmas that are checked as a run goes are those of learners of two classes"


@dataclass(frozen=True)
class Weighing:
    """How rounds are made of what the user has, what they weigh, and where answers are given."""

    boolean: bool = False
    sample_weight: Any = None
    class_weight: Mapping | None = None
    cost: Any = None
    threshold: Any = None
    target: Any = None
    label_by: str | None = None  # whose label a panel predicts
    block_rows: int = ROWS
    expand: int = 1

    @property
    def plain(self) -> bool:
        """Does every round weigh the same, as it stands?"""
        others = (self.expand, self.sample_weight, self.class_weight, self.cost, self.threshold, self.target, self.label_by)
        return others == (1, None, None, None, None, None, None)


@dataclass(frozen=True)
class Keeping:
    """What a run keeps of its rounds."""

    predictions: bool = True
    scores: bool = False
    metrics: bool | None = None
    window: int = WINDOW
    ledger: bool | int = False

    def __post_init__(self) -> None:
        require(self.window >= 1, f"window={self.window!r} must be at least 1")


@dataclass(frozen=True)
class KeyChoices:
    """Whose each round is, where every key has a learner of its own."""

    key: Any = None
    resident: int = RESIDENT
    shared: Any = None


@dataclass(frozen=True)
class Arrangement:
    """How rounds come to a learner: how often, when their labels do, and who watches."""

    passes: int = 1
    skip: int = 0
    delay: int | None = None
    ids: Any = None
    assume: str | None = None
    alarm: str | None = None
    alarm_delta: Any = Fraction(1, 20)
    alarm_test: str = "exchangeable"
    check_invariants: bool = False
    witness: Any = None
    wrap: Callable[[Any], Any] | None = None

    def __post_init__(self) -> None:
        beforehand = self.alarm is not None or self.assume is None
        require(beforehand, "assume goes with alarm='stop', 'report' or 'restart'; run.bounds(assume) needs no alarm")
        require(self.alarm_test in TESTS, f"alarm_test={self.alarm_test!r} must be one of {', '.join(TESTS)}")
        require(self.alarm_test == TESTS[0] or (self.alarm is not None and self.assume is None), ONE_TEST)
        require(self.passes >= 1, f"passes={self.passes!r} must be at least 1")
        apart = self.delay is None or self.ids is None
        require(apart, "delay and ids: labels come so many rounds later, or by name; one at a time")
        require(self.skip >= 0, f"skip={self.skip!r} must not be negative")

    @property
    def late(self) -> bool:
        """May labels come late?"""
        return self.delay is not None or self.ids is not None

    @property
    def plain(self) -> bool:
        """Do labels come at once, and is no alarm raised?"""
        return not self.late and self.alarm is None

    def refuse(self, learner: Any, keyed: bool, ledger: bool | int) -> None:
        """What does not go together, or not with this learner; `keyed`: has each key its own?"""
        late, alarm, lemmas = self.late, self.alarm, self.check_invariants or self.witness is not None
        if alarm is not None:
            require(self.assume is not None or self.passes == 1, ONE_PASS)
            require(not self.check_invariants, "check_invariants plays by the definition, and raises no alarm; leave one of them out")
            require(not late, "an alarm is proved by a theorem, and its theorem needs labels that come at once; leave out delay and ids")
        if keyed:
            refuse_by_key(late_labels=late, alarm=alarm is not None, ledger=ledger, lemmas=lemmas, wrapper=self.wrap is not None)
        require(not (late and isinstance(learner, Rule) and learner.bandit), f"{learner.name} {LATE_BANDITS}")
        require(not lemmas or learner.kind == "two classes", f"{learner.name}: {NO_LEMMAS}")

    def put_around(self, playing: Any, *, settled: bool, keep: bool) -> None:
        """The runner with what stands around it. `settled`: is it known how many columns there are? `keep`: are predictions kept?"""
        if self.wrap is not None:
            playing.runner = self.wrap(playing.runner)
        if self.check_invariants:
            playing.runner = CheckedRunner(playing.runner, self.witness)
        if self.late:
            playing.runner = LateRunner(playing.runner, delay=self.delay, strict=self.ids is not True)
        if self.alarm is not None and self.assume is not None:
            playing.runner = Guard(playing.segments(), self.assume, self.alarm, settled=settled, keep=keep)
        elif self.alarm == "restart":
            copies = {"exchangeable": ExchangeableCopies, "drift": RateCopies}[self.alarm_test]
            playing.runner = copies(playing.segments(self.wrap), self.alarm_delta, "restart", keep=keep)
        elif self.alarm is not None:
            guard = {"exchangeable": DriftGuard, "drift": RateGuard}[self.alarm_test]
            playing.runner = guard(playing.segments(self.wrap), self.alarm_delta, self.alarm, keep=keep)
