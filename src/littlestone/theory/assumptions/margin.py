"""A halfspace through the origin, and no instance near its border.

If y·(u·x) ≥ γ on every row and |u| = 1, then every mean of rows y·x has at least the length γ; so a shorter one refutes the margin.  One is
looked for as the Perceptron does: a row with y·(m·x) < γ², m the mean so far, is added to it, and each such row makes the mean shorter in
the end.  Where no row is left, m itself has a margin.  All in whole numbers, so that whoever looks finds the same.
"""

from fractions import Fraction

from littlestone.theory.assumptions._assumption import Assumption

WORK = 2_000_000  # features that are looked at before the search gives up
ROOM = 200_000  # features of the first rows, which are those it looks at


class Mean:
    """A sum of rows y·x, a feature of value ρ standing in each, and how many they are."""

    def __init__(self, labelled, rho):
        rows, room = [], ROOM
        for row in labelled:
            rows.append(row)
            room -= len(row[2]) + 1
            if room < 0:
                break
        bits = max((float(v).as_integer_ratio()[1].bit_length() - 1 for _, _, x in rows for v in x.values()), default=0)
        self.unit = 1 << bits
        self.rows = [(row, 1 if y else -1, {name: int(Fraction(v) * self.unit) for name, v in x.items()}) for row, y, x in rows]
        self.rho2, self.sum, self.bias, self.count, self.taken = rho**2 * self.unit**2, {}, 0, 0, set()

    def margin(self, y, x):
        """y·(w·x) of the sum w, over unit²."""
        return y * (sum(self.sum.get(name, 0) * v for name, v in x.items()) + self.rho2 * self.bias)

    def squared(self):
        return sum(v * v for v in self.sum.values()) + self.rho2 * self.bias**2

    def search(self, gamma):
        """Add rows until the mean is shorter than γ, which is True, or no row has less than γ² with it, or the work is done."""
        goal, work = gamma**2 * self.unit**2, 0
        while work < WORK:
            before = self.count
            for row, y, x in self.rows:
                work += len(x) + 1
                if self.margin(y, x) < goal * self.count or not self.count:
                    for name, v in x.items():
                        self.sum[name] = self.sum.get(name, 0) + y * v
                    self.bias, self.count = self.bias + y, self.count + 1
                    self.taken.add(row)
                    work += len(x)
                    if work > WORK:
                        break
            if self.count and self.squared() < goal * self.count**2:
                return True
            if self.count == before:
                break
        return False


def contradicted(looks, declared, settings, bound):
    """A row without a feature: no vector has a margin there, unless a bias feature stands in every row; or a mean that is too short."""
    row = None if settings.get("bias") else looks.featureless()
    if row is None and bound.euclidean and declared.get("gamma", 0) > 0:
        mean = Mean(looks.labelled(), Fraction(settings.get("bias") or 0))
        if mean.search(Fraction(declared["gamma"])):
            return looks.short_mean(sorted(mean.taken), mean.count, declared["gamma"])
    return row


def met(looks, declared, settings, bound):
    """The mean that a search for a little more ends with has the margin."""
    if not bound.euclidean or not declared.get("gamma", 0) > 0:
        return False
    gamma = Fraction(declared["gamma"])
    for more in (Fraction(5, 4), Fraction(17, 16)):
        mean = Mean(looks.labelled(), Fraction(settings.get("bias") or 0))
        mean.search(gamma * more)
        least = mean.squared() * gamma**2
        exactly = ((1 if y else -1, {name: Fraction(v) * mean.unit for name, v in x.items()}) for _, y, x in looks.labelled())
        if least and all((m := mean.margin(y, x)) > 0 and m * m >= least * mean.unit**2 for y, x in exactly):
            return True
    return False


ASSUMPTION = Assumption("margin", "some u of norm 1 has y·(u·x) ≥ γ on every round", contradicted, met)
