"""`certify` for panels: the rule's certificate on the members' votes, a member's own, and what both together say of the panel.

The rule's theorem holds for every member, so the member whose own certificate allows it the fewest mistakes is the one that is stated.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from operator import attrgetter
from typing import Any

import numpy as np

from littlestone.api.certify_advice import certify_advice
from littlestone.api.play import play
from littlestone.api.rows import PlayedRows
from littlestone.errors import LittlestoneError, require
from littlestone.learners import experts
from littlestone.learners.reductions.class_panel import ClassPanel
from littlestone.learners.reductions.panel import Panel
from littlestone.protocol import Block, ClassLearner, ClassRun, ClassRunner, Learner, Run, Runner
from littlestone.reference.class_blend import CLASS_BLENDS
from littlestone.reference.panel import CLOSE, family_of
from littlestone.theory import Claim, class_panel
from littlestone.theory.certificate import Certificate, record_of, sealed, stated_learner, stated_settings
from littlestone.theory.claims import tightest
from littlestone.theory.experts import slip
from littlestone.theory.families import known, known_with, rule_family
from littlestone.theory.numbers import float_above
from littlestone.theory.panel import Best, ForecastLabel, best_of, claims_of, in_losses, unit_of
from littlestone.verifier.seats import is_called
from littlestone.witnesses.rounding import above

TRIED, TRIED_OF_CLASSES = 4, 2  # members whose own certificates are made: those with the fewest mistakes
OTHER = "X and y are not what this run was played on: its members vote otherwise on them"


def panel_part(
    run: Run,
    rows: PlayedRows,
    certify_member: Any,
    observed: int | float,
    assume: str | None,
    floors: Sequence[Claim] = (),
) -> dict[str, Any]:
    """The learner, the bounds and the part `panel` of a panel's certificate; `floors` are bounds that are true of every learner.

    `certify_member(k)` makes the certificate of a member that was announced with its votes (`SeatCertificates`).
    """
    panel = run.learner
    assert isinstance(panel, Panel) and panel.rule is not None
    family = rule_family(panel.rule.name, stated_settings(panel.rule))
    votes, elected, truth, weights = heard(panel, run, rows.cut(), rows.columns)
    labelled = truth >= 0
    wrong = labelled[:, None] & (votes != (truth == 1)[:, None])
    unit = unit_of(weights[labelled].max(initial=0.0)) if run.weighted and panel.weigh else None
    if unit is None:
        table, truths = votes.astype(np.float32), np.where(truth < 0, np.nan, truth)
        table[truth < 0] = 0.0  # nobody is told what members say without a label, and nothing hangs on it
        played = play(panel.rule, table, truths)
        require(np.array_equal((played.mix >= 0.5)[labelled], elected[labelled]), OTHER)
        advice = certify_advice(played, table, truths, assume=assume)
        lost = wrong.sum(axis=0)
    else:  # the rule loses what rounds weigh: its certificate is about losses, in units of the largest weight
        scaled = in_units(weights, unit, labelled)
        played, table, family = played_losses(panel, wrong, scaled)
        share = played.mix[labelled] / scaled[labelled]  # of the weight that is wrong
        missed = elected[labelled] != (truth == 1)[labelled]
        require(not np.any(((share > 0.5) != missed) & (abs(share - 0.5) > CLOSE)), OTHER)
        advice = certify_advice(played, table, assume=in_losses(assume, unit))
        lost = table.sum(axis=0, dtype=np.float64) * float(unit)

    tried = by_mistakes(panel, lost, run.weighted)[:TRIED]
    certify_member.announce({k: (panel.members[k], votes[:, k].copy()) for k in tried})
    best, own = best_member(tried, lost, wrong, weights, certify_member, unit)
    vote_wrong = labelled & (elected != (truth == 1))
    c = least_or_most(np.max, weights[vote_wrong]) if run.weighted else None
    more: dict[str, Any] = {**rule_facts(played, unit), "c": c, "best": best, "first": rows.first + 1}
    more["label"] = forecast_label(run, weights, labelled & (run.codes != (truth == 1)), vote_wrong)
    claims = tightest([*claims_of(family, advice.content["bounds"], observed, assume, **more), *floors])
    return {
        "about": "panel",
        "learner": stated_learner(panel, panel.family, panel.arithmetic),
        "bounds": [record_of(claim) for claim in claims],
        "panel": stated_panel(panel, run, rows, wrong, vote_wrong, panel.blends, advice, best, own),
    }


def forecast_label(run: Any, weights: np.ndarray, wrong: np.ndarray, vote_wrong: np.ndarray) -> ForecastLabel | None:
    """Return what is known of labels by forecast, from the rounds that they and the vote got wrong; None where the vote makes the label."""
    if run.learner.label_by != "forecast":
        return None
    forecasts = run.learner.forecasts_of(run.state)
    require(run.vote_mistakes == int(vote_wrong.sum()), OTHER)
    if not run.weighted:
        return ForecastLabel(int(wrong.sum()) - int(vote_wrong.sum()), forecasts, None)
    total, vote_total = (sum(map(Fraction, weights[rounds].tolist()), Fraction(0)) for rounds in (wrong, vote_wrong))
    return ForecastLabel(total - vote_total, forecasts, least_or_most(np.max, weights[wrong]))


def in_units(weights: np.ndarray, unit: Fraction, labelled: np.ndarray) -> np.ndarray:
    """What rounds weigh, in units: a weight that is lost beside the largest would be lost from the losses, too."""
    scaled = weights / np.float32(float(unit))
    why = f"weights: the smallest is more than 2^126 times below the largest (the unit is {float(unit):.6g})"
    require(bool(np.all(scaled[labelled] > 0)), f"{why}; certify needs weights that are nearer to each other")
    return scaled


def played_losses(panel: Any, wrong: np.ndarray, scaled: np.ndarray) -> tuple[Any, np.ndarray, Any]:
    """The rule played over what everybody loses, what a round weighs in units where it is wrong; the losses, and the rule's family."""
    table, rule = wrong * scaled[:, None], experts.named(f"{panel.rule.name}:advice=loss").sized(len(panel.names))
    return play(rule, table), table, rule_family(rule.name, {**stated_settings(rule), "n": len(panel.names)})


