"""What a run over a table of experts says, in a few lines of text."""

import re
from collections.abc import Sequence
from typing import Any

from littlestone.api.experts import ExpertsRun
from littlestone.api.experts_play import Error
from littlestone.errors import one_line
from littlestone.learners.experts import rule_of_rules
from littlestone.report.words import broken, many
from littlestone.theory import Claim
from littlestone.theory.regrets import MEMBERS

TOP = 5  # weights that are named
NAME = 40  # letters of a name that are shown
COSTS = {
    "vote": "votes; a loss is the share of the weight that is wrong",
    "probability": "probabilities; a loss is their distance from the truth",
    "loss": "losses as given",
    "gain": "gains; a loss is the largest gain less the gain",
}


def number(x: float | None) -> str:
    """About six digits, thousands apart.

    >>> number(875559255.12), number(18.729452), number(0.00123456789), number(0.0), number(-7.5), number(None)
    ('875,559,255', '18.7295', '0.00123457', '0', '-7.5', '-')
    """
    if x is None:
        return "-"
    if abs(x) >= 1e15 or (x and abs(x) < 1e-4):
        return f"{x:.6g}"
    text = f"{x:,.{max(0, 6 - len(str(int(abs(x)))))}f}" if abs(x) >= 1 else f"{x:.6g}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def short(name: str) -> str:
    name = one_line(name)
    return name if len(name) <= NAME else name[: NAME - 1] + "…"


def cost_name(run: ExpertsRun) -> str:
    r = run.reading
    if r.advice != "forecast" or r.loss == "zero_one":
        return COSTS["vote" if r.advice == "forecast" else r.advice or ""]
    return f"forecasts, {r.loss} loss" + (f" of the quantile {r.quantile:g}" if r.quantile is not None else "")


def regret_claim(run: ExpertsRun) -> Claim | None:
    """Of the theorems that hold for certain and compare with an expert, the one with the smallest limit."""
    sure = {bound.name for bound in run.rule.bounds if not bound.chance or run.rule.bandit}
    claims = [c for c in run.bounds if c.limit is not None and "m" in c.facts and c.name in sure]
    return min(claims, key=lambda c: float(c.limit) - float(c.facts["m"])) if claims else None  # type: ignore[arg-type]


def compared_with(run: ExpertsRun, claim: Claim) -> str:
    """The name of the expert that a claim compares with."""
    match = re.match(r"expert (\d+)", claim.witness)
    return run.names[int(match[1])] if match else ""


def summary(run: ExpertsRun, top: int = TOP, window: int | None = None) -> str:
    """What `littlestone experts` prints: the rule beside the best expert, the uniform average and what is best in hindsight; regret beside
    its bound; weights; and a table of so many of the best experts and of those with the largest weights.
    """
    lines = [f"{run.rule.name} over {many(len(run.names), 'expert')}, {many(run.rounds, 'round')} of {cost_name(run)}."]
    lines += table(run)
    lines.append(lately(run, window))
    if run.drawn:
        lines.append(
            f"Mistakes are those of the weighted majority; predictions drawn by its coin made {many(run.run.mistakes, 'mistake')}."
        )
    remark = run.short_records
    lines += [broken(claim) for claim in run.bounds if claim.holds is False]
    lines += [unfollowed(run), regret(run), average(run), weights(run), trusted(run), remark and f"{remark}.", unmoved(run)]
    if run.linearised:
        lines.append("The rule is told gradients: the slope of the loss at its own forecast, times each expert's forecast.")
    elif run.reading.scale != 1 and run.reading.played == "loss":
        how = "the largest that occurs" if run.reading.measured else "the largest within the range declared"
        lines.append(f"Losses are in the table's own units; the rule is told them divided by {number(run.reading.scale)}, {how}.")
    if run.played.nobody:
        lines.append(f"In {many(run.played.nobody, 'round')} nobody was awake.")
    if run.run.unlabelled:
        lines.append(f"{many(run.run.unlabelled, 'round')} without a truth: predicted, not counted.")
    if not run.small:
        lines.append("Combinations and sequences of experts are left out: the table has more than 50 million cells.")
    return "\n".join(line for line in [*lines, *(foremost(run, top) if top else [])] if line)


