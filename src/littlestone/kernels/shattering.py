"""The largest set of points on which every labelling is some concept's, by a search that goes through the points in their order.

`labels[x, c]` is what concept c says of point x.  At depth k there are k points and 2^k parts of the concepts, one for each labelling, kept
side by side in `order[k]` from `starts[k, part]` on.  `points[k]` are those of the later points that part each of them in two: only these
can be added, now or further down.  A part of s concepts can be halved log2 s times at most.
"""

from littlestone.kernels.compiler import jit_lent, jit_lent_apart

FULL = -2


@jit_lent
def parts_all(row, order, starts, parts):
    """Does a point part every part in two?"""
    for part in range(parts):
        lo, hi = starts[part], starts[part + 1]
        first, mixed = row[order[lo]], False
        for k in range(lo + 1, hi):
            if row[order[k]] != first:
                mixed = True
                break
        if not mixed:
            return False
    return True


@jit_lent
def refine(row, order, starts, parts, finer, finer_starts):
    """Part every part by a point; the size of the smallest that comes of it."""
    place, smallest = 0, len(order)
    for part in range(parts):
        for label in range(2):
            finer_starts[2 * part + label] = place
            before = place
            for k in range(starts[part], starts[part + 1]):
                if row[order[k]] == label:
                    finer[place] = order[k]
                    place += 1
            smallest = min(smallest, place - before)
    finer_starts[2 * parts] = place
    return smallest


@jit_lent_apart
def shattered(labels, limit, effort, order, starts, points, counts, at, chosen, best):
    """The most points, up to `limit`, into `best`: how many, or FULL where more than `effort` sets of points would have to be looked at.

    order[0] has all concepts, starts[0] where they begin and end; the rest is room: limit + 1 rows each.
    """
    m, most, k, looked = labels.shape[0], 0, 0, 0
    counts[0] = at[0] = 0
    for x in range(m):
        if parts_all(labels[x], order[0], starts[0], 1):
            points[0, counts[0]] = x
            counts[0] += 1
    while most < limit:
        if k + counts[k] - at[k] <= most:  # too few points are left
            k -= 1
            if k < 0:
                break
            continue
        chosen[k] = points[k, at[k]]
        at[k] += 1
        looked += 1
        if looked > effort:
            return FULL
        if k + 1 > most:
            most = k + 1
            for j in range(most):
                best[j] = chosen[j]
        if most == limit:
            break
        smallest = refine(labels[chosen[k]], order[k], starts[k], 1 << k, order[k + 1], starts[k + 1])
        room = 0
        while smallest >> (room + 1):
            room += 1
        if k + 1 + room <= most:
            continue
        kept = 0
        for i in range(at[k], counts[k]):
            x = points[k, i]
            if parts_all(labels[x], order[k + 1], starts[k + 1], 2 << k):
                points[k + 1, kept] = x
                kept += 1
        k += 1
        counts[k], at[k] = kept, 0
    return most