def rule_facts(played: Any, unit: Fraction | None) -> dict[str, Any]:
    """What the rule lost, in weights where it loses these, over how many rounds."""
    F = (Fraction(played.loss) + Fraction(slip(played.rounds))) * (1 if unit is None else unit)
    return {"F": above(float_above(F)), "T": played.rounds, "unit": unit}


def best_member(
    tried: Iterable[int],
    lost: np.ndarray,
    wrong: np.ndarray,
    weights: np.ndarray,
    certified: Callable[[int], Certificate],
    unit: Fraction | None,
) -> tuple[Best | None, Certificate | None]:
    """Of these members, in the order of their losses, the one that its own certificate allows the least; and that certificate."""
    best, own, allowed = None, None, attrgetter("errs" if unit is None else "limit")
    for k in tried:
        if best is not None and allowed(best) <= lost[k]:
            break  # no limit is below the mistakes made, so that no later member has a smaller one
        certificate = certified(k)
        candidate = best_of(k, certificate.content, least_or_most(np.min, weights[wrong[:, k]]))
        if candidate is not None and (best is None or allowed(candidate) < allowed(best)):
            best, own = candidate, certificate
    return best, own


def stated_panel(
    panel: Any,
    run: Any,
    rows: PlayedRows,
    wrong: np.ndarray,
    vote_wrong: np.ndarray,
    blends: Iterable[Any],
    advice: Certificate,
    best: Any,
    own: Any,
) -> dict[str, Any]:
    """The part of a certificate about the members of a panel: the rows that each got wrong, the rule's certificate, the best one's own; and
    the rows that the vote got wrong, where the label is the forecast's."""
    settings = [*map(stated_settings, panel.members), *(blend.stated() for blend in blends)]  # of who comes after these there are none
    names = [member.name for member in panel.members]
    members = [
        {
            "text": text,
            "name": names[k] if k < len(names) else text,
            "settings": settings[k] if k < len(settings) else {},
            "alone": k < len(names),
            "mistakes": (np.flatnonzero(wrong[:, k]) + 1 + rows.first).tolist(),
        }
        for k, text in enumerate(panel.names)
    ]
    forecasts = panel.forecasts_of(run.state)
    return {
        "members": members,
        **({"vote_mistakes": (np.flatnonzero(vote_wrong) + 1 + rows.first).tolist()} if panel.label_by == "forecast" else {}),
        "advice": advice.as_json(),
        "best": None if best is None else {"member": best.member, "certificate": own.as_json()},
        **({} if forecasts is None else {"forecasts": {**forecasts.as_json(), "bounds": list(map(record_of, forecasts.bounds))}}),
    }