def table(run: ExpertsRun) -> list[str]:
    """Names to the left, numbers to the right: see `losses`."""
    return columns(losses(run))


def losses(run: ExpertsRun) -> list[list[str]]:
    """Return the cells of a table, its heading first: loss, loss a round, RMSE and MAE of real-valued forecasts, mistakes where there are
    some, rounds where they differ."""
    best, uniform, mistakes, real = run.best, run.uniform, run.votes, run.errors
    own, average = (real["rule"], real["uniform"]) if real is not None else (None, None)
    rows: list[tuple[str, float | None, int | None, int, Error | None]] = [(run.rule.name, run.loss, run.mistakes, run.rounds, own)]
    if run.slept:
        rows.append(("uniform average of those awake", uniform["loss"], uniform["mistakes"], run.rounds, average))
        rows.append((f"best expert: {short(best.name)}", best.loss, best.mistakes, best.awake, best.errors))
        rows.append((f"{run.rule.name} on these rounds", best.rule_loss, None, best.awake, best.rule_errors))
    else:
        rows.append((f"best expert: {short(best.name)}", best.loss, best.mistakes, run.rounds, best.errors))
        rows.append(("uniform average", uniform["loss"], uniform["mistakes"], run.rounds, average))
        if run.convex.weights is not None and (run.convex.weights > 0).sum() > 1:
            rows.append(("best convex combination in hindsight", run.convex.loss, None, run.rounds, None))
    rows += [(f"best with {many(path.switches, 'change')} of expert", path.loss, None, run.rounds, None) for path in run.switching[1:]]
    heads = ["", "loss", "a round", *(["RMSE", "MAE"] if real is not None else [])]
    cells = [[*heads, *(["mistakes"] if mistakes else []), *(["rounds"] if run.slept else [])]]
    for name, loss, wrong, rounds, errors in rows:
        line = [name, number(loss), "-" if loss is None or not rounds else number(loss / rounds)]
        line += [] if real is None else ["", ""] if errors is None else list(map(number, errors))
        line += ["" if wrong is None else f"{wrong:,}"] if mistakes else []
        cells.append(line + ([f"{rounds:,}"] if run.slept else []))
    return cells


def lately(run: ExpertsRun, window: int | None) -> str:
    """The last rounds, in a line."""
    recent = run.lately(window)
    if recent is None:
        return ""
    made = "" if recent.mistakes is None else f" ({many(recent.mistakes, 'mistake')})"
    best = "" if recent.best is None else f", {short(recent.best)}, the best there, {number(recent.best_mean_loss)}"
    lost = f"{run.rule.name} lost {number(recent.mean_loss)} a round{made}"
    return f"The last {many(recent.rounds, 'round')}: {lost}{best}, the uniform average {number(recent.uniform_mean_loss)}."


def columns(cells: list[list[str]]) -> list[str]:
    """Lines of a table: the first column to the left, the others to the right."""
    widths = [max(len(line[k]) for line in cells) for k in range(len(cells[0]))]
    return [
        (
            "  " + line[0].ljust(widths[0]) + "".join(cell.rjust(width + 2) for cell, width in zip(line[1:], widths[1:], strict=True))
        ).rstrip()
        for line in cells
    ]


