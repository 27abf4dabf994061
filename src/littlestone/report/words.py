"""Runs in words: the doubling table, the closing summary, the JSON object."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from math import ceil, isfinite
from typing import Any

from littlestone.protocol import ClassLearner, ClassMetrics, ClassRun, Learner, Metrics, Run
from littlestone.protocol.class_costs import LeastCost
from littlestone.theory import Claim, selective
from littlestone.theory.bound import FAULT, MEASURED_REGRET
from littlestone.theory.certificate import compared
from littlestone.theory.claims import best
from littlestone.theory.comparators.vector import Vector
from littlestone.theory.floor import FLOORS, stands_alone
from littlestone.theory.forecast import beside_vote
from littlestone.theory.kept_hypothesis import CONDITION
from littlestone.theory.numbers import rounded_up
from littlestone.theory.risk import share, sureness

COLUMNS = ("rounds", "mistakes", "since last", "rate", "rate since", "bound so far", "rounds/s")
ENOUGH = 100  # rounds from which on a comparison with the majority says something
OTHERS = "Other learners may do better (`littlestone compare`, `littlestone learners --which`)"
COLUMN_WISE = ", or columns taken in other ways: numbers cut into ranges (`--bins K`), numbers that are names (`--categorical COLUMN`)"
WIDTHS = (12, 11, 11, 9, 11, 14, 12)


def table_head(bounded: bool) -> str:
    """The names of the columns; `bounded`: is there a bound that compares as the run goes?"""
    return "".join(name.rjust(width) for name, width in zip(COLUMNS, WIDTHS, strict=True) if bounded or name != "bound so far")


def table_row(
    rounds: int, mistakes: int, rounds_before: int, mistakes_before: int, bound: Claim | None, speed: float | None, bounded: bool
) -> str:
    """One line of the doubling table; no speed where it would say nothing yet."""
    since = mistakes - mistakes_before
    cells = (
        f"{rounds:,}",
        f"{mistakes:,}",
        f"{since:,}",
        percent(mistakes, rounds),
        percent(since, rounds - rounds_before),
        amount(bound.limit) if bound is not None and bound.limit is not None else "-",
        "" if speed is None else f"{speed:,.0f}",
    )
    shown = [cell.rjust(width) for cell, width, name in zip(cells, WIDTHS, COLUMNS, strict=True) if bounded or name != "bound so far"]
    return "".join(shown).rstrip()


def many(count: int | float, thing: str, things: str = "") -> str:
    """
    >>> many(1, "mistake"), many(2_000, "round"), many(3.1711, "mistake"), many(2048, "leaf", "leaves")
    ('1 mistake', '2,000 rounds', '3.18 mistakes', '2,048 leaves')
    """
    return f"{amount(count)} {thing if count == 1 else things or f'{thing}s'}"


def amount(count: int | float | Decimal) -> str:
    """A count or a loss; where it is broken it is rounded up, so that a limit stays one.

    >>> amount(2_000), amount(3.1711), amount(2.0)
    ('2,000', '3.18', '2')
    """
    if isinstance(count, int) or not isfinite(count):
        return f"{count:,}"
    return f"{ceil(count * 100) / 100:,.2f}".rstrip("0").rstrip(".")


def percent(part: int, whole: int) -> str:
    """
    >>> percent(57, 6513), percent(0, 0)
    ('0.88 %', '-')
    """
    return f"{100 * part / whole:.2f} %" if whole else "-"


def summary(run: Run | ClassRun, claims: Sequence[Claim], *, table: bool = False, verbose: bool = False, recent: Any = None) -> str:
    """A run in a few sentences. `table`: its features were made of the columns of a table, which can be taken in other ways.
    `verbose`: every bound with its facts, the accounts among them, every member of a panel, and the speed. `recent`: its last rounds, which
    stand beside the rates of all."""
    lines = [headline(run, claims), *assumed(run, claims), baselines(run, claims)]
    made, without = (run.mistakes, run.baselines) if run.weighted_baselines is None else (run.weighted_mistakes, run.weighted_baselines)
    if run.rounds >= ENOUGH and made > without["majority"]:
        lines.append(f"That is more than always saying the majority. {OTHERS}{COLUMN_WISE if table else ''}.")
    if isinstance(run, ClassRun):
        both_known = run.rounds and not run.unpredicted.any()  # it began with two classes, and said one of them before any had come
        first = "each from the third on" if both_known else "each first time"
        measured = [f"{many(len(run.classes), 'class', 'classes')} appeared, {first} a mistake."]
    else:
        measured = [f"{many(run.false_positives, 'false positive')}, {many(run.false_negatives, 'false negative')}."] if verbose else []
    measured += [*this_part(run), *rates(run.metrics, in_full=verbose), *([lately(recent)] if recent else [])]
    lines += measured if verbose else [" ".join(measured)] if measured else []
    if run.weighted_mistakes != run.mistakes:
        lines.append(f"The weights of the rounds with mistakes add up to {run.weighted_mistakes:.4g}; bounds speak of that.")
    lines += labels_asked(run)
    if run.unlabelled:
        lines.append(f"Predicted and not counted, for want of a label: {many(run.unlabelled, 'round')}.")
    if not verbose:
        return "\n".join([*lines, *trusted(run)])
    for claim in claims:
        lines += in_full(run, claim)
    lines += members(run)
    lines.append(f"{many(run.nonzeros, 'feature')} in {run.seconds:.2f} s{pace(speed(run))}; arithmetic: {run.arithmetic}.")
    return "\n".join(lines)


def headline(run: Run | ClassRun, claims: Sequence[Claim]) -> str:
    """The mistakes, their rate and the best bound that compares the run with somebody over all rounds, in a sentence."""
    rounds, mistakes = run.total
    rate = percent(mistakes, rounds)
    keys = getattr(run, "buckets", None)
    each = "" if keys is None else f", one for each of {many(len(keys), 'key')},"
    if getattr(run, "shared_runner", None) is not None:
        each = f"{each[:-1]} and {run.shared_runner.learner!r} for all,"  # type: ignore[union-attr]
    made = f"{run.learner!r}{each} made {many(mistakes, 'mistake')} in {many(rounds, 'round')} ({rate})"
    made += f", in the {rounds - run.part.rounds:,} of the model and in the {run.part.rounds:,} of this part" if goes_on(run) else ""
    after = best_comparison(claims)
    if after is not None and promises_nothing(run, after):
        return f"{made}; no bound says anything of them: the smallest, {after.name}, allows {allowed(run, after.limit)}."  # type: ignore[arg-type]
    return f"{made}." if after is None else f"{made}; {comparison(run, after)}{by_its_own(run, after, claims)}."


def promises_nothing(run: Run | ClassRun, claim: Claim) -> bool:
    """Does it allow a mistake in every round?"""
    return claim.limit is not None and not run.weighted and claim.limit >= run.total.rounds


def goes_on(run: Any) -> bool:
    """Does it go on from a model that had counted rounds?"""
    return run.total.rounds > run.part.rounds


def this_part(run: Any) -> list[str]:
    """Where the run goes on from a model: the mistakes in its own rounds, of which the rates are."""
    rounds, mistakes = run.part
    return (
        [f"This part alone: {many(mistakes, 'mistake')} in {many(rounds, 'round')} ({percent(mistakes, rounds)})."] if goes_on(run) else []
    )


def best_comparison(claims: Sequence[Claim]) -> Claim | None:
    """The smallest of the bounds in hindsight that compare the run with somebody over all rounds."""
    return best(claim for claim in claims if claim.kind == "hindsight" and claim.compares)


def assumed(run: Run | ClassRun, claims: Sequence[Claim]) -> list[str]:
    """What was declared beforehand, in a sentence each; and bounds that are broken."""
    lines = [broken(claim) for claim in claims if claim.holds is False]
    return lines + [declared(run, claim) for claim in claims if claim.kind == "a priori" and claim.holds is not False]


def baselines(run: Run | ClassRun, claims: Sequence[Claim]) -> str:
    """What rules that learn nothing would have made, and whether the bound says anything beside them."""
    after, majority = best_comparison(claims), run.baselines["majority"]
    void = after is not None and not run.weighted and after.limit >= majority  # type: ignore[operator]
    remark = " (the bound proves nothing against that)" if void else ""
    weighed = run.weighted_baselines
    whose = "" if not goes_on(run) else " (in this part)" if run.resumed else " (in all these rounds)"
    if weighed is not None and run.weighted_mistakes != run.mistakes:
        always, last = (f"{weighed[name]:,.6g}" for name in ("majority", "same_as_last"))
        return f"To compare{whose}, in the same weights: always the label that costs least {always}, same as the last label {last}."
    return f"To compare{whose}: always the majority {majority:,}{remark}, same as the last label {run.baselines['same_as_last']:,}."


def broken(claim: Claim) -> str:
    """More mistakes than a bound allows, and no fault of the stream, in a sentence."""
    why = "this stream meets what it assumes" if claim.kind == "a priori" else "it assumes nothing"
    return f"Bound {claim.name} is BROKEN: {amount(claim.observed)}, and it allows {amount(claim.limit or 0)}; {why}, so {FAULT}."


def declared(run: Run | ClassRun, claim: Claim) -> str:
    """What a bound says that assumes something, in a sentence."""
    if claim.limit is None:
        look = "; a certificate looks at the rows, and tells a false theorem from a false assumption" if "exceed" in claim.reason else ""
        return f"Bound {claim.name} is void: {claim.reason}{look}."
    return f"Bound {claim.name}: at most {allowed(run, claim.limit)}{says_nothing(run, claim)}, if {claim.assumes}."


def says_nothing(run: Run | ClassRun, claim: Claim) -> str:
    return f" (it says nothing here: there were only {many(run.total.rounds, 'round')})" if promises_nothing(run, claim) else ""


def comparison(run: Run | ClassRun, claim: Claim) -> str:
    """What a bound that compares says: what the other loses over all rounds, and the price of not knowing it."""
    names = getattr(run.learner, "names", ())
    loss = amount(claim.comparator_loss)  # type: ignore[arg-type]
    price = amount(max(Decimal(0), Decimal(str(claim.limit)) - Decimal(loss.replace(",", ""))))  # what is printed adds up
    floor = claim.name in FLOORS and not names
    by = "by the floor, which is true of every learner" if floor else "by theorem"
    by += " and all that this one has" if floor and stands_alone(run.learner.family) else ""
    whom = compared(claim, names, "member" if names else "expert").removeprefix(", compared with ")
    loses = "loses" if whom else "lose"
    whom = whom or "the rules that its members are compared with"  # a reduction adds up their limits, and has no witness of its own
    whom = "the best linear rule found in hindsight" if isinstance(claim.comparator, Vector) else whom
    whom += "," if whom.endswith(", the best member") else ""
    why = "was its own loss, measured and not promised" if claim.name.endswith(MEASURED_REGRET) else "for not knowing it"
    if difference := claim.facts.get("difference"):  # the theorem is about the vote; how much more or less often the label errs was counted
        price = amount(max(Decimal(0), Decimal(price.replace(",", "")) - Decimal(str(float(difference)))))
        why += beside_vote(difference)
    mean = ", on average over its coin" if claim.by_chance else ""
    return f"at most {allowed(run, claim.limit)}{mean} {by}: {whom} {loses} {loss} over all rounds, and {price} more {why}"  # type: ignore[arg-type]


def by_its_own(run: Run | ClassRun, after: Claim, claims: Sequence[Claim]) -> str:
    """Where the floor is the better of the two, what the learner's own theorem had promised."""
    own = best(c for c in claims if c.kind == "hindsight" and c.compares and c.name not in FLOORS and not c.name.endswith(MEASURED_REGRET))
    if after.name not in FLOORS or own is None or own.limit is None or own.by_chance:
        return ""
    return f". Its own theorem, {own.name}, allows {allowed(run, own.limit)}"