def least_or_most(choose: Callable[[np.ndarray], Any], weights: np.ndarray) -> Fraction:
    """Of the weights of some rounds; 1 where there are none."""
    return Fraction(float(choose(weights))) if len(weights) else Fraction(1)


def in_full(panel: Any, *, alone: bool = True) -> Any:
    """The panel, each text that does not tell what its member or its rule is with all settings in its place.

    Where a certificate has no other place for them (`alone`), texts must tell enough to play the panel again.
    """
    names = [full_text(text, member, panel.settings["n"], alone) for text, member in zip(panel.names, panel.members, strict=False)]
    settings = {**panel.settings, "members": " ".join(names)}
    if "rule" in settings:
        settings["rule"] = full_text(settings["rule"], panel.rule, panel.rule.n, alone)
    return panel if settings == panel.settings else replace(panel, names=(*names, *panel.names[len(names) :]), settings=settings)


def full_text(text: str, made: Any, n: int | None, alone: bool = True) -> str:
    """The text as it is where it tells enough, or where nothing here knows the learner; else NAME:key=value with every setting.

    >>> import littlestone as ls
    >>> full_text("winnow_real:n=6", ls.winnow_real(n=6), 6), full_text("arow", ls.arow(), 6)
    ('winnow_real:n=6:delta=1/2:complement=False:alpha=5/4', 'arow')
    """
    settings = stated_settings(made)
    if not known(made.name) or (is_called(text, made.name, settings) and not (alone and untold(text, n))):
        return text
    written = {key: value for key, value in settings.items() if key != "advice" and not isinstance(value, Mapping)}
    return ":".join([made.name, *(f"{key}={value}" for key, value in written.items() if key != "n" or value is not None)])


def untold(text: str, n: int | None) -> bool:
    """Does it leave open what its definition needs?"""
    try:
        family_of(text, n)
    except LittlestoneError:
        return True
    return False


def heard(panel: Panel, run: Run, blocks: Iterable[Block], columns: int | None) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Play the stream once more. Return each member's vote in each round, the label that the votes elect, the labels that the rule hears,
    and the weights of the rounds."""
    ballots: list[np.ndarray] = []
    elections = [np.empty(0, np.bool_)]

    def hear(votes: np.ndarray, elected: np.ndarray) -> None:
        ballots.append(votes)
        elections.append(elected)

    runner = Runner(panel.listening(hear), columns=columns, counted=True, measuring=False)
    predictions, labels, weights = [np.empty(0, np.bool_)], [np.empty(0, np.int32)], [np.empty(0, np.float32)]
    for block in blocks:
        predictions.append(runner.take(block))
        weights.append(np.ones(len(block), np.float32) if block.weights is None else block.weights.copy())
        labels.append(np.where(weights[-1] > 0, block.labels, np.int32(-1)))  # what weighs nothing teaches nothing
    require(np.array_equal(np.concatenate(predictions), run.codes), OTHER)
    votes = np.concatenate([np.empty((0, len(panel.names)), np.float32), *ballots]) == 1
    return votes, np.concatenate(elections), np.concatenate(labels), np.concatenate(weights)


def by_mistakes(panel: Any, mistakes: np.ndarray, weighted: bool) -> list[int]:
    """The members whose theorems are known and who can be played by themselves, those with the fewest mistakes first."""
    able = [k for k, member in enumerate(panel.members) if known_with(member.name, stated_settings(member), weighted)]
    return sorted(able, key=lambda k: (mistakes[k], k))


def member_run(learner: Learner, rows: PlayedRows) -> Any:
    """A member's own run over its stream."""
    runner = Runner(learner, columns=rows.columns, counted=True)
    predictions, updates = [np.empty(0, np.bool_)], [np.empty(0, np.bool_)]
    for block in rows.cut():
        updates.append(np.zeros(len(block), np.bool_))
        predictions.append(runner.take(block, None, updates[-1] if learner.updates_on == "margin" else None))
    return runner.run(np.concatenate(predictions), updates=np.concatenate(updates) if learner.updates_on == "margin" else None)


