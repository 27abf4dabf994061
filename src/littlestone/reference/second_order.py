"""The second-order Perceptron: a Perceptron over the inverse of A = a·I + Σ xxᵀ, the sum over its mistakes."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from littlestone.reference.arithmetic import ordered_sum
from littlestone.reference.calls import served
from littlestone.reference.covariances import Covariances


def second_order(rounds: Iterable[tuple[Mapping, bool | None]], *, a=1, dense=64, bias=0, book=None) -> Iterator[bool]:
    """Predict sign(v·(A + xxᵀ)⁻¹x); on a mistake v += y·x, A += xxᵀ. P is A⁻¹ over the places (the bias has place 0), w = P·v; of a feature
    beyond the first `dense` A has the diagonal, a + d, alone.

    >>> list(second_order([({0: 2}, False), ({0: 200}, False), ({1: 2}, True)]))
    [True, False, True]
    """
    a, rho = float(a), float(bias)
    w: dict = defaultdict(float)
    v: dict = defaultdict(float)
    d: dict = defaultdict(float)
    C = Covariances(1.0 / a if rho > 0 else 0.0)
    b = 0.0
    for x, y in rounds:
        row = [(i, float(value)) for i, value in x.items()]
        s = placed = ordered_sum([w[i] * value for i, value in row]) + rho * b
        beyond = 0.0
        for i, value in row:
            if i not in C.place and v[i] != 0:
                beyond += v[i] * value / (a + d[i] + value * value)
        if beyond != 0 and s != 0:
            s /= 1.0 + spread(row, C.place, C.P, rho)
        s += beyond
        if book is not None:
            book.hear(s)
        yhat = served(s >= 0, (yield s >= 0))
        if y is None or y == yhat:
            continue
        sign = 1.0 if y else -1.0
        for i, value in row:
            if value != 0 and i not in C.place and len(C.owner) <= dense:
                C.admit(i, 1.0 / a)
        px = C.times(row, rho)
        q = px[0] * rho
        for i, value in row:
            if i in C.place:
                q += px[C.place[i]] * value
        q = max(q, 0.0)
        step = (sign - placed) / (1.0 + q)
        b += C.move(w, step, px)
        C.shrink(px, 1.0 + q)
        for i, value in row:
            v[i] += sign * value
            if i not in C.place and value != 0:
                d[i] += value * value


def spread(row: list, place: Mapping, P: list, rho: float) -> float:
    """xᵀA⁻¹x over the places."""
    total = 0.0
    if rho > 0:
        line = P[0][0] * rho
        for i, value in row:
            if i in place:
                line += P[0][place[i]] * value
        total += rho * line
    for j, other in row:
        if j in place:
            line = P[place[j]][0] * rho
            for i, value in row:
                if i in place:
                    line += P[place[j]][place[i]] * value
            total += line * other
    return max(total, 0.0)