def in_full(run: Run | ClassRun, claim: Claim) -> list[str]:
    """A bound with its formula, its facts and whom it compares with."""
    if claim.limit is None:
        return [f"Bound {claim.name} ({claim.kind}) is void: {claim.reason}."]
    kind = claim.kind if claim.compares else f"{claim.kind}, an account: it follows from the mistakes, and compares with nothing"
    names = getattr(run.learner, "names", ())
    whom = compared(claim, names, "member" if names else "expert")
    condition = f"if {claim.assumes}" if claim.kind == "a priori" else f"it assumes {claim.assumes}"
    return [
        f"Bound {claim.name} ({kind}): at most {allowed(run, claim.limit)}{says_nothing(run, claim)}. {claim.formula}",
        f"    with {facts(claim)}{whom}; {condition}.",
    ]


def allowed(run: Run | ClassRun, limit: int | float) -> str:
    """So many mistakes; where rounds have weights, so much weight of them."""
    weighted = run.weighted_mistakes != run.mistakes
    return f"a weight of mistakes of {rounded_up(limit)}" if weighted else many(limit, "mistake")


def asked_of(run: Run | ClassRun) -> dict[str, Any] | None:
    """Of a learner that asks for labels: how many it asked for, was to be expected to, and is allowed but for a chance of 1/20."""
    facts = run.learner.facts(run) if run.learner.facts and run.state is not None else {}
    if "asked" not in facts:
        return None
    expected = facts["expected"]
    return {"asked": facts["asked"], "expected": expected, "limit": selective.labels_asked(expected), "delta": 0.05}


