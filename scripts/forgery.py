"""The contract of certificates: whatever is played, its certificate verifies; whatever is changed in it, it does not."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from random import Random
from typing import Any

from littlestone.errors import LittlestoneError, Refused
from littlestone.theory.certificate import Certificate, in_plain_words
from littlestone.theory.sealed import digest_of
from littlestone.verifier import verify


def leaves(value: Any, path: tuple = ()) -> Iterator[tuple]:
    """The place of every number, text, list and object in a certificate."""
    yield path
    if isinstance(value, dict):
        for key in value:
            yield from leaves(value[key], (*path, key))
    elif isinstance(value, list):
        for i, item in enumerate(value):
            yield from leaves(item, (*path, i))


def edited(content: dict, random: Random) -> tuple[tuple, dict]:
    """One field changed, at random: numbers moved, text altered, entries dropped, doubled or renamed, kinds exchanged."""
    changed = copy.deepcopy(content)
    # a field is drawn first by its name, so that long lists of rows do not get all the edits
    path = random.choice(sorted({tuple("*" if isinstance(p, int) else p for p in path) for path in leaves(changed) if path}, key=repr))
    places = [p for p in leaves(changed) if p and tuple("*" if isinstance(q, int) else q for q in p) == path]
    place = random.choice(places)
    parent = changed
    for step in place[:-1]:
        parent = parent[step]
    key = place[-1]
    parent[key] = _other(parent[key], random, parent, key)
    return place, changed


def _other(value: Any, random: Random, parent: Any, key: Any) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return random.choice([value + 1, value - 1, value * 2 + 1, 0, -value - 1, value // 2, float(value) + 0.5, str(value), None])
    if isinstance(value, float):
        return random.choice([value * 1.1, value * 0.9, value + 1, 0.0, int(value) + 1, None])
    if value is None:
        return random.choice([0, 1, "none", [], {}, False])
    if isinstance(value, str):
        return random.choice([value + "0", value[:-1], "1" + value, value[::-1] + " ", "", value.replace("1", "2") + ".", 7, None])
    if isinstance(value, list):
        some = list(value)
        if some and random.random() < 0.7:
            i = random.randrange(len(some))
            return random.choice([some[:i] + some[i + 1 :], [*some[:i], some[i], *some[i:]], some[::-1], [], some[:-1]])
        return [*some, 1]
    entries = dict(value)
    if entries and random.random() < 0.7:
        i = random.choice(list(entries))
        entry = entries.pop(i)
        return random.choice([entries, {**entries, f"{i}0": entry}, {}])
    return {**entries, "more": 1}


def accepted(content: Any, X: Any, y: Any = None, **options: Any) -> bool:
    """Does it verify? Anything but a refusal is a fault of the verifier, and goes on up."""
    try:
        verify(content, X, y, **options)
    except Refused:
        return False
    except LittlestoneError as error:
        raise AssertionError(f"refused, but not as a claim that does not hold: {error}") from error
    return True


def resealed(content: dict) -> dict:
    """The same with its digest made anew, as a forger would."""
    return {**content, "digest": digest_of(content)}


def told_again(content: dict) -> dict:
    """The same with its opening words and its digest made anew: they agree with the rest, as a clever forger would see to."""
    words = {"summary": in_plain_words(Certificate(content))} if "summary" in content else {}
    return resealed({**content, **words})
