"""Hostile states for every learner, rule, reduction and panel: so many of each are loaded and used in processes of their own.

python scripts/hostile_states.py 1000 [--seed 7] [NAME ...]
"""

# ruff: noqa: T201

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from typing import Any

import littlestone as ls
from littlestone import learners
from littlestone.checks.hostile import check_hostile_states_are_refused_or_harmless
from littlestone.learners import experts, multiclass, reductions


def every() -> Iterator[tuple[str, Callable[[], Any]]]:
    """All that can be saved: each with the settings that the contract suite tries, the panel with its usual members, and reductions."""
    rooms = [("binary", learners, learners.names()), ("experts", experts, experts.names())]
    rooms += [("multiclass", multiclass, multiclass.names()), ("reductions", reductions, reductions.of_two_classes())]
    for room, catalogue, names in rooms:
        for name in names:
            for settings in import_module(f"littlestone.learners.{room}.{name}").SAMPLES:
                written = ", ".join(f"{key}={value}" for key, value in settings.items())
                yield f"{name}({written})", partial(catalogue.factory(name), **settings)
    yield "panel()", ls.panel
    for name, inner in (
        ("one_vs_rest", ls.arow()),
        ("all_pairs", ls.winnow(n=6)),
        ("one_vs_rest", ls.memorizer()),
        ("one_vs_rest", ls.panel()),
    ):
        yield f"{name}({inner.name})", partial(reductions.factory(name), inner)


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("states", type=int)
    options.add_argument("names", nargs="*")
    options.add_argument("--seed", type=int, default=0)
    chosen = options.parse_args()
    failures, total = [], Counter[str]()
    for label, make in every():
        if chosen.names and label.partition("(")[0] not in chosen.names:
            continue
        try:
            answers = check_hostile_states_are_refused_or_harmless(make(), chosen.states, chosen.seed)
        except AssertionError as error:
            failures.append(f"{label}: {error}")
            print(failures[-1], flush=True)
        else:
            total += answers
            print(f"{label}: {answers['refused']} refused, {answers['answered']} gave answers", flush=True)
    print(f"{total.total():,} states: {total['refused']:,} refused, {total['answered']:,} gave answers, {len(failures)} failures")
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