def seat_run(learner: Learner, rows: PlayedRows, votes: np.ndarray) -> Any:
    """A member's own run, in which it votes as it did on its panel."""
    run = member_run(learner, rows)
    require(np.array_equal(run.codes, votes), OTHER)
    return run


# ---- of several classes ----


def class_panel_part(
    run: ClassRun, rows: PlayedRows, codes: np.ndarray, weights: np.ndarray, certify: Callable[..., dict[str, Any]],
    observed: int | float, assume: str | None,
) -> tuple[list[dict[str, Any]], dict[str, Any]]:  # fmt: skip
    """The bounds and the part `panel` of a certificate of several classes; `codes` are the classes of the rows."""
    panel = run.learner
    assert isinstance(panel, ClassPanel) and panel.rule is not None
    votes, elected = class_votes(panel, run, rows)
    truth = np.where(weights > 0, codes, -1)  # what weighs nothing teaches nothing
    labelled = truth >= 0
    wrong = labelled[:, None] & (votes != truth[:, None])
    unit = unit_of(weights[labelled].max(initial=0.0)) if run.weighted and panel.weigh else None
    if unit is None:
        table, truths = wrong.astype(np.float32), np.where(labelled, 0.0, np.nan)
        played = play(panel.rule, table, truths)
        advice, family = certify_advice(played, table, truths, assume=assume), class_panel.rule_of(len(panel.names))
        lost = wrong.sum(axis=0)
    else:
        played, table, family = played_losses(panel, wrong, in_units(weights, unit, labelled))
        advice = certify_advice(played, table, assume=in_losses(assume, unit))
        lost = table.sum(axis=0, dtype=np.float64) * float(unit)

    def certified(k: int) -> Certificate:
        member = class_run(panel.chosen(run.state, panel.names[k])[1], rows, run)
        require(np.array_equal(member.codes, votes[:, k]), OTHER)
        return sealed({**certify(member, rows), "risk": None}, inside=True)

    tried = [k for k in by_mistakes(panel, lost, run.weighted) if panel.members[k].name == class_panel.ALONE][:TRIED_OF_CLASSES]
    best, own = best_member(tried, lost, wrong, weights, certified, unit)
    vote_wrong = labelled & (elected != truth)
    c = least_or_most(np.max, weights[vote_wrong]) if run.weighted else None
    more: dict[str, Any] = {**rule_facts(played, unit), "c": c, "best": best, "first": rows.first + 1}
    more["label"] = forecast_label(run, weights, labelled & (rows.served(run.codes) != truth), vote_wrong)
    claims = claims_of(family, advice.content["bounds"], observed, assume, **more)
    blends = [blend for blend in CLASS_BLENDS if blend.name in panel.names]
    return [record_of(claim) for claim in claims], stated_panel(
        panel, run, rows, wrong, vote_wrong, blends, advice, best, own
    )  # fmt: skip


def class_votes(panel: ClassPanel, run: ClassRun, rows: PlayedRows) -> tuple[np.ndarray, np.ndarray]:
    """Play the stream once more. Return the class that each voter names in each round, and the class that they elect."""
    votes: list[np.ndarray] = [np.empty((0, len(panel.names)), np.int32)]
    elections: list[np.ndarray] = [np.empty(0, np.int32)]

    def hear(named: np.ndarray, elected: np.ndarray) -> None:
        votes.append(named)
        elections.append(elected)

    require(np.array_equal(class_run(panel, rows, run, hear).codes, rows.served(run.codes)), OTHER)
    return np.concatenate(votes), np.concatenate(elections)


def class_run(learner: ClassLearner, rows: PlayedRows, run: ClassRun, listen: Any = None) -> ClassRun:
    """A run over the same rounds, as this one numbers its classes."""
    runner, predictions = ClassRunner(learner, columns=rows.columns, counted=True), [np.empty(0, np.int32)]
    if listen is not None:
        runner.engine.listen = listen
    for block in rows.cut():
        predictions.append(runner.take(block))
    return replace(runner.run(np.concatenate(predictions)), classes=run.classes)