def foremost(run: ExpertsRun, top: int) -> list[str]:
    """The experts with the least loss a round, of those awake often enough to be called the best; and those most trusted."""
    known = [expert for expert in run.experts if expert.awake and (expert.awake >= run.often or not run.slept)]
    best = sorted(known, key=lambda expert: expert.loss / expert.awake)[:top]
    trusted = [] if run.weights is None else sorted(run.experts, key=lambda expert: -(expert.weight or 0.0))[:top]
    more = [expert for expert in trusted if expert not in best and (expert.weight or 0.0) >= 0.0005]
    if not best:
        return []
    cells = [["expert", "rounds awake", "loss a round", "rule, same rounds", *([] if run.weights is None else ["weight"])]]
    for expert in best + more:
        means = [number(x / expert.awake) if expert.awake else "-" for x in (expert.loss, expert.rule_loss)]
        cells.append([short(expert.name), f"{expert.awake:,}", *means, *([] if run.weights is None else [f"{expert.weight:.3f}"])])
    what = "The least loss a round" + (f" of those awake in {run.often:,} rounds or more" if run.slept else "")
    return [f"{what}{', then the largest weights beside these' if more else ''}:", *columns(cells)]


def unfollowed(run: ExpertsRun) -> str:
    void = any(path.loss is None for path in run.switching[1:])
    return "-: with so few changes every sequence of experts would follow somebody asleep." if void else ""


def average(run: ExpertsRun) -> str:
    """Where all experts alike would have done better than the rule, that is said."""
    uniform, made = run.uniform, run.mistakes
    fewer = f"it made {many(uniform['mistakes'], 'mistake')}, the rule {made:,}" if made is not None and uniform["mistakes"] < made else ""
    if uniform["loss"] >= run.loss:
        about = "; the theorem is about the loss, and there the rule is ahead" if run.rule.cost == "loss" else ""
        return f"The plain average errs less here: {fewer}{about}." if fewer else ""
    mixes = run.reading.advice == "forecast" and not run.votes and not run.rule.bandit and run.rule.expectation is None
    remedy = "; --gradient competes with combinations" if mixes and not run.linearised else ""
    lost = f"it lost {number(uniform['loss'])}, the rule {number(run.loss)}"
    return f"The plain average did better here: {lost}{fewer and f', and {fewer}'}{remedy}."


def unmoved(run: ExpertsRun) -> str:
    """Of a rate that was chosen, and is too small for losses as small as these."""
    settings, n = run.rule.settings, len(run.names)
    fixed = settings.get("eta") is not None or settings.get("beta") is not None or settings.get("rounds") is not None
    if not fixed or run.rule.bandit or run.weights is None or n < 2 or run.rounds < 100 or run.linearised:
        return ""
    low = (run.reading.low or 0.0) if run.reading.advice == "loss" else 0.0
    means = [(expert.loss / expert.awake - low) / (run.reading.scale or 1.0) for expert in run.experts if expert.awake]
    largest = max(run.weights.values())
    if not means or max(means) >= 0.05 or largest >= min(2 / n, (1 + 1 / n) / 2):
        return ""
    return (
        f"The weights have hardly moved from 1/{n:,}: losses are small beside the largest one (each expert's mean is below 5 % of it). "
        "A larger eta moves them faster; adahedge needs none."
    )


def shares(names: Sequence[str], weights: Any, most: int) -> str:
    """The largest of them.

    >>> shares(["a", "b", "c"], [0.25, 0.7, 0.05], 2)
    'b 0.7, a 0.25, 1 other'
    """
    order = sorted((i for i in range(len(names)) if weights[i] >= 0.0005), key=lambda i: -weights[i])
    named = ", ".join(f"{short(names[i])} {float(f'{weights[i]:.3f}'):g}" for i in order[:most])
    rest = len(order) - most
    return named + (f", {many(rest, 'other')}" if rest > 0 else "")