def labels_asked(run: Run | ClassRun) -> list[str]:
    labels = asked_of(run)
    if labels is None:
        return []
    of = f"{many(labels['asked'], 'label')} of {run.rounds:,} asked for"
    return [f"{of}; {labels['expected']:,.1f} were to be expected, and at most {labels['limit']:,} with probability 0.95, over its coin."]


def trusted(run: Run | ClassRun) -> list[str]:
    """Of a panel: the three members of most weight, in a line."""
    seats = sorted(run.members, key=lambda seat: (-seat.weight, seat.mistakes))[:3] if seated(run.learner, run.state) else []
    named = [f"{seat.name} {100 * seat.weight:.0f} % ({many(seat.mistakes, 'mistake')})" for seat in seats if seat.weight >= 0.005]
    return [f"Trusted most{' (by all rounds)' if goes_on(run) else ''}: {', '.join(named)}."] if named else []


def members(run: Run | ClassRun) -> list[str]:
    """Of a panel: who sits on it, the fewest mistakes first."""
    if not seated(run.learner, run.state):
        return []
    seats = sorted(run.members, key=lambda seat: (seat.mistakes, -seat.weight))
    width = max(len("member"), *(len(seat.name) for seat in seats))
    lines = [f"    {seat.name:<{width}} {seat.mistakes:>9,} {seat.weight:>8.3f}" for seat in seats]
    late = getattr(run, "overlap", 0)  # then members are asked again when the label comes
    note = ["    (members' mistakes are of what they said when the label came, not of what they had said before)"] if late else []
    return [f"    {'member':<{width}} {'mistakes':>9} {'weight':>8}", *lines, *note]


