"""Which columns to choose, greedily and by local search, so that few rows are left wanting.

Row i has weight m_i and holds c_i of the chosen columns.  A positive row wants k of them, and costs m_i for each that it lacks; any other
row costs m_i for each that it holds from the k-th on.  A chosen column costs its price.  So what column j is worth beyond its price is
v_j = Σ φ_i(c_i without j) - price_j over its rows, φ_i = m_i where a positive row holds fewer than k others, -m_i where another row holds
k-1 or more.  No v_j grows when columns are added.  `values` is v, kept up to date: a row changes it for its columns only when c_i passes k,
twice at most while columns are only added.
"""

from littlestone.kernels.compiler import jit, jit_apart


@jit
def worth(positive, k, held, m):
    """φ: what one more column is worth to a row that holds so many."""
    if positive:
        return m if held < k else 0
    return -m if held >= k - 1 else 0


@jit_apart
def appraise(indptr, indices, positive, weights, k, values):
    """Add to `values`, minus the prices at first, what each column is worth while nothing is chosen."""
    for i in range(len(positive)):
        v = worth(positive[i], k, 0, weights[i])
        if v != 0:
            for p in range(indptr[i], indptr[i + 1]):
                values[indices[p]] += v


@jit_apart
def flip(j, indptr, indices, starts, rows, positive, weights, k, values, chosen, held):
    """Choose column j, or drop it; the entries that were read."""
    step, work = -1 if chosen[j] else 1, 0
    for q in range(starts[j], starts[j + 1]):
        i = rows[q]
        before, after, m = held[i], held[i] + step, weights[i]
        held[i] = after
        outside = worth(positive[i], k, after, m) - worth(positive[i], k, before, m)
        inside = worth(positive[i], k, after - 1, m) - worth(positive[i], k, before - 1, m)
        work += 1
        if outside != 0 or inside != 0:
            work += indptr[i + 1] - indptr[i]
            for p in range(indptr[i], indptr[i + 1]):
                other = indices[p]
                if other != j:
                    values[other] += inside if chosen[other] else outside
    chosen[j] = not chosen[j]
    return work


@jit
def best_outside(values, chosen, banned):
    best = -1
    for j in range(len(values)):
        if not chosen[j] and j != banned and (best < 0 or values[j] > values[best]):
            best = j
    return best


@jit_apart
def greedy(indptr, indices, starts, rows, positive, weights, k, values, chosen, held):
    """Choose the column that is worth most, while one is worth more than its price; the entries that were read."""
    work = 0
    while True:
        j = best_outside(values, chosen, -1)
        work += len(values)
        if j < 0 or values[j] <= 0:
            return work
        work += flip(j, indptr, indices, starts, rows, positive, weights, k, values, chosen, held)


@jit_apart
def improve(indptr, indices, starts, rows, positive, weights, k, values, chosen, held, budget):
    """Drop what is not worth its price, exchange one column for a better one, choose again; until nothing helps or the budget is spent."""
    work, better = 0, True
    while better and work < budget:
        better = False
        for j in range(len(values)):
            if work >= budget:
                break
            if chosen[j]:
                worth_of_j = values[j]
                work += flip(j, indptr, indices, starts, rows, positive, weights, k, values, chosen, held)
                if worth_of_j <= 0:
                    better = better or worth_of_j < 0
                    continue
                other = best_outside(values, chosen, j)
                work += len(values)
                if other >= 0 and values[other] > worth_of_j:
                    work += flip(other, indptr, indices, starts, rows, positive, weights, k, values, chosen, held)
                    better = True
                else:
                    work += flip(j, indptr, indices, starts, rows, positive, weights, k, values, chosen, held)
        if better:
            work += greedy(indptr, indices, starts, rows, positive, weights, k, values, chosen, held)
    return work
