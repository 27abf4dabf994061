"""All pairs, as the definition reads."""

from collections.abc import Callable, Hashable, Iterator, Sequence

from littlestone.reference.committee import Member, Rounds, Scores, committee


def all_pairs(rounds: Rounds, twin: Callable) -> Iterator[Hashable]:
    """Of the classes seen, the first with most votes of the learners of their pairs.

    >>> from littlestone.reference import perceptron
    >>> list(all_pairs([({0: 1}, "a"), ({1: 1}, "b"), ({1: 1}, "b"), ({1: 1}, "b")], perceptron))
    [None, 'a', 'b', 'b']
    """
    yield from committee(rounds, twin, recruits, heard, elect)


def recruits(seen: Sequence[Hashable]) -> list[Member]:
    """Who joins when the last of these classes appears."""
    return [(earlier, seen[-1]) for earlier in seen[:-1]]


def heard(member: Member, y: Hashable) -> bool | None:
    return {member[0]: True, member[1]: False}.get(y)


def elect(known: Sequence[Hashable], now: Scores) -> tuple[Hashable, bool]:
    votes = dict.fromkeys(known, 0)
    for (i, j), score in now.items():
        votes[i if score >= 0 else j] += 1
    return max(votes, key=votes.__getitem__), False
