"""One against the rest and all pairs, for binary learners without scores, as the definitions read."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping

Rounds = Iterable[tuple[Mapping, Hashable]]


def one_vs_rest(rounds: Rounds, twin: Callable) -> Iterator[Hashable]:
    """Of the classes seen, the first whose learner says 1; the first of all where none does. `twin(rounds)` is the binary learner.

    >>> from littlestone.reference import perceptron
    >>> list(one_vs_rest([({0: 1}, "a"), ({1: 1}, "b"), ({1: 1}, "b"), ({1: 1}, "b")], perceptron))
    [None, 'a', 'b', 'b']
    """
    rounds = list(rounds)
    joined = first_rounds(rounds)
    says = {c: list(twin([(x, None if y is None else y == c) for x, y in rounds[t:]])) for c, t in joined.items()}
    for t in range(len(rounds)):
        known = [c for c in joined if joined[c] < t]
        ones = [c for c in known if says[c][t - joined[c]]]
        yield (ones or known or [None])[0]


def all_pairs(rounds: Rounds, twin: Callable) -> Iterator[Hashable]:
    """Of the classes seen, the first with most votes of the learners of their pairs.

    >>> from littlestone.reference import perceptron
    >>> list(all_pairs([({0: 1}, "a"), ({1: 1}, "b"), ({1: 1}, "b"), ({1: 1}, "b")], perceptron))
    [None, 'a', 'b', 'b']
    """
    rounds = list(rounds)
    joined = first_rounds(rounds)
    classes, says = list(joined), {}
    for place, j in enumerate(classes):
        for i in classes[:place]:
            says[i, j] = list(twin([(x, {i: True, j: False}.get(y)) for x, y in rounds[joined[j] :]]))
    for t in range(len(rounds)):
        votes = {c: 0 for c in classes if joined[c] < t}
        for (i, j), said in says.items():
            if j in votes:
                votes[i if said[t - joined[j]] else j] += 1
        yield max(votes, key=votes.__getitem__, default=None)


def first_rounds(rounds: list) -> dict:
    """In which round each class first appears, in that order."""
    joined: dict = {}
    for t, (_, y) in enumerate(rounds):
        if y is not None:
            joined.setdefault(y, t)
    return joined
