"""What the shell offers when the user presses TAB. It has to be quick: nothing here imports numpy."""

from __future__ import annotations

from pathlib import Path
from pkgutil import iter_modules

PACKAGE = Path(__file__).parent.parent


def learners(incomplete: str) -> list[str]:
    """Names of learners that play a stream; after `one_vs_rest:learner=` those of two classes."""
    before, equals, begun = incomplete.rpartition("learner=")
    rooms = ("learners",) if equals else ("learners", "classes", "reductions")
    names = sorted(module.name for room in rooms for module in iter_modules([str(PACKAGE / room)]) if not module.name.startswith("_"))
    ends = {"one_vs_rest": ":learner=", "all_pairs": ":learner="}
    return [f"{before}{equals}{name}{ends.get(name, '')}" for name in names if name.startswith(begun)]


def rules(incomplete: str) -> list[str]:
    """Names of rules over the advice of experts."""
    return sorted(module.name for module in iter_modules([str(PACKAGE / "experts")]) if module.name.startswith(incomplete))


def formats(incomplete: str) -> list[str]:
    from littlestone.reading import FORMATS

    return [name for name in ("auto", *FORMATS) if name.startswith(incomplete)]


def assumptions(incomplete: str) -> list[tuple[str, str]]:
    """What can be assumed, each with what it says."""
    from littlestone.theory.bound import ASSUMPTIONS

    return [(name, said) for name, said in ASSUMPTIONS.items() if name != "none" and name.startswith(incomplete)]
