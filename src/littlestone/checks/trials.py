"""How a clause is tried: on drawn cases, and with what counts as the same state, the same rounds, a refusal."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import wraps
from itertools import pairwise
from typing import Any
from zlib import crc32

import numpy as np
from hypothesis import HealthCheck, Phase, given, seed, settings

from littlestone.api.play import play
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


def shuffled(block: Block) -> Block:
    """Return the same rounds with the features of each row in another order: by chance, and always the same one."""
    rng, order = np.random.default_rng(1988), np.arange(len(block.indices))
    for lo, hi in pairwise(block.indptr.tolist()):
        rng.shuffle(order[lo:hi])
    return replace(block, indices=block.indices[order], values=None if block.values is None else block.values[order], examined=None)


def with_zeros(block: Block) -> Block:
    """Return the same rounds with a feature of value 0 more in each row that has one: one that the row does not have."""
    rows = []
    for row in rows_by_column(block):
        absent = next((i for i in range(len(row) + 1) if i not in row), 0)
        rows.append({absent: 0.0, **row} if row else row)
    more = Block.of(rows, block.labels)
    return replace(block, indptr=more.indptr, indices=more.indices, values=more.values, examined=None)


def named_rows(block: Block) -> list[dict[str, float]]:
    """Return the rows by names, which are in another order than the numbers of their features."""
    rows = rows_by_column(block)
    return [{f"{i * 7 % 11} é{i}": value for i, value in row.items()} for row in rows]


def numbered_as_met(block: Block) -> Block:
    """Return the rounds with their features numbered as names are: those that are new in a row in UTF-8 order, without those of value 0.

    Rows by name must be played like these, bit for bit: a learner adds up a row in the order of its numbers.

    >>> numbered_as_met(Block.of([{0: 1.0, 4: 2.0}, {3: 1.0, 4: 0.5}], [1, 0])).indices.tolist()
    [0, 1, 1, 2]
    """
    numbers: dict[str, int] = {}
    rows = []
    for row in plainly_named(block):
        present = {name: value for name, value in row.items() if value}
        for name in sorted(present.keys() - numbers.keys(), key=str.encode):
            numbers[name] = len(numbers)
        rows.append(dict(sorted((numbers[name], value) for name, value in present.items())))
    met = Block.of(rows, block.labels)
    return replace(block, indptr=met.indptr, indices=met.indices, values=None if block.values is None else met.values, examined=None)


def plainly_named(block: Block) -> list[dict[str, float]]:
    """Return the rows by names that tell the numbers of their features."""
    return [{f"feature {i}": value for i, value in row.items()} for row in rows_by_column(block)]


def rows_by_column(block: Block) -> list[dict[int, float]]:
    """Return the rows as dicts, in the order of their features."""
    return [dict.fromkeys(i.tolist(), 1.0) if v is None else dict(zip(i.tolist(), v.tolist(), strict=True)) for i, v, _ in block.rounds()]


def rewritten(block: Block) -> dict[str, Block]:
    """Return the same rounds written otherwise, by what was done: the features of rows in another order, zeros among them, and both."""
    return {"shuffled": shuffled(block), "with zeros": with_zeros(block), "shuffled with zeros": shuffled(with_zeros(block))}


def played_in_every_form(learner: Any, block: Block, labels: list, *, by_name: bool) -> dict[str, tuple[list, Any]]:
    """Return the predictions and the state that a learner comes to, by the form of the rows: arrays, columns one by one, and where features
    may have names, names together and one by one."""
    run, columns = play(learner, block), learner.start()
    results = {"as arrays": (run.predictions.tolist(), run.state)}
    results["as columns"] = [columns.observe(x, y) for x, y in zip(rows_by_column(block), labels, strict=True)], columns.state
    if by_name:
        names, named = named_rows(block), learner.start()
        batch = play(learner, names, labels, ledger=True)
        one_by_one = [named.observe(x, y) for x, y in zip(names, labels, strict=True)]
        results |= {"by names": (batch.predictions.tolist(), batch.state), "by names, one by one": (one_by_one, named.state)}
        numbered = list(batch.model.features), list(named.features)
        assert numbered[0] == numbered[1], f"names are numbered as {numbered[0]} in a batch, and one by one as {numbered[1]}"
    return results


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
