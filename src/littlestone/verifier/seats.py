"""What a panel's certificate says of those who sit on it, of two classes or of several: their names, the best one's own certificate, what
their forecasts lost, and the bounds that follow."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from math import isfinite
from typing import Any

from littlestone.errors import LittlestoneError, Refused
from littlestone.reference.forecast import BINS
from littlestone.reference.panel import NEAR
from littlestone.theory import families
from littlestone.theory.certificate import Certificate, exactly, in_plain_words, number, proved_in_plain_words, read, record_of, same
from littlestone.theory.forecast import Forecasts
from littlestone.theory.numbers import fraction, real
from littlestone.theory.panel import LOSS, Best, ForecastLabel, best_of, times
from littlestone.theory.reductions import rests_on
from littlestone.verifier.advice import AdviceCase
from littlestone.verifier.case import Names, written


def nested(content: Mapping[str, Any], where: str, about: str) -> Mapping[str, Any]:
    """A certificate inside another: whole, unchanged, and about what it must be about."""
    try:
        inner = read(content).content
        summaries = [words(Certificate(inner)) for words in (in_plain_words, proved_in_plain_words)] if "summary" in inner else []
    except LittlestoneError as error:
        raise Refused(f"{where}: {error}") from None
    if "summary" in inner and inner["summary"] not in summaries:
        raise Refused(f"{where}: its summary does not say what the rest of it says")
    if inner["about"] != about or ("panel" in inner) != (about == "panel"):
        raise Refused(f"{where}: it is about {inner['about']}; expected one about {about}")
    return inner


def is_called(text: str, name: str, settings: Mapping[str, Any]) -> bool:
    """Does NAME:key=value say nothing else than this name and these settings?

    >>> is_called("adaptive:eta=0.5", "adaptive", {"eta": "1/2", "bias": 0}), is_called("adaptive:eta=1", "adaptive", {"eta": "1/2"})
    (True, False)
    """
    first, *parts = [part for part in re.split("[:,]", text) if part] or [""]
    pairs = [part.partition("=")[::2] for part in parts]
    return first == name and all(key in settings and _agree(value, settings[key]) for key, value in pairs)


def _agree(text: str, setting: Any) -> bool:
    if isinstance(setting, bool) or setting is None:
        return text.lower() == str(setting).lower()
    try:
        return fraction(text) == fraction(setting)
    except LittlestoneError:
        return text == setting


def check_called(where: str, text: str, name: str, settings: Mapping[str, Any]) -> None:
    """A text says no other name, and no other settings."""
    if not is_called(text, name, settings):
        raise Refused(f"{where}: {text!r} is not what has the name {name!r} and these settings")


def check_members(where: str, members: Sequence[Mapping[str, Any]], chosen: str) -> None:
    """Those that `chosen`, a setting of the panel, names stand first, and have names and settings that can be."""
    alone = [member["alone"] for member in members]
    texts = [member["text"] for member in members if member["alone"]]
    if not texts or chosen != " ".join(texts) or alone != sorted(alone, reverse=True):
        raise Refused(f"learner.settings.members and {where}.members name others, or blends stand before members")
    for k, member in enumerate(members):
        place, name, settings = f"{where}.members[{k}]", member["name"], member["settings"]
        check_called(place, member["text"], name, settings)
        if member["alone"] and families.known(name):
            seated = families.known_with(name, settings)
            if seated is None:
                raise Refused(f"{place}.settings: no {name} has such settings")
            written(seated.values or {}, settings, f"{place}.settings")


def check_best(where: str, k: int, own: Mapping[str, Any], members: Sequence[Mapping[str, Any]], stream: Mapping[str, Any]) -> None:
    """It is a member whose theorems are known, and the certificate is of its run on this stream: the rule's theorem holds for each."""
    member = members[k] if 0 <= k < len(members) else None
    if member is None or not member["alone"] or not families.known_with(member["name"], member["settings"], stream["weighted"]):
        raise Refused(f"{where}.best.member is {k}; it must be one of the members with theorems")
    if not same(own["stream"], stream):
        raise Refused(f"{where}.best.certificate: it is about another stream")
    if own["learner"]["name"] != member["name"] or not same(own["learner"]["settings"], member["settings"]):
        raise Refused(f"{where}.best.certificate: it is about another learner than member {k}, {member['text']}")
    if own["assume"] is not None or own["risk"] is not None:
        raise Refused(f"{where}.best.certificate: it must declare nothing, since the panel's does not either")


def left_of_best(where: str, k: int, case: Any, made: Sequence[int], stated: Sequence[int]) -> Names:
    """Check member k's own certificate, after the look; the names of its bounds that only a replay can check."""
    if list(made) != list(stated):
        raise Refused(f"{where}.best.certificate: its mistakes are not the rows that stand there of member {k}")
    try:
        return case.check()[1]
    except Refused as error:
        raise Refused(f"{where}.best.certificate: {error}") from None


def chain_of(where: str, k: int, own: Mapping[str, Any], least: Fraction) -> tuple[Best, str]:
    """What the panel's bounds take from the best member's certificate, and the name of the bound that they rest on."""
    best, record = best_of(k, own, least), rests_on(own)
    if best is None or record is None:
        raise Refused(f"{where}.best.certificate: none of its bounds compares")
    return best, record["name"]