def seated(learner: Any, state: Any, *, late: bool = False) -> dict[str, Any]:
    """Of a panel: its members, and apart from them its blends, which learn from what members say; and its forecasts, unless labels came
    late: the account it keeps is of what it would have said when they came."""
    seats = [] if state is None else [seat._asdict() for seat in learner.seats(state)]  # a run by key has a panel for each
    if not seats:
        return {}
    count, forecasts = len(learner.members), learner.forecasts_of(state)
    panel: dict[str, Any] = {"members": seats[:count], "blends": seats[count:]}
    if forecasts is not None and not late:
        loss, errors, *calibration = forecasts.bounds
        limits: dict[str, Any] = {"limit": loss.limit, "beside": loss.witness, "mistakes_limit": errors.limit}
        limits |= {"calibration_limit": calibration[0].limit} if calibration else {}
        limits |= {"holds": all(claim.holds for claim in forecasts.bounds)}
        panel |= {"forecast_mistakes": forecasts.mistakes, "forecasts": forecasts.as_json() | limits}
    return panel


def pace(features: float) -> str:
    """
    >>> pace(12_345_678.0), pace(4_321.9), pace(0.0)
    (' (12.3 million a second)', ' (4,322 a second)', '')
    """
    return f" ({features / 1e6:,.1f} million a second)" if features >= 1e6 else f" ({features:,.0f} a second)" if features else ""


def rates(metrics: Metrics | ClassMetrics, *, in_full: bool = True) -> list[str]:
    """The rates of a run in a line, all of them or those that are asked for most; none where nothing was played."""
    if metrics.accuracy is None:
        return []
    if isinstance(metrics, ClassMetrics):
        loss = "" if metrics.log_loss is None else f", log-loss {metrics.log_loss:.4f}"
        auc = "" if metrics.auc is None else f", AUC {metrics.auc:.4f}"
        return [f"Accuracy {100 * metrics.accuracy:.2f} %, on average over the classes F1 {_rate(metrics.macro_f1)}{auc}{loss}."]
    parts = [f"precision {_rate(metrics.precision)}", f"recall {_rate(metrics.recall)}", *([f"F1 {_rate(metrics.f1)}"] if in_full else [])]
    if metrics.auc is not None and metrics.auc_off_by is not None:
        off = f" (give or take {metrics.auc_off_by:.1g})" if metrics.auc_off_by >= 5e-5 and in_full else ""
        parts.append(f"AUC {metrics.auc:.4f}{off}")
    if metrics.log_loss is not None:
        parts.append(f"log-loss {metrics.log_loss:.4f}")
    line = ", ".join(parts)
    if not in_full:
        return [f"{line[0].upper()}{line[1:]}."]
    return [
        f"Of the negatives {_share(metrics.false_positive_rate)} were taken for positive, "
        f"of the positives {_share(metrics.false_negative_rate)} for negative; {line}."
    ]


