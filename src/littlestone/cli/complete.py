"""What the shell offers when the user presses TAB. It has to be quick: nothing here imports numpy."""

from pathlib import Path
from pkgutil import iter_modules

PACKAGE = Path(__file__).parent.parent


def learners(incomplete: str) -> list[str]:
    """Names of learners that play a stream; after `one_vs_rest:learner=` those of two classes, after `panel:rule=` rules."""
    before, equals, begun = incomplete.rpartition("rule=")
    if equals:
        return [f"{before}{equals}{name}" for name in rules(begun)]
    before, equals, begun = incomplete.rpartition("learner=")
    names = [*_names("learners/binary"), *filter(_of_two_classes, _names("learners/reductions"))]
    names = sorted(names if equals else {*names, *_names("learners/multiclass"), *_names("learners/reductions")})
    ends = {} if equals else dict.fromkeys(filter(_of_a_learner, _names("learners/reductions")), ":learner=")
    return [f"{before}{equals}{name}{ends.get(name, '')}" for name in names if name.startswith(begun)]


def members(incomplete: str) -> list[str]:
    """Names of learners that can sit on a panel, after those already named."""
    before, blank, begun = incomplete.rpartition(" ")
    return [f"{before}{blank}{name}" for name in _names("learners/binary") if name.startswith(begun)]


def rules(incomplete: str) -> list[str]:
    """Names of rules over the advice of experts."""
    return [name for name in _names("learners/experts") if name.startswith(incomplete)]


def players(incomplete: str) -> list[str]:
    """Names of learners of two classes, and of rules over experts: whoever can play a duel."""
    names = [*_names("learners/binary"), *filter(_of_two_classes, _names("learners/reductions")), *_names("learners/experts")]
    return [name for name in sorted(names) if name.startswith(incomplete)]


def adversaries(incomplete: str) -> list[str]:
    """Names of adversaries."""
    return [name for name in _names("games/adversaries") if name != "game" and name.startswith(incomplete)]


def methods(incomplete: str) -> list[str]:
    """Names of the ways from mistakes to a promise."""
    return [name for name in _names("games/batch") if name.startswith(incomplete)]


def _names(room: str) -> list[str]:
    return sorted(module.name for module in iter_modules([str(PACKAGE / room)]) if not module.name.startswith("_") and not module.ispkg)


def _of_two_classes(reduction: str) -> bool:
    return "\nTWO_CLASSES = True\n" in _file_of(reduction)


def _of_a_learner(reduction: str) -> bool:
    return f"\ndef {reduction}(learner:" in _file_of(reduction)


def _file_of(reduction: str) -> str:
    """The file says what it is; importing it would import numpy."""
    return (PACKAGE / "learners" / "reductions" / f"{reduction}.py").read_text("utf-8")


def formats(incomplete: str) -> list[str]:
    from littlestone.rounds.reading import FORMATS

    return [name for name in ("auto", *FORMATS) if name.startswith(incomplete)]


def assumptions(incomplete: str) -> list[tuple[str, str]]:
    """What can be assumed, each with what it says."""
    from littlestone.theory.assumptions import ASSUMPTIONS

    return [(name, kind.says) for name, kind in ASSUMPTIONS.items() if name != "none" and name.startswith(incomplete)]