def loss_of(content: Mapping[str, Any], case: AdviceCase, unit: Fraction | None = None) -> Any:
    """F as a panel states it, not below what the replay of its rule gives, in units of weight where there are any."""
    stated = next((record["facts"].get("F") for record in content["bounds"] if record["name"] == LOSS.name), None)
    F = number(stated)
    if F is None or isinstance(F, bool | Mapping) or not real(F).is_finite() or not same(exactly(F), stated):
        raise Refused(f"{LOSS.name}: F is {stated!r}; expected the shares of wrong weight, added up")
    assert case.replayed is not None
    case.compare_loss(f"{LOSS.name}: F", F if unit is None else times(F, 1 / unit), case.replayed.loss)
    return F


def check_forecasts(
    where: str, stated: Mapping[str, Any], names: Sequence[str], alone: int, T: int, mixture: Any, *, calibrate: bool = False
) -> Forecasts:
    """The bounds of the forecasts follow from the losses that stand there; what stands there.

    `mixture` has what a replay made of them, where there was one.
    """
    where = f"{where}.forecasts"
    if tuple(each["name"] for each in stated["forecasters"]) != tuple(names):
        raise Refused(f"{where}: the forecasters must be {', '.join(names)}, in this order")
    losses = [float(each["log_loss"]) for each in stated["forecasters"]]
    bins = stated.get("bins")
    if (bins is not None) != calibrate or (calibrate and not are_bins(bins, stated["rounds"])):
        raise Refused(f"{where}.bins: it must tell of each of the bins how many labels came, and how many 1s, where there are bins")
    counts = None if bins is None else tuple(map(tuple, bins))
    forecasts = Forecasts(tuple(names), alone, tuple(losses), float(stated["log_loss"]), stated["mistakes"], stated["rounds"], counts)
    if forecasts.rounds != T or not all(isfinite(loss) and loss >= 0 for loss in (*losses, forecasts.loss)):
        raise Refused(f"{where}: it speaks of {forecasts.rounds} rounds, each with a loss; the rule heard {T}")
    if not all(map(same, stated["bounds"], map(record_of, forecasts.bounds))) or len(stated["bounds"]) != len(forecasts.bounds):
        raise Refused(f"{where}: the bounds do not follow from the losses that stand there")
    broken = any(claim.holds is False for claim in forecasts.bounds)
    if mixture is not None:
        for name, loss, true in zip((*names, "the mixture"), (*losses, forecasts.loss), mixture.losses(), strict=True):
            if abs(loss - true) > NEAR * (1 + true):
                raise Refused(f"{where}: the log-loss of {name} is {loss:.12g}, and replaying it gives {true:.12g}")
        if forecasts.mistakes != mixture.mistakes:
            raise Refused(f"{where}: {forecasts.mistakes} mistakes, and replaying the forecasts makes {mixture.mistakes}")
        *each, whole = mixture.losses()
        replayed = replace(forecasts, losses=tuple(each), loss=whole, mistakes=min(forecasts.mistakes, mixture.mistakes))
    if broken and (mixture is None or not any(claim.holds is False for claim in replayed.bounds)):
        raise Refused(f"{where}: its bounds do not hold by the numbers that stand there, and no replay says the same")
    return forecasts


def label_of(
    where: str, content: Mapping[str, Any], forecasts: Forecasts | None, errors: Sequence[int], vote_errors: Sequence[int], weight: Any
) -> ForecastLabel | None:
    """What the bounds of a panel take from its label, where that is the forecast's; None where it is the vote's.

    `errors` are the rows that the label got wrong, `vote_errors` those that the vote did, of the rows that weigh anything; `weight` gives
    the weight of a row.
    """
    if content["learner"]["settings"].get("label_by") != "forecast":
        return None
    if forecasts is None:
        raise Refused(f"{where}.forecasts: the label is the forecast's, and there are no forecasts")
    if forecasts.mistakes != len(errors):
        stated = f"mistakes has {len(errors)} rows that weigh anything"
        raise Refused(f"{where}.forecasts: {forecasts.mistakes} mistakes, and the label is the forecast's; {stated}")
    if not content["stream"]["weighted"]:
        return ForecastLabel(len(errors) - len(vote_errors), forecasts, None)
    total, vote_total = (sum((Fraction(weight(row)) for row in rows), Fraction(0)) for rows in (errors, vote_errors))
    return ForecastLabel(total - vote_total, forecasts, max((Fraction(weight(row)) for row in errors), default=Fraction(1)))


def vote_rows(where: str, content: Mapping[str, Any], part: Mapping[str, Any], errors: Sequence[int]) -> Sequence[int]:
    """The rows that the vote got wrong: those that stand there where the label is the forecast's, else the panel's own, `errors`."""
    by_forecast = content["learner"]["settings"].get("label_by") == "forecast"
    if by_forecast is not ("vote_mistakes" in part):
        raise Refused(f"{where}.vote_mistakes: it must stand there where the label is the forecast's, and only there")
    return part["vote_mistakes"] if by_forecast else errors


def are_bins(bins: Any, rounds: int) -> bool:
    """Counts of labels and of the 1s among them, for each bin, that make up all rounds."""
    return len(bins) == BINS and all(0 <= m <= n for n, m in bins) and sum(n for n, _ in bins) == rounds


def check_bins(where: str, stated: Sequence[Sequence[int]], positives: int, bins: Any) -> None:
    """The 1s in the bins are those of the stream; and labels fell into bins as they do in a replay, where there was one."""
    if sum(m for _, m in stated) != positives:
        raise Refused(f"{where}.forecasts.bins: they hold {sum(m for _, m in stated)} labels that are 1, and the stream has {positives}")
    if bins is None:
        return
    if any(n != own[0] or m != own[1] for (n, m), own in zip(stated, bins.counts, strict=True)):
        raise Refused(f"{where}.forecasts.bins: replaying the forecasts puts labels into other bins")
