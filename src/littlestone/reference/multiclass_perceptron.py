"""The Perceptron over several classes, as one would write it on a board."""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping
from itertools import repeat

from littlestone.reference.calls import served


def multiclass_perceptron(rounds: Iterable[tuple[Mapping, Hashable]], *, weights=None, number=float) -> Iterator[Hashable]:
    """Predict argmax_c W_c·x over the classes seen, the first seen where they tie; on a mistake W_y += c·x and W_ŷ -= c·x.

    A class that appears for the first time is only registered. `weights` are the rounds' c, 1 where they are left out. Scores are
    added up in the order of the row: in doubles that is the sum which every native pass computes, bit for bit.

    >>> list(multiclass_perceptron([({0: 1}, "a"), ({1: 1}, "b"), ({1: 1}, "b"), ({1: 1}, "b")]))
    [None, 'a', 'a', 'b']
    """
    W: dict = {}
    for (x, y), c in zip(rounds, weights or repeat(1), strict=False):
        yhat, best = None, None
        for label, w in W.items():
            score = number(0)
            for i, v in x.items():
                score += w[i] * number(v)
            if best is None or score > best:
                yhat, best = label, score
        yhat = served(yhat, (yield yhat))
        if y is None or y == yhat:
            continue
        if y not in W:
            W[y] = defaultdict(number)
            continue
        for i, v in x.items():
            W[y][i] += number(c) * number(v)
            W[yhat][i] -= number(c) * number(v)
