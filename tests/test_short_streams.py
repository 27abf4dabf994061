"""The search over all short streams: it finds what is false, and says on which stream."""

from dataclasses import replace

import pytest

import littlestone as ls
from littlestone.checks import short_streams
from littlestone.checks.games import Refuted


def with_bound(learner, name, value):
    """The learner with another formula for one of its bounds."""
    return replace(learner, bounds=tuple(replace(b, value=value) if b.name == name else b for b in learner.bounds))


@pytest.mark.parametrize(
    ("learner", "name", "value"),
    [
        (ls.disjunctions(n=3), "elimination", lambda n, r: n - r - 1),
        (ls.disjunctions(n=3), "elimination-any-stream", lambda E: E),
        (ls.conjunctions(n=3), "conjunctions", lambda n, size: n - size),
        (ls.conjunctions(n=3), "conjunctions-any-stream", lambda removed: 1 + removed),
        (ls.memorizer(), "memorizer", lambda size: size - 1),
        (ls.winnow(n=3), "winnow-disjunction", lambda n, r: 2 * r),
        (ls.winnow_elimination(n=3), "elimination-disjunction", lambda n, r: 1 + r - 1),
        (ls.perceptron(), "perceptron-margin", lambda R2, gamma: R2 / gamma**2 - 1),
    ],
)
def test_a_false_bound_is_refuted_with_its_stream(learner, name, value):
    with pytest.raises(Refuted, match=f"{name} .*exceed.* on .*[01]"):
        short_streams.search(with_bound(learner, name, value))


def test_every_stream_that_a_target_labels_is_followed_to_its_end():
    """Conjunctions and disjunctions stop erring, so the walk ends by itself; the slack 0 says that their bounds are attained."""
    for learner in (ls.conjunctions(n=3), ls.disjunctions(n=3)):
        found = short_streams.search(learner)
        assert found.slack[learner.bounds[0].name] == 0 == found.slack[learner.bounds[1].name]
