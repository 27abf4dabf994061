"""`ls.experts`: a table of experts in; what a rule makes of their advice, beside the experts themselves, out."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from inspect import signature
from math import isfinite
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from littlestone.api.experts_play import Error, ExpertCounts, gradient_scale, play_table
from littlestone.api.experts_spread import play_files, refuse_unspread
from littlestone.api.model_rounds import table_for
from littlestone.errors import LittlestoneError, require
from littlestone.hooks import above
from littlestone.learners import experts as catalogue
from littlestone.protocol import AdviceModel, AdviceRun, Rule, naming
from littlestone.protocol.advice_model import short_records
from littlestone.protocol.recent import WINDOW, Lately, best_awake, span
from littlestone.rounds.table_reading import TableReading
from littlestone.streams.expert_tables import ExpertTable
from littlestone.theory import Claim
from littlestone.witnesses.convex import Convex, best_convex
from littlestone.witnesses.experts import best_path

MOST_CELLS = 50_000_000  # rounds × experts that are kept in memory for what needs them all


class Expert(NamedTuple):
    """One expert, over the rounds it was awake; losses in the units of the table, mistakes None where the advice is no vote."""

    name: str
    awake: int
    loss: float
    mistakes: int | None
    rule_loss: float  # what the rule lost on the same rounds
    weight: float | None  # in the rule's last forecast or prediction
    errors: Error | None = None  # of real-valued forecasts
    rule_errors: Error | None = None  # those of the rule on the same rounds

    @property
    def mean_loss(self) -> float | None:
        return self.loss / self.awake if self.awake else None

    def as_json(self) -> dict[str, Any]:
        counts = {"awake": self.awake, "loss": self.loss, "mistakes": self.mistakes}
        return {"name": self.name, **counts, "rule_loss_while_awake": self.rule_loss, **errors_as_json(self.errors)}


def errors_as_json(errors: Error | None) -> dict[str, float | None]:
    """Return RMSE and MAE as plain values; None where there are none."""
    return {
        name: value if value is not None and isfinite(value) else None
        for name, value in zip(Error._fields, errors or (None, None), strict=True)
    }


class Switching(NamedTuple):
    """The best sequence of experts with at most so many changes: where each begins (round, counted from 1), and whose it is."""

    switches: int
    loss: float | None
    path: list[tuple[int, str]]


@dataclass(frozen=True, eq=False, repr=False)
class ExpertsRun:
    """What `ls.experts` leaves. Losses are in the units of the table: a rule is told them divided by `reading.scale`."""

    run: AdviceRun
    table: ExpertTable
    played: ExpertCounts
    most_switches: int
    seconds: float
    gradient: float | None = None  # what the charges of linearised losses were divided by, where the rule was told these
    before: AdviceModel | None = None  # the model that it went on from
    assume: str | None = None  # what was declared of the best expert

    def __repr__(self) -> str:
        return f"<{self.run.rule.name} over {len(self.names):,} experts, {self.rounds:,} rounds: loss {self.loss:.6g}>"

    def plot(self, kind: str = "", ax: Any = None, **looks: Any) -> Any:
        """A matplotlib figure: losses, regret and weights over time, or one of "loss", "regret" and "weights"."""
        return above("plot_run")(self, kind, ax, **looks)

    def _repr_html_(self) -> str:
        return above("run_html")(self)

    @property
    def reading(self) -> TableReading:
        return self.table.reading

    @property
    def names(self) -> tuple[str, ...]:
        return self.table.names

    @property
    def rule(self) -> Rule:
        return self.run.rule

    @property
    def rounds(self) -> int:
        return self.run.rounds

    @cached_property
    def model(self) -> AdviceModel:
        """The rule as it stands after the last round, with the names of the experts and how the table was read: to save, and to go on."""
        model = self.run.hypothesis
        model.experts = tuple(self.names)
        model.reading = self.reading.as_json() | ({} if self.gradient is None else {"gradient": self.gradient})
        model.rounds, model.unlabelled, model.loss = (
            self.run.rounds,
            self.run.unlabelled,
            self.run.loss * (self.run.scale if self.run.rule.gradient else 1.0),
        )
        model.mistakes = self.run.mistakes if self.votes else 0  # as a model counts them wherever it learns: of what it predicted
        model.awake = tuple(map(int, self.played.awake)) if self.slept else ()
        if self.before is not None:
            model.awake = joined(self.before, model)
            model.add_counts(self.before.counts())
        return model

    @property
    def short_records(self) -> str:
        """A remark on experts with much weight that were awake in few rounds."""
        model = self.model
        return short_records(model.names, list(self.weights.values()), model.awake, model.rounds) if model.awake and self.weights else ""

    @property
    def slept(self) -> bool:
        """Was an expert ever asleep?"""
        return self.run.slept

    @property
    def votes(self) -> bool:
        """Are there mistakes to count?"""
        return self.reading.played != "loss"

    def in_units(self, scaled: float, rounds: int | None = None) -> float:
        """A total of the losses that the rule was told, in the units of the table."""
        offset = (self.reading.low or 0.0) * (self.rounds if rounds is None else rounds) if self.reading.advice == "loss" else 0.0
        return float(scaled) * (self.reading.scale or 1.0) + offset

    @property
    def linearised(self) -> bool:
        """Was the rule told gradients?"""
        return self.gradient is not None or self.rule.gradient

    @cached_property
    def loss(self) -> float:
        """What the rule lost: of forecasts, the weighted mean of them; else the mean of the losses, or what a bandit's choices lost."""
        return self.played.total("own")

    @cached_property
    def mixture_loss(self) -> float | None:
        """The weighted mean of the experts' losses: what the theorems speak of. By convexity, the rule's own forecast loses no more.

        None of gradients, where theorems speak of linearised losses.
        """
        return None if self.linearised else self.in_units(self.run.expected_loss)

    @cached_property
    def mistakes(self) -> int | None:
        """Of the weighted majority; of a bandit and of a rule that follows one expert, of the predictions made."""
        if not self.votes:
            return None
        return self.run.majority_mistakes if self.drawn else self.run.mistakes

    @property
    def drawn(self) -> bool:
        """Are predictions drawn by a coin, where a table is read by the majority? `run.mistakes` and the model count those of one draw."""
        return self.votes and self.rule.randomized and not self.rule.bandit

    @cached_property
    def weights(self) -> dict[str, float] | None:
        """Those that made the last forecast or prediction, before its truth was told; `model.weights` are those for the next one."""
        if self.rule.weights is None:
            return None
        weights = self.run.weights if self.played.last_weights is None else self.played.last_weights
        return dict(zip(self.names, map(float, weights), strict=True))

    @cached_property
    def errors(self) -> dict[str, Error] | None:
        """RMSE and MAE of real-valued forecasts, by "rule" and "uniform" (the plain average); None of other advice. Those of each expert
        are in `experts`."""
        if self.played.errors is None:
            return None
        *_, rule, uniform = self._errors(self.played.lost, self.loss, self.played.total("uniform"))
        return {"rule": rule, "uniform": uniform}

    def _errors(self, lost: np.ndarray, *others: float, rule: bool = False) -> list[Any]:
        """Return RMSE and MAE of each expert, of the rule and of the plain average, which lost this; None where there are none."""
        errors = self.played.errors
        return [None] * (len(lost) + 2) if errors is None else errors.each(self.reading.loss, np.append(lost, others or (0, 0)), rule=rule)

    @cached_property
    def experts(self) -> list[Expert]:
        p, weights, votes = self.played, self.weights or {}, self.votes
        errors, beside = self._errors(p.lost), self._errors(p.beside, rule=True)
        return [
            Expert(
                name,
                int(p.awake[i]),
                float(p.lost[i]),
                int(p.wrong[i]) if votes else None,
                float(p.beside[i]),
                weights.get(name),
                errors[i],
                beside[i],
            )
            for i, name in enumerate(self.names)
        ]

    @cached_property
    def uniform(self) -> dict[str, Any]:
        """The plain average of those awake: of forecasts, what the mean forecast loses."""
        errors = {} if self.errors is None else errors_as_json(self.errors["uniform"])
        return {"loss": self.played.total("uniform"), "mistakes": self.played.uniform_wrong if self.votes else None, **errors}

    @cached_property
    def often(self) -> int:
        """In how many rounds an expert must have been awake to be called the best: all, or where some sleep half of them.

        Where nobody is awake so often, half as often as the one most often awake.
        """
        if not self.slept:
            return self.rounds
        most = int(self.played.awake.max())
        half = (self.rounds + 1) // 2
        return half if most >= half else max(1, (most + 1) // 2)

    @cached_property
    def best(self) -> Expert:
        """The expert with the least loss; where some sleep, with the least mean loss of those awake `often` enough, over its own rounds."""
        able = [expert for expert in self.experts if expert.awake >= self.often] or self.experts
        return min(able, key=lambda expert: expert.loss / max(1, expert.awake))

    @property
    def regret(self) -> float:
        """What the rule lost beyond the best expert, over the rounds that expert was awake."""
        if self.slept:
            return self.best.rule_loss - self.best.loss
        lost = self.loss if self.rule.cost == "loss" or self.mistakes is None else self.mistakes
        return lost - self.best.loss

    @cached_property
    def bounds(self) -> list[Claim]:
        """Every theorem of the rule on this run; they speak of scaled losses, `in_units` turns them back. None of a run that went on from
        a model: they would need its rounds too."""
        return [] if self.run.resumed else self.run.bounds(self.assume)

    def rounds_of(self, claim: Claim) -> int:
        """How many rounds a claim is about: all, or those in which the expert that it compares with was awake."""
        own = re.match(r"expert (\d+).* over the rounds it was awake", claim.witness) if "m" in claim.facts else None
        return int(self.played.awake[int(own[1])]) if own else self.rounds

    def limit_in_units(self, claim: Claim) -> float | None:
        void = self.gradient is not None or claim.limit is None or not isfinite(claim.limit)
        return None if void else self.in_units(claim.limit or 0, self.rounds_of(claim))

    @cached_property
    def predictions(self) -> list[Any]:
        """What the rule says each round: its forecast, its vote, its share of a 1; of losses, whom it follows. None: nobody was awake."""
        if self.reading.advice == "forecast" and not self.votes:
            return [None if x != x else x for x in self.played.forecast.tolist()]
        if not self.votes:
            return [None if i < 0 else self.names[i] for i in self.run.choices.tolist()]
        if self.reading.advice == "probability" and not self.rule.bandit:
            return self.run.mix.tolist()
        return [int(vote) for vote in (self.run.mix >= 0.5 if self.drawn else self.run.predictions)]

    @cached_property
    def gradient_bound(self) -> tuple[str, float] | None:
        """Of gradients: a theorem, and what the rule loses at most beyond every convex combination; with sleepers, beyond each expert
        over the rounds it was awake. Charges and forecasts were rounded to float32, which is added.
        """
        claims = [c for c in self.bounds if c.limit is not None and "m" in c.facts and not c.name.endswith("-mixture")]
        if not self.linearised or not claims:
            return None
        if self.gradient is None:
            return self._beyond(claims)
        claim = min(claims, key=lambda c: float(c.limit or 0) - float(c.facts["m"]))
        beyond = float(claim.limit or 0) - float(claim.facts["m"]) + self.rounds * 2.0**-22
        return claim.name, beyond * self.gradient

    def _beyond(self, claims: list[Claim]) -> tuple[str, float]:
        """The same of a rule whose own theorem speaks of combinations: beyond the best of them, or the expert nearest to its limit."""
        combined = next((bound for bound in self.rule.bounds if bound.witness == "combination"), None)
        if combined is None or self.convex.weights is None or self.convex.loss is None:
            claim = claims[0]
            return claim.name, self.in_units(float(claim.limit or 0) - float(claim.facts["m"]), 0)
        m = self.convex.loss / (self.reading.scale or 1.0)
        facts = {"n": len(self.names), "played": self.rounds, "m": m, **self.run.measured(list(map(Fraction, self.convex.weights)))}
        limit = combined.value(**{name: facts[name] for name in combined.needs})
        return combined.name, self.in_units(float(limit) - m, 0)

    def over(self, window: int = WINDOW, until: int | None = None) -> Lately:
        """How it went in the last `window` rounds with a truth, or in the last up to round `until` of these, counted from 1."""
        first, last = span(self.rounds, window, until)
        rows = np.flatnonzero(self.run.truth >= 0)[first:last].copy() if not self.by_name else np.arange(first, last)
        made = None if not self.votes or self.by_name else self.run.mix >= 0.5 if self.drawn else self.run.predictions
        wrong = None if made is None else int((made[rows] != (self.run.truth[rows] == 1)).sum())
        own, uniform = (float(np.nansum(self.played.some(name, rows))) for name in ("own", "uniform"))
        return Lately(len(rows), own, wrong, uniform, *self._best_in(rows))

    def lately(self, window: int | None = None) -> Lately | None:
        """The last rounds, where there are more than these, or so many were asked for."""
        return self.over(window or WINDOW) if window or self.rounds > WINDOW else None

    def _best_in(self, rows: np.ndarray) -> tuple[str | None, float | None]:
        """Who lost least a round in these rows of the table, of those awake in half of them, and how much."""
        if not self.small or self.by_name or not len(rows):
            return None, None
        losses = self._whole(self.played.losses_of)[0][rows]
        best, least = best_awake(losses)
        return (None if best is None else self.names[best]), least

    @property
    def by_name(self) -> bool:
        """Did truths come in rows of their own, by the names of the rounds?"""
        return self.run.order is not None and self.run.delay is None

    @property
    def small(self) -> bool:
        """Does the whole table fit into memory?"""
        return len(self.run.truth) * len(self.names) <= MOST_CELLS

    @cached_property
    def convex(self) -> Convex:
        """The best convex combination in hindsight. Where losses are linear in the weights that is the best expert."""
        if self.slept:
            return Convex(None, None, reason="an expert that sleeps has no convex share")
        if self.by_name:
            return Convex(None, None, reason="truths came in rows of their own")
        if (self.reading.played == "loss" and self.reading.advice != "forecast") or self.reading.played == "vote":
            weights = np.zeros(len(self.names))
            weights[self.names.index(self.best.name)] = 1.0
            return Convex(weights, self.best.loss, self.best.loss)
        if not self.small:
            return Convex(None, None, reason=f"more than {MOST_CELLS:,} cells")
        advised, truths = self._whole(lambda advice, forecasts, truths: (advice.table if forecasts is None else forecasts, truths))
        known = ~np.isnan(truths)
        loss = "absolute" if self.reading.advice == "probability" else self.reading.loss or "squared"
        return best_convex(advised[known].astype(np.float64), truths[known], loss, self.reading.quantile)

    @cached_property
    def switching(self) -> list[Switching]:
        """The best sequence of experts with S changes in hindsight, S from 0 to `switches`; nobody follows a sleeper."""
        if not self.small or self.most_switches <= 0 or self.by_name:
            return []
        losses, _ = self._whole(self.played.losses_of)
        rounds = np.flatnonzero((self.run.truth >= 0) & ~np.isnan(losses).all(axis=1))  # when all sleep there is nobody to follow
        paths = best_path(losses[rounds], self.most_switches) if len(rounds) else []
        out = []
        for most, path in enumerate(paths):
            steps = [] if path is None else [(int(rounds[t]) + 1, self.names[i]) for t, i in path.segments]
            out.append(Switching(most, None if path is None else float(path.m), steps))
        return out

    def _whole(self, of: Callable[..., Any]) -> tuple[np.ndarray, np.ndarray]:
        parts = [of(*block) for block in self.table.advices()]
        parts, rows = parts * self.run.passes, len(self.run.truth)  # an alarm may have ended the run before the table did
        return np.concatenate([part[0] for part in parts])[:rows], np.concatenate([part[1] for part in parts])[:rows]

    def as_json(self) -> dict[str, Any]:
        """Plain values; docs/command_line.md has the keys."""
        r, convex = self.reading, self.convex
        shares = None if convex.weights is None else {n: float(w) for n, w in zip(self.names, convex.weights, strict=True) if w > 0}
        return {
            "rule": repr(self.rule),
            "advice": r.advice,
            "loss_name": r.loss or {"vote": "zero_one", "probability": "absolute"}.get(r.advice or "", r.advice),
            "scale": r.scale,
            "range": {"low": r.low, "high": r.high, "measured": r.measured},
            "rounds": self.rounds,
            "experts": [expert.as_json() | {"mean_loss": expert.mean_loss, "weight": expert.weight} for expert in self.experts],
            "loss": self.loss,
            "mixture_loss": self.mixture_loss,
            "mistakes": self.mistakes,
            **errors_as_json(None if self.errors is None else self.errors["rule"]),
            "uniform": self.uniform,
            "best": self.best.as_json(),
            "convex": {"loss": convex.loss, "weights": shares, "reason": convex.reason},
            "switching": [{"switches": s.switches, "loss": s.loss, "path": [list(step) for step in s.path]} for s in self.switching],
            "regret": self.regret,
            "gradient": {
                "scale": self.reading.scale if self.rule.gradient else self.gradient,
                "regret": None if not self.linearised or convex.loss is None else self.loss - convex.loss,
                "theorem": None if self.gradient_bound is None else self.gradient_bound[0],
                "bound": None if self.gradient_bound is None else self.gradient_bound[1],
            },
            "bounds": [claim.as_json() | {"limit_in_units": self.limit_in_units(claim)} for claim in self.bounds],
            "weights": self.weights,
            "seconds": self.seconds,
        }


def play_experts(
    table: Any,
    *more: Any,
    truth: str | None = None,
    rule: Rule | str | Callable[..., Rule] | AdviceModel | None = None,
    advice: str | None = None,
    loss: str | None = None,
    quantile: float | None = None,
    threshold: float | None = None,
    range: tuple[float, float] | None = None,
    layout: str | None = None,
    round: str | None = None,
    expert: str | None = None,
    forecast: str | None = None,
    experts: Sequence[str] | None = None,
    ignore: Sequence[str] | None = None,
    format: str | None = None,
    delimiter: str | None = None,
    bandit: bool = False,
    gradient: bool | None = None,
    switches: int = 3,
    seed: int = 0,
    passes: int = 1,
    delay: int | None = None,
    id: str | None = None,
    assume: str | None = None,
    alarm: str | None = None,
    alarm_delta: Any = Fraction(1, 20),
    alarm_test: str = "exchangeable",
    say: Callable[[str], None] | None = None,
    cluster: Any = None,
) -> ExpertsRun:
    """Whom to trust: play a rule over a table of experts (a file or a frame): a column an expert, or a row a forecast.

    `truth` is the column of the truth, and experts are the columns of numbers after it; an empty cell is an expert asleep. Advice is
    "vote", "probability", "forecast", "loss" or "gain", as the first rows look unless it is said. Forecasts cost their squared, absolute or
    pinball loss, divided by the largest that occurs, or within `range`; with a `threshold` they are votes for being at least so large.
    The rule is of forecasts a rule of rules, else AdaHedge, or its sleeping form where a cell is empty; a rule, its name, or the function
    that makes one; or a model of one, which goes on (the table is read as its own was). `say` is told what was taken for what. With
    `gradient` it is told linearised losses, and competes with the best convex combination of forecasts in place of the best expert; the
    rule of rules, ml_poly, boa and ml_prod are told them unless it is False. `passes`, `delay`, `assume`, `alarm` (stop or report),
    `alarm_delta` and `alarm_test` are as in `ls.play`; `id` is a column that names the rounds, so that a later row with the name and the
    truth alone brings the truth. `cluster` is as in `ls.play`, and plays hedge, randomized_weighted_majority and follow_leader.

    >>> import pyarrow, littlestone as ls
    >>> table = pyarrow.table({"truth": [1, 3, 2, 4], "low": [0, 2, 1, 3], "high": [2.0, 4.5, 3.5, 5.5], "flat": [2.5, 2.5, 2.5, 2.5]})
    >>> run = ls.experts(table)
    >>> run.best.name, run.best.loss, round(run.loss, 3), round(run.uniform["loss"], 3)
    ('low', 4.0, 0.624, 0.472)
    """
    require(isinstance(switches, int) and switches >= 0, f"switches={switches!r} must be a whole number, not negative")
    require(isinstance(truth, str | None), f"truth= takes the NAME of a column of the table, and got a {type(truth).__name__}")
    reading = reading_of(
        truth=truth, advice=advice, loss=loss, quantile=quantile, threshold=threshold, range=range, layout=layout, round=round,
        expert=expert, forecast=forecast, experts=experts, ignore=ignore, format=format, delimiter=delimiter,
    )  # fmt: skip
    if cluster is not None:
        with above("connected")(cluster) as workers:
            plain = not (bandit or gradient or delay is not None or id is not None or passes != 1 or alarm)
            require(plain and not isinstance(rule, AdviceModel), f"cluster: {SIDE_BY_SIDE}")
            return spread(rule, [table, *more], reading, workers, seed, switches, assume, say)
    begun = perf_counter()
    before = rule if isinstance(rule, AdviceModel) else None
    if before is not None:
        require(reading == TableReading(), "a model reads a table as its own was read; leave out what says how")
        require("gradient" not in before.reading, "a model of linearised losses cannot go on: they depend on every forecast")
        what, other = ("gradients", "no-") if before.rule.gradient else ("losses", "")
        same = gradient is None or bool(gradient) == before.rule.gradient
        require(same, f"--{other}gradient (gradient={gradient}): the model's {before.rule.name} is told {what}, and goes on with these")
    source = ExpertTable(table, *more, reading=reading, id=id) if before is None else table_for(before, table, *more)
    prompt = delay is None and id is None  # do truths come at once?
    plain = not prompt or (rule is None and assume is not None)  # what is declared is of the best expert
    chosen = rule_for(before.rule if before is not None else rule, source, bandit, seed, False if plain and not gradient else gradient)
    tell(say, source)
    if gradient and not chosen.gradient:
        refuse_gradient(chosen, source, prompt, alarm)
    require(alarm != "restart", NO_RESTART)
    at_once = id is None or source.reading.played != "loss"
    require(at_once, "--id (id=): truths that come by name are of votes and probabilities; what a forecast loses is made of its truth")
    require(prompt or not chosen.gradient, f"{chosen.name} is told gradients, which are made of a forecast and its truth: {TOGETHER}")
    linearised = bool(gradient) and not chosen.gradient
    how = {"passes": passes, "delay": delay, "ids": None if id is None else True, "assume": assume if alarm else None, "alarm": alarm}
    how |= {"alarm_delta": alarm_delta, "alarm_test": alarm_test}
    run, played = play_table(chosen if before is None else before, source, linearised=linearised, **how)
    refuse_silent(source, played, run, before)
    scale = gradient_scale(source.reading) if linearised else None
    return ExpertsRun(run, source, played, switches, perf_counter() - begun, scale, before, assume)


def tell(say: Callable[[str], None] | None, source: ExpertTable) -> None:
    """What was taken for what, to whoever wants to hear it."""
    for line in source.notes if say is not None else ():
        say(line)  # type: ignore[misc]


def refuse_silent(source: ExpertTable, played: ExpertCounts, run: AdviceRun, before: AdviceModel | None) -> None:
    """A truth that never came; and an expert of whom nothing was ever heard."""
    require(run.rounds or not run.unlabelled, f"column {source.reading.truth!r} is empty in all {run.unlabelled:,} rounds; {NO_TRUTH}")
    silent = next((name for name, awake in zip(source.names, played.awake, strict=True) if not awake), None)
    advised = f"expert {silent!r} is asleep in all {run.rounds:,} rounds; expected a number in one of them at least"
    require(silent is None or before is not None or not run.rounds, f"{advised}, or leave it out (--ignore, ignore=)")


def refuse_gradient(chosen: Rule, source: ExpertTable, prompt: bool, alarm: str | None) -> None:
    """What cannot be told linearised losses; `prompt`: do truths come at once?"""
    r = source.reading
    real = r.advice == "forecast" and r.played == "loss"
    what = f"the loss is {r.loss}, which is not convex" if r.advice == "forecast" else f"the advice is {r.advice}"
    require(real, f"--gradient (gradient=) is of forecasts and their squared, absolute or pinball loss; {what}")
    mixes = not chosen.bandit and chosen.expectation is None
    require(mixes, f"--gradient (gradient=) needs a rule that mixes forecasts; {chosen.name} follows one expert at a time")
    if source.slept and not chosen.family.alike:
        able = " and ".join(name for name in catalogue.names() if catalogue.factory(name)().family.alike)
        raise LittlestoneError(f"--gradient (gradient=) with experts that sleep is proved for {able} alone; leave out {chosen.name}")
    require(not alarm, f"--alarm (alarm=): {chosen.name} is told charges that depend on it; {WITHOUT_CHARGES}")
    require(prompt, "--gradient (gradient=): a charge is made of the rule's forecast and its truth, which must come with it")
    fits = source.rounds is None or source.rounds * len(source.names) <= MOST_CELLS
    require(fits, f"--gradient (gradient=) keeps the rounds it made: at most {MOST_CELLS:,} cells")


WITHOUT_CHARGES = "ml_poly, boa and ml_prod are told forecasts, --no-gradient (gradient=False) tells it losses: expected one of these"
NO_TRUTH = "expected a truth in one of them at least (littlestone predict MODEL TABLE needs none)"
NO_RESTART = "alarm='restart' begins anew after an alarm, and a table is summed up as a whole; ls.play(rule, ...) takes it"
SIDE_BY_SIDE = "the files are played side by side, once; leave out bandit, gradient, delay, id, passes, alarm and a model"


def spread(
    rule: Any,
    tables: Sequence[Any],
    reading: TableReading,
    workers: Any,
    seed: int,
    switches: int,
    assume: str | None,
    say: Callable[[str], None] | None,
) -> ExpertsRun:
    """The same by workers: a rule with a fixed rate, over tables in many files."""
    begun = perf_counter()
    source = ExpertTable(*tables, reading=reading, workers=workers)
    chosen = rule_for(rule, source, False, seed, False)
    tell(say, source)
    refuse_unspread(chosen, source)
    run, played = play_files(chosen, source, workers)
    return ExpertsRun(run, source, played, switches, perf_counter() - begun, None, None, assume)


def joined(before: AdviceModel, after: AdviceModel) -> tuple[int, ...] | None:
    """In how many rounds each expert was awake, before and in the rounds after; where that is known."""
    if before.awake is None or after.awake is None or not (before.awake or after.awake):
        return None if before.awake is None else ()
    parts = [model.awake or (model.rounds,) * (model.rule.n or 0) for model in (before, after)]
    return tuple(a + b for a, b in zip(*parts, strict=True))


TOGETHER = "both must come together, without delay= and id=; --no-gradient (gradient=False) tells it losses"


def reading_of(
    *,
    range: tuple[float, float] | None = None,
    experts: Sequence[str] | None = None,
    ignore: Sequence[str] | None = None,
    format: str | None = None,
    **choices: Any,
) -> TableReading:
    """How a table of experts is to be read, from the keywords of `ls.experts`."""
    low, high = (None, None) if range is None else tuple(range)
    names, left_out = _tuple(experts), _tuple(ignore) or ()
    return TableReading(format=format or "auto", low=low, high=high, experts=names, ignore=left_out, **choices)


def _tuple(names: Sequence[str] | None) -> tuple[str, ...] | None:
    return None if names is None else (names,) if isinstance(names, str) else tuple(names)


def rule_for(rule: Any, table: ExpertTable, bandit: bool = False, seed: int = 0, gradient: bool | None = None) -> Rule:
    """The rule that was asked for, or the default: of forecasts the rule of rules, told gradients; else AdaHedge, for sleepers its sleeping
    form; of bandits Exp3-IX."""
    played = table.reading.played
    if rule is None:
        linear = bandit or not told_of(table.reading, gradient)
        rule = "exp3_ix" if bandit else "rule_of_rules:members=12" if not linear else "sleeping_adahedge" if table.slept else "adahedge"
    if isinstance(rule, str):
        rule = _named_rule(rule, table.reading, seed, gradient)
    elif callable(rule):
        rule = rule_named(rule.__name__, played, seed, rule, told_of(table.reading, gradient))
    require(isinstance(rule, Rule), f"rule={rule!r} is no rule over advice, such as ls.adahedge()")
    remedy = f"make it with advice={played!r}, or give its name, rule={rule.name!r}"
    require(rule.advice == played, f"{rule.name} was made for advice={rule.advice!r}, and this table gives {played!r}: {remedy}")
    require(not bandit or rule.bandit, f"--bandit (bandit=): {rule.name} looks at the loss of every expert; exp3 and exp3_ix do not")
    if rule.gradient:
        own, here = gradients_of(rule.settings), gradients_of(told_of(table.reading, gradient))
        require(own == here, f"{rule.name} was made to be told {own}; here it is told {here}: give its name, rule={rule.name!r}")
    return rule


def told_of(reading: TableReading, gradient: bool | None) -> dict[str, Any]:
    """Of a rule that can be told gradients: of which loss, where the advice is forecasts and nobody wants it otherwise."""
    if gradient is False or reading.advice != "forecast" or reading.played != "loss":
        return {}
    return {"loss": reading.loss, "quantile": None if reading.quantile is None else Fraction(str(reading.quantile))}


def gradients_of(settings: Mapping[str, Any]) -> str:
    """What a rule with these settings is told, in words."""
    loss, quantile = settings.get("loss"), settings.get("quantile")
    return (
        "losses"
        if loss is None
        else f"gradients of the {loss} loss" + ("" if quantile is None else f" of the quantile {float(quantile):g}")
    )


def _named_rule(text: str, reading: TableReading, seed: int, gradient: bool | None) -> Rule:
    try:
        return rule_named(text, reading.played, seed, None, told_of(reading, gradient))
    except LittlestoneError as error:
        if reading.advice != "forecast" or reading.played != "loss":
            raise
        rule_named(text, "vote", seed)  # what is wrong with it for votes too is said as it is
        raise LittlestoneError(f"{error}; forecasts under {reading.loss} loss are losses to a rule; --threshold T makes votes") from None


def rule_named(
    text: str, advice: str, seed: int = 0, factory: Callable[..., Rule] | None = None, loss_settings: Mapping[str, Any] | None = None
) -> Rule:
    """`NAME[:key=value...]` as a rule for this kind of advice; of the catalogue, unless a function is given that makes it.

    >>> rule_named("hedge:eta=1/2", "loss")
    hedge(eta=1/2, advice=loss, seed=0)
    """
    name, parts = naming.split(text)
    factory = factory or catalogue.factory(name)
    known = signature(factory).parameters
    for part in parts:
        key = part.partition("=")[0]
        require(key not in ("n", "advice", "loss", "quantile"), f"rule {text!r}: {name} has no setting {key!r} here: the table tells it")
    more = {key: value for key, value in {"seed": seed, **(loss_settings or {})}.items() if key in known}
    return naming.made("rule", text, factory, parts, advice=advice, **more)
