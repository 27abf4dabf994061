"""Witnesses for Winnow and its kin: sets of variables, conjunctions, halfspaces without negative weights; what each makes of the rounds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from littlestone.theory.evidence import Features, Literals, Vector
from littlestone.theory.winnow import promotions_of_one_weight
from littlestone.theory.winnow_doubling import guesses, since
from littlestone.theory.winnow_elimination import uncovered
from littlestone.theory.winnow_real import eta_of, size_of
from littlestone.witnesses.of_vectors import Candidates, above, slips
from littlestone.witnesses.played import Played

LARGE = 2_000_000  # entries from which on a set is looked for greedily alone
MOST_OF = 4  # k is tried up to this


def features(played: Played, columns: Any, k: int = 1) -> Features:
    return Features(frozenset(played.name(int(i)) for i in columns), k)


def winnow_set(played: Played, seconds: float) -> Candidates:
    """On the mistake rounds no set beats the empty one (P - A ≤ rL is its proof), so it is stated, and beside it a set that says something
    of the stream: the one with the least cost over all rounds, its errors counted on the mistakes."""
    from littlestone.witnesses.sets import attribute_errors, disjunction_set, presence

    settings = played.learner.settings
    cost = promotions_of_one_weight(settings["alpha"], settings["theta"])
    yield Features(frozenset()), {"r": 0, "A": int((played.y > 0).sum())}
    told = played.whole.labels >= 0
    rows = played.whole.X if told.all() else played.whole.X[told]
    found = disjunction_set(rows, played.whole.labels[told] == 1, cost=cost, seconds=seconds, exact=None if rows.nnz < LARGE else False)
    chosen = np.intersect1d(found.set, np.unique(played.X.indices))
    yield features(played, chosen), {"r": len(chosen), "A": attribute_errors(presence(played.X), played.y > 0, chosen)}


def winnow_k_of_r(played: Played, seconds: float) -> Candidates:
    from littlestone.witnesses.sets import k_of_r_set

    settings = played.learner.settings
    k, cost = settings["k"] or 1, promotions_of_one_weight(settings["alpha"], settings["theta"])
    if k > 1:
        found = k_of_r_set(played.X, played.y > 0, k=k, cost=cost, seconds=seconds)
        yield features(played, found.set, k), {"r": len(found.set), "A": found.errors, "k": k}


def elimination(played: Played, seconds: float) -> Candidates:
    from littlestone.witnesses.sets import elimination_set

    found = elimination_set(played.X, played.y > 0, theta=played.learner.settings["theta"], seconds=seconds)
    chosen = np.intersect1d(found.set, played.met)
    rows = np.split(played.X.indices, played.X.indptr[1:-1]) if len(played.y) else []
    B, living = uncovered(zip((row.tolist() for row in rows), played.y > 0, strict=True), chosen.tolist())
    yield features(played, chosen), {"r": len(chosen), "living": living, "B": B}


def doubling(played: Played, seconds: float, *, overall: bool) -> Candidates:
    """k of r, for a few k: since the segment began, or over all mistakes with the first guess or the last."""
    from littlestone.witnesses.sets import k_of_r_set

    n, largest = (played.learner.settings[name] for name in ("n", "largest"))
    segment, gone = since(n, largest, len(played.y))
    if overall:
        gone = 0
    X, label = played.X[gone:], played.y[gone:] > 0
    found = guesses(n, largest)
    for alpha in {found[0].alpha, found[-1].alpha} if overall else {found[segment].alpha}:
        for k in range(1, min(MOST_OF, n) + 1):
            if (k - 1) * (alpha - 1) < 1:
                best = k_of_r_set(X, label, k=k, cost=promotions_of_one_weight(alpha, n), seconds=seconds / MOST_OF)
                yield features(played, best.set, k), {"k": k, "r": len(best.set), "A_all" if overall else "A": best.errors}


def real(played: Played, seconds: float) -> Candidates:
    """μ and δ; a weight below 0 is one on the complement, what a feature and its complement have in common is a constant."""
    from littlestone.witnesses.halfspaces import GRAIN, separator

    settings, label = played.learner.settings, played.y > 0
    n, alpha, complement = (settings[name] for name in ("n", "alpha", "complement"))
    yield _halfspace(played, np.zeros(played.X.shape[1]), np.zeros(0), Fraction(1), 20)
    if not len(label):
        return
    found = separator(played.X, label, alpha=alpha, delta=settings["delta"], complement=complement, n=n, seconds=seconds)
    whole = np.round(found.mu * GRAIN)
    width = played.X.shape[1]
    yield _halfspace(played, whole[:width], whole[width:], found.delta, GRAIN.bit_length() - 1)


def _halfspace(played: Played, straight: np.ndarray, turned: np.ndarray, delta: Fraction, exponent: int) -> tuple[Vector, dict[str, Any]]:
    n, complement = (played.learner.settings[name] for name in ("n", "complement"))
    turned = turned if len(turned) else np.zeros(len(straight))
    bias = int(np.minimum(straight, turned).sum())
    weights = straight - turned
    here = np.zeros(len(weights), np.bool_)
    here[played.met[played.met < len(weights)]] = True
    bias += int(-weights[~here & (weights < 0)].sum())  # the complement of a feature that is never on is 1 throughout
    weights[~here] = 0
    (where,) = np.nonzero(weights)
    witness = Vector({played.name(int(i)): int(weights[i]) for i in where}, exponent, bias, delta)
    u, ever = np.ldexp(weights, -exponent), float(np.ldexp(bias - weights[weights < 0].sum(), -exponent))
    dots = played.X @ u + ever
    losses = np.maximum(0.0, np.where(played.y > 0, 1.0 - dots, dots - float(1 - delta)) + slips(played, played.X, u, ever) + 2.0**-52)
    A = above(float(losses.sum()) * (1 + len(losses) * 2.0**-52))
    return witness, {"V": size_of(witness, n, played.features, complement), "A": A, "delta": delta}


def consistent_conjunction(played: Played, seconds: float) -> Candidates:
    """The conjunction of every literal that all the 1s satisfy, where it labels the stream; without a 1, one that no row satisfies."""
    whole = played.whole
    if whole.satisfied() is not None:
        return
    ones = whole.labels == 1
    if ones.any():
        on = whole.count(ones)
        always, never = on == ones.sum(), (on == 0) & (whole.count(whole.labels >= 0) > 0)
    else:
        from littlestone.witnesses.consistent import conjunction_witness

        met = np.flatnonzero(whole.count(whole.labels >= 0))
        found = conjunction_witness(whole.X[:, met], whole.labels)
        if found.positive is None or found.negative is None:
            return
        always, never = np.zeros(whole.X.shape[1], np.bool_), np.zeros(whole.X.shape[1], np.bool_)
        always[met[found.positive]], never[met[found.negative]] = True, True
    witness = Literals(*(frozenset(played.name(int(i)) for i in np.flatnonzero(side)) for side in (always, never)))
    yield witness, {"met": whole.met, "size": len(witness.on) + len(witness.off)}


def consistent_disjunction(played: Played, seconds: float) -> Candidates:
    """The disjunction of every feature that no 0 has, where it labels the stream."""
    whole = played.whole
    if whole.uncovered() is None:
        free = (whole.count(whole.labels == 0) == 0) & (whole.count(whole.labels >= 0) > 0)
        yield features(played, np.flatnonzero(free)), {"met": whole.met, "r": int(free.sum())}


def facts_of_real(played: Played) -> dict[str, Any]:
    run = played.run
    return {"eta": eta_of(run.mistakes, run.false_negatives, run.widest_row, run.whole, played.learner.settings)}


SETS: dict[str, Callable[[Played, float], Candidates]] = {
    "winnow-disjunction-agnostic": winnow_set,
    "winnow-k-of-r-agnostic": winnow_k_of_r,
    "elimination-agnostic": elimination,
    "winnow-doubling-agnostic": lambda played, seconds: doubling(played, seconds, overall=False),
    "winnow-doubling-agnostic-overall": lambda played, seconds: doubling(played, seconds, overall=True),
    "winnow-real-agnostic": real,
    "conjunctions-consistent": consistent_conjunction,
    "elimination-consistent": consistent_disjunction,
}

#: By the learner's name: facts that a certificate states in the place of the run's own, as a stream and a list of mistakes tell them.
PRIOR: dict[str, Callable[[Played], Mapping[str, Any]]] = {"winnow_real": facts_of_real}