def lately(recent: Any) -> str:
    """The mistakes and the rates of the last rounds, in a line."""
    made = f"The last {many(recent.rounds, 'round')}: {many(recent.mistakes, 'mistake')} ({percent(recent.mistakes, recent.rounds)})"
    line = " ".join(rates(recent.metrics, in_full=False))
    return f"{made}; {line[0].lower()}{line[1:]}" if line else f"{made}."


def _share(part: float | None) -> str:
    return "-" if part is None else f"{100 * part:.2f} %"


def _rate(part: float | None) -> str:
    return "-" if part is None else f"{part:.3f}"


def facts(claim: Claim) -> str:
    return ", ".join(f"{key} = {_short(value)}" for key, value in claim.facts.items())


def calibration(run: Run | ClassRun) -> list[str]:
    """How well the probabilities of a run did: their theorems where there are any, and forecasts beside what came, bin by bin."""
    forecasts, metrics = None if run.state is None else run.learner.forecasts_of(run.state), run.metrics
    lines = []
    if forecasts is not None and run.delayed is not None:
        lines.append(
            "Labels came late: the theorems about forecasts speak of those that are made right before each label, and not of these."
        )
    elif forecasts is not None and forecasts.rounds:
        loss, mistakes, *calibration = forecasts.bounds
        everywhere = "In all rounds t" if goes_on(run) else "T"
        likeliest = "The likeliest class is wrong" if isinstance(run, ClassRun) else "At 1/2 they err"
        lines.append(
            f"{everywhere}he forecasts lost {forecasts.loss:,.1f} nats, {forecasts.loss / forecasts.rounds:.4f} a round; "
            f"at most {loss.limit:,.1f} by {loss.name}, beside {loss.witness}, which lost {loss.comparator_loss:,.1f}. "
            f"{likeliest} {many(forecasts.mistakes, 'time')}, at most {mistakes.limit:,}."
        )
        lines += [
            f"Calibration: beside stack-10 with one number for each of its bins, the best in hindsight, which loses "
            f"{claim.comparator_loss:,.1f}, the forecasts lost {float(claim.observed) - float(claim.comparator_loss or 0):+,.1f} nats; "
            f"at most {claim.price:+,.1f} by {claim.name}."
            for claim in calibration
        ]
    reliability = None if isinstance(metrics, ClassMetrics) else metrics.calibration
    if isinstance(metrics, ClassMetrics) or reliability is None:
        return lines
    lines.append(
        f"{'In this part: ' if goes_on(run) else ''}Brier score {metrics.brier:.4f}; "
        f"expected calibration error {reliability.error:.4f}, where chance alone makes "
        f"{reliability.by_chance:.4f} ± {reliability.deviation:.4f}."
    )
    lines.append(f"{'rounds':>10} {'forecast':>9} {'came true':>10}")
    return [*lines, *(f"{row.count:>10,} {row.forecast:>9.3f} {row.share:>10.3f}" for row in reliability.bins)]


def _short(value: Any) -> str:
    if isinstance(value, Mapping):
        return f"{_short(sum(value.values()))} in all"
    number = float(value)
    return f"{int(number):,}" if number == int(number) else f"{number:.6g}"


def speed(run: Run | ClassRun) -> float:
    return run.nonzeros / run.seconds if run.seconds else 0.0


def as_json(run: Run | ClassRun, claims: Sequence[Claim]) -> dict[str, Any]:
    """The object that `--json` prints."""
    if isinstance(run, ClassRun):
        kinds = {"classes": list(run.classes), "confusion": run.confusion.tolist()}
    else:
        kinds = {"false_positives": run.false_positives, "false_negatives": run.false_negatives}
    point = run.operating
    return {
        "learner": run.learner.name,
        "settings": settings(run.learner),
        "rounds": run.rounds,
        "mistakes": run.mistakes,
        **kinds,
        "unlabelled": run.unlabelled,
        "baselines": run.baselines,
        **({} if run.weighted_baselines is None else {"weighted_baselines": run.weighted_baselines}),
        "metrics": run.metrics.as_json(),
        **({} if point is None else {"operating": point.as_json()}),
        **({} if (labels := asked_of(run)) is None else {"labels_asked": labels}),
        "arithmetic": run.arithmetic,
        "seconds": run.seconds,
        "features_per_second": speed(run),
        "bounds": [claim.as_json() for claim in claims],
        **seated(run.learner, run.state, late=run.delayed is not None),
        **labelled(run),
        **({} if getattr(run, "buckets", None) is None else {"keys": len(run.buckets)}),  # type: ignore[union-attr]
        **beside_keys(run),
    }