def regret(run: ExpertsRun) -> str:
    """What the rule lost beyond the best expert, beside what the theorem allows."""
    best, lost = short(run.best.name), run.regret
    lost = 0.0 if abs(lost) <= 1e-12 * run.best.loss else lost  # the sums of one expert alone differ in their last digits
    line = f"Regret: {number(lost)} more than {best} lost" if lost >= 0 else f"Regret: {number(lost)}, which is less than {best} lost"
    line += f" (the best of those awake in {run.often:,} rounds or more)" if run.slept else ""
    if run.linearised and run.gradient_bound is not None:
        (name, most), on = run.gradient_bound, "" if run.rule.gradient else " on gradients"
        if run.convex.loss is None:
            if run.rule.family.overall:
                nearest = next(expert for expert in run.experts if expert.name == compared_with(run, run.bounds[0]))
                near = f", nearest beside {short(nearest.name)}, awake in {many(nearest.awake, 'round')}"
                return f"{line}; at most {number(run.in_units(float(run.bounds[0].limit or 0)))} in all by the theorem {name}{near}."
            whom = f"{short(compared_with(run, run.bounds[0]))} on its" if run.rule.gradient else "any expert on its own"
            return f"{line}; at most {number(most)} more than {whom} rounds, by the theorem {name}{on}."
        beyond = run.loss - run.convex.loss
        distance = f"{number(abs(beyond))} {'more' if beyond >= 0 else 'less'} than the best convex combination"
        all_of_it = run.in_units(run.rounds)
        nothing = f" (it says nothing here: no more than {number(all_of_it)} can be lost)" if run.convex.loss + most >= all_of_it else ""
        return f"{line}, and {distance}; at most {number(most)} more than that one, by the theorem {name}{on}{nothing}."
    claim = regret_claim(run)
    if claim is not None and run.rule.cost == "mistakes":
        nothing = says_nothing(run, claim)
        whom = f", beside {short(compared_with(run, claim))}{claim.witness.partition(',')[1]}{claim.witness.partition(',')[2]}"
        made = f"it made {many(run.run.mistakes, 'mistake')}"
        return f"{line}. The theorem {claim.name} counts mistakes: at most {number(float(claim.limit or 0))}{nothing}{whom}; {made}."
    if claim is None:
        reasons = [c.reason for c in run.bounds if c.reason]
        return f"{line}. {f'No bound: {reasons[0]}.' if reasons else ''}".rstrip()
    scale, m = run.reading.scale or 1.0, float(claim.facts["m"])
    behind, most = scale * (float(claim.observed) - m), scale * (float(claim.limit or 0) - m)
    whom = short(compared_with(run, claim))
    if whom == best and abs(behind - lost) <= 1e-6 * max(abs(lost), scale):
        return f"{line}; at most {number(most)} by the theorem {claim.name}{says_nothing(run, claim)}."
    what = "the mean of the experts' losses" if run.reading.advice == "forecast" and not run.votes else "the rule"
    while_awake = " while that was awake" if run.slept else ""
    allowed = f"{number(most)} more than {whom} lost{while_awake}{says_nothing(run, claim)}"
    return f"{line}. The theorem {claim.name} allows {what} {allowed}; it was {number(behind)}."


def says_nothing(run: ExpertsRun, claim: Claim) -> str:
    """A remark, where a limit is as large as what could be lost at all."""
    rounds = run.rounds_of(claim)
    if claim.limit is None or claim.limit < rounds:
        return ""
    if run.rule.cost == "mistakes":
        return f" (it says nothing here: there were only {many(rounds, 'round')})"
    return f" (it says nothing here: {many(rounds, 'round')} can cost no more than {number(run.in_units(rounds, rounds))})"


def trusted(run: ExpertsRun) -> str:
    """Of a rule of rules, which of these it trusts."""
    if run.rule.name != "rule_of_rules":
        return ""
    trust = rule_of_rules.shares(run.rule, run.run.state)
    return f"Of its rules it trusts: {shares(MEMBERS[: len(trust)], trust, TOP)}."


def weights(run: ExpertsRun) -> str:
    """The weights that made the last forecast or prediction, and of real-valued forecasts what it was."""
    if run.weights is None:
        return ""
    made = [] if run.errors is None else [x for x in run.played.forecast.tolist() if x == x]
    played = "made the last prediction" if run.votes else "the rule had in the last round"
    what = f"made the last forecast, {number(made[-1])}" if made else played
    return f"The weights that {what}: {shares(run.names, list(run.weights.values()), TOP)}."
