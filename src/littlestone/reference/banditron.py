"""The Banditron: several classes, and the learner is told only whether it was right."""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping
from fractions import Fraction

from littlestone.reference.calls import served
from littlestone.reference.experts import coin


def banditron(rounds: Iterable[tuple[Mapping, Hashable]], *, explore=Fraction(1, 10), seed=0) -> Iterator[Hashable]:
    """ŷ = argmax_c W_c·x over the classes seen, the first seen where they tie; with probability `explore` one of them drawn evenly instead.

    Named right, W of the class gains x/P, P the chance with which it was named; right or wrong, W_ŷ loses x.  A class that appears for the
    first time is only registered.  Coin k is that of the k-th round with a label, and other labels than the one named are not looked at.

    >>> list(banditron([({0: 1}, "a"), ({1: 1}, "b"), ({1: 1}, "b"), ({1: 1}, "b"), ({1: 1}, "b")], explore=1))
    [None, 'a', 'a', 'b', 'a']
    """
    e, labels = float(explore), 0
    W: dict = {}
    for x, y in rounds:
        greedy, best = None, None
        for label, w in W.items():
            score = 0.0
            for i, v in x.items():
                score += w[i] * float(v)
            if best is None or score > best:
                greedy, best = label, score
        yhat, u = greedy, coin(seed, labels)
        if W and u < e:
            yhat = list(W)[min(int(u / e * len(W)), len(W) - 1)]
        yhat = served(yhat, (yield yhat))
        if y is None:
            continue
        labels += 1
        if y not in W:
            W[y] = defaultdict(float)
            continue
        step = 1.0 / (e / len(W) + (1.0 - e if yhat == greedy else 0.0)) if yhat == y else 0.0
        for i, v in x.items():
            if yhat == y:
                W[yhat][i] += step * float(v)
            W[greedy][i] -= float(v)