def labelled(run: Run | ClassRun) -> dict[str, Any]:
    """Of a panel: which label it predicts, and the mistakes of the vote beside it; those of the forecast where that is the label."""
    label_by = getattr(run.learner, "label_by", None)
    if label_by is None:
        return {}
    counts = {} if run.state is None else {"vote_mistakes": run.vote_mistakes}  # of a run by key each key has a vote of its own
    return {"label_by": label_by, **counts, **({"forecast_mistakes": run.mistakes} if label_by == "forecast" else {})}


def beside_keys(run: Any) -> dict[str, Any]:
    """The shared learner of a run by key, where there is one."""
    shared = getattr(run, "shared_runner", None)
    return {} if shared is None else {"shared": {"learner": shared.learner.name, "mistakes": shared.mistakes}}


def operating(run: Run | ClassRun) -> str:
    """What came of the operating point, in one sentence."""
    point = run.operating
    assert point is not None
    choice, alone = beside_predictions(point)
    if isinstance(point, LeastCost):
        wrong = f"{point.mistakes:,} of them wrong, cost {point.cost:,.6g}"
        return f"Answers that cost least by the forecasts{choice}: {wrong}{alone}."
    errors = f"{many(point.false_positives, 'false positive')}, {many(point.false_negatives, 'false negative')}"
    positive = 1 if (both := getattr(run, "labels", None)) is None else both[1]
    text = f"At the operating point, {positive} from probability {point.threshold:.3g} on{choice}: {errors}, cost {point.cost:,.6g}{alone}"
    if point.target is None:
        return f"{text}."
    about, name = point.reached(), point.target.name
    where = f"{about['reached']:.4f}" if about["reached"] is not None else "no such round"
    near = f"at most {about['within']:.2g} below" if name == "precision" else f"within {about['within']:.2g} of"
    sure = f"surely {near} it, whatever the stream" if about["within"] < 1 else "too few rounds for a promise"
    return f"{text}; {name} {where} for a target of {point.target.share:g} ({sure})."


def beside_predictions(point: Any) -> tuple[str, str]:
    """Where predictions are given if they have cost less: that they are; and what either answer alone cost, and both together can have."""
    two = point.two
    if two is None:
        return "", ""
    each = f"predictions alone {two.prediction_cost:,.6g}, forecasts alone {two.forecast_cost:,.6g}"
    return ", or as predicted where that had cost less so far", f" ({each}; at most {two.limit:,.6g} by theorem)"


def answering(point: Any, positive: Any = "positive") -> str:
    """How a saved model answers rows at its operating point, in one sentence; `positive` is the label that means."""
    two = point.two
    cost = "" if two is None else f", which has cost less so far ({two.forecast_cost:,.6g} beside {two.prediction_cost:,.6g})"
    if two is not None and not two.by_forecast:
        cost = f"({two.prediction_cost:,.6g} beside {two.forecast_cost:,.6g} by the forecasts)"
        return f"Answered as the learner predicts: under the costs that the model was told, that has cost no more so far {cost}."
    if isinstance(point, LeastCost):
        return f"Answered with what costs least by the forecasts, under the costs that the model was told{cost}."
    led = "" if point.target is None else f", where the target {point.target.name}={point.target.share:g} has led it"
    return f"Answered at the model's operating point: {positive} from probability {point.threshold:.3g} on{led}{cost}."


def settings(learner: Learner | ClassLearner) -> dict[str, Any]:
    """Settings as JSON takes them: whole numbers as numbers, other fractions as text, exactly."""
    return {k: int(v) if isinstance(v, Fraction) and v.denominator == 1 else plain(v) for k, v in learner.settings.items()}


def plain(value: Any) -> Any:
    return value if value is None or isinstance(value, int | float | str) else str(value)


def kept(model: Any, path: str, certificate: str) -> str:
    """What is known of the model that was kept."""
    tested = f"{many(model.mistakes, 'mistake')} in the {many(model.rounds, 'round')} after that"
    promise = f"It errs on at most {share(model.upper)} of fresh rows with probability {sureness(model.delta)}, {CONDITION}"
    return f"Kept in {path}, with {certificate}: the model after row {model.candidate:,}, {tested}. {promise}."
