"""An operating point that moves: a threshold on forecasts, led so that a share comes out as it was asked for, whatever the stream.

A forecast is the logarithm of the odds of a 1, cut to [-B, B], B = 10.  The answer is 1 where it is at least θ.  θ begins at 0, and after a
round that bears on the share it moves by a step of η = 1/4 times what was missed:

    recall r, on rounds with label 1:              θ ← θ + η·(h - r),     h = 1 where the answer was 1, else 0;
    false-positive rate f, on rounds with label 0: θ ← θ + η·(h - f);
    precision q, on rounds with the answer 1:      θ ← max(-B, θ + η·(q - y)),     y the label.

**Theorem.** Of N such rounds, the reached recall and false-positive rate lie within (B + η)/(ηN) of what was asked for; the reached
precision is at most that much below it.  No assumption: forecasts and labels may be anything.
Proof.  For recall, θ grows only where h = 1, hence θ ≤ B before, and by at most η; it falls only where h = 0, hence θ > -B before.  So
|θ| ≤ B + η always.  The steps add up: η·(Σh - rN) = θ_N, and Σh/N is the recall.  The rate is the same with the other label.  For
precision, where nothing is cut off at -B, η·(qN - Σy) is the sum of the steps; cutting off only adds to θ, so η·(qN - Σy) ≤ θ_N, and
θ_N ≤ B + η since θ grows only where the answer was 1, hence θ ≤ B before.  ∎

Precision may come out higher: where nearly every label is 1 no threshold makes it lower.

**Where errors have costs** there are two answers to a row: the prediction, and the answer that costs least by the forecast.  That one is
given which has cost less so far, the prediction where both have cost the same.  Let P and F be what each has cost after all rounds, C what
this rule has, and c the most that a round's answers differ in cost.

**Theorem.** C ≤ 2·min(P, F) + c, whatever forecasts, labels and costs.
Proof.  The one that is followed has cost min(P, F) so far, and C grows as it does: C - min(P, F) is constant until the rule turns to the
other one, which after that round is cheaper by some o with 0 ≤ o ≤ c; then it grows by o.  So C = min(P, F) + o_1 + ... + o_K.  Between
turns k and k + 1 the one that is followed loses at least o_k + o_{k+1} more than the other, hence loses that much; before the first turn
the prediction is followed, and loses o_1.  Prediction and forecast are followed in turn: the stretches of the one hold o_1, o_2 + o_3, ...,
those of the other o_1 + o_2, o_3 + o_4, ..., and each leaves out at most o_K.  So o_1 + ... + o_{K-1} ≤ min(P, F), and o_K ≤ c.  ∎
"""

from typing import NamedTuple

from littlestone.errors import LittlestoneError, require

REACH = 10.0  # B: odds of 1 to 22,026, and back
STEP = 0.25  # η
SHARES = {
    "recall": "rounds with the positive label",
    "precision": "rounds answered with the positive label",
    "fpr": "rounds with the negative label",
}


class TargetShare(NamedTuple):
    """A share that is asked for."""

    name: str
    share: float

    def bears(self, answer: bool, y: bool) -> bool:
        """Does a round with this answer and this label bear on the share?"""
        return answer if self.name == "precision" else y == (self.name == "recall")

    def moved(self, theta: float, answer: bool, y: bool) -> float:
        """θ after such a round.

        >>> TargetShare("recall", 0.9).moved(0.0, False, True), TargetShare("precision", 0.5).moved(-10.0, True, True)
        (-0.225, -10.0)
        """
        if self.name == "precision":
            return max(-REACH, theta + STEP * (self.share - y))
        return theta + STEP * (answer - self.share)


def within(rounds: int) -> float:
    """How far the share can lie from what was asked for, after so many rounds that bear on it.

    >>> within(410)
    0.1
    """
    return min(1.0, (REACH + STEP) / (STEP * rounds)) if rounds else 1.0


def led_cost(predictions: float, forecasts: float, largest: float) -> float:
    """2·min(P, F) + c.

    >>> led_cost(27.0, 37.0, 4.0)
    58.0
    """
    return 2 * min(predictions, forecasts) + largest


def target_of(text: str) -> TargetShare:
    """`recall=0.9`.

    >>> target_of("recall=0.9")
    TargetShare(name='recall', share=0.9)
    """
    name, _, number = str(text).partition("=")
    expected = f"expected {', '.join(f'{known}=P' for known in SHARES)}, P between 0 and 1, such as recall=0.9"
    require(name in SHARES, f"target {text!r}: {expected}")
    try:
        share = float(number)
    except ValueError:
        raise LittlestoneError(f"target {text!r}: {expected}") from None
    require(0 < share < 1, f"target {text!r} cannot be reached: {expected}")
    return TargetShare(name, share)
