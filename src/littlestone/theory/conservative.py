"""A conservative learner from any other: it is told of its mistakes alone, and has the same bound.

Let A be deterministic: its predictions follow from the rounds it was told.  A' predicts as A would, and passes on to A exactly the rounds
on which it errs.  Write S_1, S_2, ... for the states of A on the rounds passed on, m(t) for the mistakes of A' before round t.  Then

    S'_t = S_(m(t)+1)  for all t,

by induction: both begin with S_1; where A' is right nothing changes, where it errs A takes one step and m grows by one.  So A, run on the
rounds that were passed on, predicts each of them as A' did, and errs on every one: the mistakes of A' on a stream are the mistakes of A on
the part of the stream that was passed on, no more and no fewer.  (In the lecture's proof, S'_(t+1) = S_(m(t)+1) should read S_(m(t+1)+1).)

Which bounds of A this carries over to A':
- Those that assume something beforehand and bound mistakes.  Every such assumption here says something of each round (some concept of the
  class labels it, some u has margin γ on it, a row is no longer than R), or counts bad rounds, so that it holds on the part if it holds on
  the whole; and a size that is measured (R, X, features on, n) is no larger on the part.
- Those in hindsight, with their facts measured on the rounds passed on: final state, sums over updates, lengths of rows, Σ of weights.
  They speak of any stream, hence of that part, on which A's mistakes are those of A'.
What A makes of rounds it is not told of is lost: a bound on loss summed over all rounds, or on risk by averaging, is not carried over.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

from littlestone.errors import require
from littlestone.theory import families
from littlestone.theory.bound import Bound

SOURCE = "Kanade, Lecture 10, Proposition 3"


def carried(bounds: Iterable[Bound], part: bool = False) -> tuple[Bound, ...]:
    """The theorems of a learner that are true of its conservative version: on mistakes, and certain.

    Where it is told of a `part` of the rounds alone, a witness is measured on that part, and what it loses on all rounds is not known.

    >>> from littlestone.theory import perceptron
    >>> [bound.name for bound in carried([perceptron.MARGIN])]
    ['conservative-perceptron-margin']
    """
    return tuple(
        replace(
            bound,
            name=f"conservative-{bound.name}",
            source=f"{SOURCE}; {bound.source}",
            loss="" if part else bound.loss,
            formula=bound.formula.replace("over all rounds", "over the rounds passed on") if part else bound.formula,
        )
        for bound in bounds
        if bound.counts == "mistakes" and bound.side == "at most" and not bound.chance and not (part and bound.own)
    )


@dataclass(frozen=True)
class ConservativeFamily(families.Family):
    """The family of whatever learner is inside, told of its mistakes alone. Its settings name that learner, and are its settings."""

    def of(self, inner: families.Family) -> families.Family:
        """The conservative version of a family whose settings are chosen."""
        part = inner.updates_on != "mistakes"
        return replace(
            inner,
            name=self.name,
            theorems=carried(inner.theorems, part),
            updates_on="mistakes",
            source=SOURCE,
            inner=inner,
            twin=None,
            values={"learner": inner.name, **(inner.values or {})},
        )

    def stated(self, settings: Mapping[str, Any]) -> Self:
        require(isinstance(settings.get("learner"), str), f"{self.name}: the setting learner must name the learner inside")
        rest = {key: value for key, value in settings.items() if key != "learner"}
        return self.of(families.family(settings["learner"]).stated(rest))  # type: ignore[return-value]


FAMILY = ConservativeFamily("conservative", source=SOURCE)
