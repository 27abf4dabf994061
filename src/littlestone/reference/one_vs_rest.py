"""One against the rest, as the definition reads."""

from collections.abc import Callable, Hashable, Iterator, Sequence

from littlestone.reference.committee import CLOSE, Member, Rounds, Scores, committee


def one_vs_rest(rounds: Rounds, twin: Callable) -> Iterator[Hashable]:
    """Of the classes seen, that whose learner says 1; of several, or where none does, the largest score, then the first.

    >>> from littlestone.reference import perceptron
    >>> list(one_vs_rest([({0: 1}, "a"), ({1: 1}, "b"), ({1: 1}, "b"), ({1: 1}, "b")], perceptron))
    [None, 'a', 'b', 'b']
    """
    yield from committee(rounds, twin, recruits, heard, elect)


def recruits(seen: Sequence[Hashable]) -> list[Member]:
    """Who joins when the last of these classes appears."""
    return [(seen[-1],)]


def heard(member: Member, y: Hashable) -> bool:
    return y == member[0]


def elect(known: Sequence[Hashable], now: Scores) -> tuple[Hashable, bool]:
    best = max(known, key=lambda c: (now[c,] >= 0, now[c,]))
    top = now[best,]
    rivals = [now[c,] for c in known if (now[c,] >= 0) == (top >= 0) and now[c,] != top]
    return best, any(abs(score - top) <= CLOSE * (1 + abs(top)) for score in rivals)
