"""The Banditron: its theorem is about the coin, so every fall of the coin is followed, in fractions."""

from fractions import Fraction
from random import Random

import numpy as np
import pytest

import littlestone as ls
from littlestone.theory import banditron as theory
from littlestone.theory.comparators.matrix import Matrix


def expected(stream, e):
    """E[M], E[N] (the best guess was wrong), E|W|² over all falls of the coin; and the classes and the longest |x|² of the stream."""
    paths, first, longest = [(Fraction(1), {}, 0, 0)], 0, Fraction(0)
    for x, y in stream:
        ahead = []
        longest = max(longest, Fraction(sum(v * v for v in x.values())))
        for chance, W, M, N in paths:
            if y not in W:
                ahead.append((chance, {**W, y: {}}, M + 1, N))
                continue
            best = max(W, key=lambda c: sum(W[c].get(i, 0) * v for i, v in x.items()))  # the first where they tie
            for c in W:
                p = e / len(W) + (1 - e) * (c == best)
                if p == 0:
                    continue
                after = {d: dict(w) for d, w in W.items()}
                for i, v in x.items():
                    if c == y:
                        after[c][i] = after[c].get(i, 0) + v / p
                    after[best][i] = after[best].get(i, 0) - v
                ahead.append((chance * p, after, M + (c != y), N + (best != y)))
        first, paths = len(paths[0][1] | {y: 0}), ahead
    mean = [sum(p * value for p, *_, value in [(p, M) for p, _, M, _ in paths])]
    mean.append(sum(p * N for p, _, _, N in paths))
    mean.append(sum(p * sum(v * v for w in W.values() for v in w.values()) for p, W, _, _ in paths))
    return (*mean, first, longest)


def losses(stream, U, k):
    """The hinge loss of a matrix over all rounds."""
    total = Fraction(0)
    for x, y in stream:
        scores = [sum(Fraction(u.get(i, 0)) * v for i, v in x.items()) for u in U]
        total += max(Fraction(0), 1 - scores[y] + max(s for c, s in enumerate(scores) if c != y)) if k > 1 else 0
    return total


@pytest.mark.parametrize("e", [Fraction(1, 10), Fraction(1, 2), Fraction(1)], ids=str)
def test_the_theorem_holds_in_expectation(e):
    chance = Random(17)
    for trial in range(25):
        k, separable = chance.randint(2, 3), trial % 2
        stream = [({}, c) for c in range(k)]  # each class appears, and teaches nothing
        target = [{i: chance.randint(-2, 2) for i in range(2)} for _ in range(k)]
        for _ in range(chance.randint(3, 6)):
            x = {i: chance.randint(-2, 2) for i in range(2)}
            scores = [sum(u[i] * v for i, v in x.items()) for u in target]
            stream.append((x, scores.index(max(scores)) if separable else chance.randrange(k)))
        M, N, square, first, R2 = expected(stream, e)
        T = len(stream) - first
        g = e * (k - 1) / (k - e * (k - 1))
        assert first == k and square <= R2 * ((k / e + 1) * N + g * (T - N))
        for scale in (Fraction(0), Fraction(1, 2), Fraction(1), Fraction(2)):
            U = [{i: scale * w for i, w in u.items()} for u in target]
            u2 = sum(w * w for u in U for w in u.values())
            limit = theory.hinge(k, T, losses(stream, U, k), u2, R2, e)
            assert float(M) <= limit, (stream, e, U)


def test_the_length_of_a_step_is_what_the_proof_says():
    """On rows at right angles nothing but the lengths of the steps adds up: there the proof has an equality."""
    for k, e in ((2, Fraction(1, 3)), (3, Fraction(1, 10)), (4, Fraction(1, 2))):
        stream = [({}, c) for c in range(k)] + [({t: 2}, (2 * t) % k) for t in range(4)]
        M, N, square, _, R2 = expected(stream, e)
        g = e * (k - 1) / (k - e * (k - 1))
        assert square == R2 * ((k / e + 1) * N + g * (4 - N))
        assert k + (1 - e) * N + e * (1 - Fraction(1, k)) * 4 == M


def test_the_coin_falls_as_the_proof_assumes():
    rows, labels = [{}, {}, {}, {0: 1}, {1: 1}, {0: 1}, {1: 1}, {0: 1}], [0, 1, 2, 1, 2, 1, 2, 1]
    exact = float(expected(list(zip(rows, labels, strict=True)), Fraction(1, 2))[0])
    made = [ls.play(ls.banditron(explore="1/2", seed=seed), rows, labels).mistakes for seed in range(600)]
    assert abs(np.mean(made) - exact) < 4 * np.std(made) / 600**0.5


def test_of_a_label_that_was_not_named_nothing_is_learned():
    rng = np.random.default_rng(3)
    X, y = rng.integers(-2, 3, (300, 4)).astype(float), np.concatenate([[0, 1, 2, 3], rng.integers(0, 4, 296)])
    run = ls.play(ls.banditron(), X, y.tolist())
    named = np.array([-1, *run.predictions[1:].tolist()])
    lied = np.where((named == y) | (np.arange(300) < 4), y, [next(c for c in (1, 2, 3, 0) if c != name) for name in named])
    other = ls.play(ls.banditron(), X, lied.tolist())
    assert (lied != y).sum() > 100 and other.predictions.tolist() == run.predictions.tolist() and other.mistakes == run.mistakes


def test_a_certificate_compares_with_a_matrix_and_is_checked():
    X = [{0: 1}, {1: 1}, {2: 1}, {1: 1, 2: 1}] * 30
    y = ["a", "b", "c", "b"] * 30
    run = ls.play(ls.banditron(), X, y)
    cert = ls.certify(run, X, y, assume="margin:gamma=1/5,R=2")
    assert [b.name for b in cert.bounds] == ["banditron-margin", "classes-floor", "banditron-hinge"]
    assert cert.best is not None and all(b.compares for b in cert.bounds)
    assert ls.verify(cert, X, y, replay=True)
    floor = cert.bounds[1]
    assert floor.observed <= floor.limit == pytest.approx(floor.comparator_loss + floor.price) and isinstance(floor.comparator, Matrix)
