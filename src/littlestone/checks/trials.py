"""How a clause is tried: on drawn cases, and with what counts as the same state, the same rounds, a refusal."""

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any
from zlib import crc32

import numpy as np
from hypothesis import HealthCheck, Phase, given, seed, settings

from littlestone.errors import LittlestoneError
from littlestone.protocol import Block

PHASES = [Phase.explicit, Phase.generate, Phase.shrink]
SHARE = 1.0  # of the cases that a clause asks for; a suite in a hurry tries fewer


def tried(*strategies, examples: int = 30):
    """Run a claim on drawn cases, shrunk when one fails: the same ones every time, by the name of its clause, whatever its text."""

    def decorate(claim):
        @wraps(claim)
        def with_case(*case, **named):
            try:
                claim(*case, **named)
            except Exception as error:
                vars(error)["case"] = (*case, *named.values())  # for the message of a broken clause
                raise

        cases = max(1, round(SHARE * examples))
        quiet = settings(max_examples=cases, deadline=None, database=None, phases=PHASES, suppress_health_check=list(HealthCheck))
        seed(crc32(claim.__qualname__.encode()))(quiet(given(*strategies)(with_case)))()

    return decorate


def clause(draw: Callable[..., Any], examples: int = 30, of: Callable[[Any], bool] = lambda learner: True, **how: Any):
    """A clause about a learner and a case that is drawn for it by `draw(learner, **how)`, asked of those learners that it is `of`."""

    def decorate(claim):
        @wraps(claim)
        def check(learner: Any) -> None:
            def case(drawn):
                claim(learner, drawn)

            case.__qualname__ = f"{claim.__name__}.<locals>.claim"
            if of(learner):
                tried(draw(learner, **how), examples=examples)(case)

        return check

    return decorate


def same_state(a: tuple, b: tuple) -> bool:
    """Equal bit for bit, over the features both have room for (capacity is no part of a result)."""
    return len(a) == len(b) and all(np.array_equal(x[: len(y)], y[: len(x)]) for x, y in zip(a, b, strict=True))


def rounds_of(block: Block) -> list:
    """The rounds as a reference twin takes them."""
    return [
        (
            dict.fromkeys(i.tolist(), 1) if v is None else dict(zip(i.tolist(), v.tolist(), strict=True)),
            None if y < 0 else y == 1,
        )
        for i, v, y in block.rounds()
    ]


def assumption(kind: str, facts: Mapping[str, Any]) -> str:
    """The text that declares it.

    >>> assumption("k_of_r", {"k": 2, "r": 3})
    'k_of_r:k=2,r=3'
    """
    return f"{kind}:" + ",".join(f"{key}={value}" for key, value in facts.items())


def refused(expected: str, act: Callable[..., Any]) -> None:
    """The act must be refused, by a message that names what is expected."""
    try:
        act()
    except LittlestoneError as error:
        assert expected in str(error), f"expected {expected!r} in {str(error)!r}"
    else:
        raise AssertionError(f"accepted what it should refuse by naming {expected!r}")
