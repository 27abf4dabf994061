"""From mistakes to PAC: the sizes are the least that the proofs allow, and the promises hold exactly, over all samples of small games."""

from fractions import Fraction
from itertools import count
from math import ceil, exp, log

import pytest

import littlestone as ls
from littlestone.games import batch, oracles
from littlestone.games.batch import _fitted, interval, measured
from littlestone.protocol.players import Player
from littlestone.theory import pac, queries

E, D = Fraction(1, 20), Fraction(1, 10)
GRID = [(Fraction(a, b), Fraction(c, d)) for a, b in ((1, 2), (1, 7), (1, 100)) for c, d in ((1, 2), (1, 20), (1, 1000))]


# the numbers


@pytest.mark.parametrize("B", [1, 2, 9, 60])
def test_a_run_is_the_shortest_that_is_enough(B):
    for epsilon, delta in GRID:
        s = pac.run_length(B, epsilon, delta)
        assert B * (1 - epsilon) ** s <= delta
        assert s == 1 or B * (1 - epsilon) ** (s - 1) > delta
        assert s <= pac.run_length_of_the_notes(B, epsilon, delta) == ceil(log(B / delta) / epsilon)
        assert pac.longest_survivor(B, epsilon, delta) == (B + 1) * s and pac.to_pac(B, epsilon, delta) == B * s


def test_where_a_power_meets_the_chance_exactly_it_counts():
    assert pac.right_in_a_row(Fraction(1, 2**60), Fraction(1, 2)) == 60
    assert pac.right_in_a_row(Fraction(1, 2**60) - Fraction(1, 2**200), Fraction(1, 2)) == 61
    assert pac.right_in_a_row(Fraction(2, 3) ** 40, Fraction(1, 3)) == 40
    assert pac.right_in_a_row(Fraction(99, 100), Fraction(1, 2)) == 1


def test_tests_are_those_of_the_sampled_oracle_and_their_chances_add_up():
    assert pac.share(1, 1) == Fraction(1, 9) and sum(pac.share(i, 1) for i in range(1, 2000)) < 1
    for epsilon, delta in GRID:
        for i in (1, 2, 5, 40, 12345):
            n = pac.size_of_test(i, epsilon, delta)
            assert n == queries.draws(i, epsilon, delta) == ceil(log((i + 2) ** 2 / delta) / epsilon)
            assert (1 - epsilon) ** n <= pac.share(i, delta)
    assert pac.controlled_testing(3, E, D) == sum(pac.size_of_test(i, E, D) for i in (1, 2, 3, 4)) == queries.examples(3, E, D)


@pytest.mark.parametrize("B", [1, 7, 100])
def test_the_log_free_sizes_are_enough(B):
    for epsilon, delta in GRID:
        first, second = pac.log_free(B, epsilon, delta)
        mean = first * epsilon / 2
        assert mean >= 2 * B and exp(-mean / 8) <= float(delta) / 2 * (1 + 1e-9)
        assert first - 1 < 2 / epsilon * max(2 * B, 8 * log(2 / delta)) * (1 + 1e-12)
        for rate in (20, 32):  # the good one is too often wrong; a bad one is too often right
            assert (B + 1) * exp(-second * epsilon / rate) <= float(delta) / 2 * (1 + 1e-9)


def test_with_no_mistakes_to_make_there_is_nothing_to_draw():
    assert pac.to_pac(0, E, D) == pac.longest_survivor(0, E, D) == pac.random_stopping(0, E) == sum(pac.log_free(0, E, D)) == 0
    for name in batch.names():
        if batch.needs_bound(name):
            found = batch.factory(name)(Guess, Points(()), epsilon=E, delta=D, bound=0)
            assert found.reached and found.examples == found.most == 0 and found.taught in ([], range(0)), name


def test_what_a_run_says_afterwards():
    for length in (1, 10, 500):
        for chance in (Fraction(1, 20), Fraction(1, 4000)):
            err = Fraction(pac.error_after(length, chance))
            assert (1 - err) ** length <= chance < (1 - err + Fraction(1, 2**40)) ** length  # rounded up, and hardly
    assert pac.epsilon_within(0, lambda epsilon: pac.to_pac(5, epsilon, D)) is None
    least = pac.epsilon_within(200, lambda epsilon: pac.to_pac(5, epsilon, D))
    assert pac.to_pac(5, least, D) <= 200 < pac.to_pac(5, least - Fraction(1, 10_000), D)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"epsilon": 0, "delta": D}, "epsilon=0"),
        ({"epsilon": E, "delta": 1}, "delta=1"),
        ({"epsilon": "x", "delta": D}, "epsilon='x'"),
        ({"epsilon": E, "delta": D}, "needs bound="),
        ({"epsilon": E, "delta": D, "bound": -1}, "bound=-1"),
        ({"epsilon": E, "delta": D, "bound": 2.5}, "bound=2.5"),
    ],
)
def test_bad_requests_are_refused(settings, message):
    for name in ("to_pac", "longest_survivor", "log_free", "random_stopping"):
        with pytest.raises(ls.LittlestoneError, match=message):
            batch.factory(name)(Guess, Points((1, 2)), **settings)


# exact promises: small games, all samples


class Guess(Player):
    """A learner that makes one mistake for each point: says 0 of it until it was told. It knows z from the beginning."""

    name = "guess"

    def __init__(self):
        self.known = frozenset("z")

    def predict(self, x):
        return x in self.known

    def update(self, x, y):
        assert y, "it has never said 1 wrongly"
        self.known |= {x}


class Points:
    """Draws from a list of points, and then has no more; all labels are 1."""

    def __init__(self, points):
        self.points, self.drawn = tuple(points), 0

    def __call__(self):
        if self.drawn == len(self.points):
            raise oracles.Exhausted("no more points")
        self.drawn += 1
        return self.points[self.drawn - 1], True


def err(hypothesis, weights):
    return sum((weights[x] for x in weights if not hypothesis.predict(x)), Fraction(0))


def outcomes(method, weights, **settings):
    """(probability, Fitted) of every sample, each as long as the method draws; nothing is sampled."""
    open_, found = [((), Fraction(1))], []
    while open_:
        sample, chance = open_.pop()
        made = method(Guess, Points(sample), **settings)
        assert made.examples == len(sample), "it draws as many as it says"
        if made.reached:
            found.append((chance, made))
        else:
            open_ += [((*sample, x), chance * weights[x]) for x in weights]
    assert sum(chance for chance, _ in found) == 1
    return found


def failing(found, epsilon, weights):
    return sum((chance for chance, made in found if err(made.hypothesis, weights) > epsilon), Fraction(0))


def surviving(chances, wrong, number=1):
    """The exact chance that the hypothesis accepted has err > ε, from (ε, size of test i) and the draws alone: a second way to it."""
    epsilon, size = chances
    p = sum(wrong.values(), Fraction(0))
    n = size(number)
    if n is None or not wrong:
        return Fraction(0)
    stays = (1 - p) ** n
    goes = sum((wrong[x] / p * surviving(chances, {z: w for z, w in wrong.items() if z != x}, number + 1) for x in wrong), Fraction(0))
    return (stays if p > epsilon else 0) + (1 - stays) * goes


@pytest.mark.parametrize(("epsilon", "delta"), [("2/5", "1/2"), ("1/2", "3/10")])
def test_to_pac_keeps_its_promise_exactly(epsilon, delta):
    epsilon, delta, weights = Fraction(epsilon), Fraction(delta), {"a": Fraction(1, 2), "b": Fraction(3, 10), "z": Fraction(1, 5)}
    found = outcomes(ls.to_pac, weights, epsilon=epsilon, delta=delta, bound=2)
    s = pac.run_length(2, epsilon, delta)
    wrong = {x: weights[x] for x in "ab"}
    assert failing(found, epsilon, weights) == surviving((epsilon, lambda i: s if i <= 2 else None), wrong) <= delta
    assert max(made.examples for _, made in found) == pac.to_pac(2, epsilon, delta) == found[0][1].most
    shorter = surviving((epsilon, lambda i: s - 1 if i <= 2 else None), wrong)
    assert shorter > failing(found, epsilon, weights)  # one draw less is another method


def test_the_bound_that_to_pac_is_promised_by_is_nearly_met():
    """One heavy mistake among light ones: B(1-ε)^s is no loose bound, so that a run of s-1 would break the promise of some δ."""
    epsilon, weights = Fraction(1, 2), {"a": Fraction(51, 100)}
    s, delta = 3, Fraction(1, 8)
    assert pac.run_length(1, epsilon, delta) == s
    assert surviving((epsilon, lambda i: s if i == 1 else None), weights) <= delta
    assert surviving((epsilon, lambda i: s - 1 if i == 1 else None), weights) > delta


@pytest.mark.parametrize("weights", ["a7 z3", "a6 b4"])
def test_controlled_testing_keeps_its_promise_exactly(weights):
    weights = {part[0]: Fraction(int(part[1:]), 10) for part in weights.split()}
    wrong = {x: w for x, w in weights.items() if x != "z"}
    epsilon, delta = Fraction(2, 3), Fraction(9, 10)
    found = outcomes(ls.controlled_testing, weights, epsilon=epsilon, delta=delta, bound=len(wrong))
    sizes = [pac.size_of_test(i, epsilon, delta) for i in (1, 2, 3)]
    assert failing(found, epsilon, weights) == surviving((epsilon, lambda i: sizes[i - 1]), wrong) <= delta
    most = max(made.examples for _, made in found)
    assert most == found[0][1].most == sum(sizes[:2]) if "z" in weights else most <= found[0][1].most == sum(sizes)
    for _, made in found:  # test i has n_i examples, δ_i = δ/(i+2)²
        assert made.tests == made.mistakes + 1 and made.chosen.endswith(f"right on {sizes[made.mistakes]:,} examples in a row")


def test_longest_survivor_keeps_its_promise_exactly():
    epsilon, delta, weights = Fraction(1, 2), Fraction(1, 2), {"a": Fraction(6, 10), "b": Fraction(4, 10)}
    found = outcomes(ls.longest_survivor, weights=weights, epsilon=epsilon, delta=delta, bound=2)
    s = pac.run_length(2, epsilon, delta)
    assert {made.examples for _, made in found} == {3 * s}
    assert failing(found, epsilon, weights) <= delta
    assert all(int(made.chosen.split()[-5]) >= s for _, made in found)  # by the pigeonhole; (B+1)·s - 1 examples would not do:
    gaps = [s - 1, s - 1, s - 1]
    assert sum(gaps) + 2 == 3 * s - 1


def test_random_stopping_keeps_its_promise_exactly():
    """Over all samples and all times: the mean of err is the mean of the mistakes over T, and at most B/T."""
    epsilon, weights = Fraction(1, 2), {"a": Fraction(1, 2), "b": Fraction(1, 2)}
    T = pac.random_stopping(2, epsilon)
    seeds = {}
    for seed in count():
        found = ls.random_stopping(Guess, Points(("a",) * T), epsilon=epsilon, bound=2, seed=seed)
        seeds.setdefault(found.examples + 1, seed)
        if len(seeds) == T:
            break
    assert sorted(seeds) == list(range(1, T + 1))
    mean = Fraction(0)
    for seed in seeds.values():
        found = outcomes(ls.random_stopping, weights, epsilon=epsilon, bound=2, seed=seed)
        mean += sum(chance * err(made.hypothesis, weights) for chance, made in found) / T
    assert mean == (1 - Fraction(1, 2) ** T) * 2 / T <= epsilon  # each of the two points is missed once, if it comes


def test_the_times_of_random_stopping_are_all_alike():
    drawn = [ls.random_stopping(Guess, Points("a" * 20), epsilon=E, bound=1, seed=seed).examples for seed in range(2000)]
    counts = [drawn.count(t) for t in range(20)]
    assert sum(counts) == 2000 and all(abs(c - 100) < 6 * 100**0.5 for c in counts)


def test_log_free_chooses_by_examples_that_taught_nothing():
    epsilon, delta = Fraction(9, 10), Fraction(9, 10)
    first, second = pac.log_free(1, epsilon, delta)
    for late in (0, first // 2, first - 1):  # the only mistake comes there
        sample = ["b"] * (first + second)
        sample[late] = "a"
        found = ls.log_free(Half, Points(sample), epsilon=epsilon, delta=delta, bound=1)
        assert (found.examples, found.played, found.tests, found.taught) == (first + second, first, 2, [late])  # of equals the last
    sample = ["b"] * first + ["a"] * second
    found = ls.log_free(Half, Points(sample), epsilon=epsilon, delta=delta, bound=1)
    assert found.mistakes == 0 and f"wrong on {second} of {second}" in found.chosen


def test_log_free_is_refuted_by_the_examples_that_it_chooses_by():
    epsilon, delta = Fraction(9, 10), Fraction(9, 10)
    first, second = pac.log_free(1, epsilon, delta)
    for rest in (second, 5):  # they may run out
        found = ls.log_free(Half, Points(["a"] + ["b"] * (first - 1) + ["c"] * rest), epsilon=epsilon, delta=delta, bound=1)
        assert (found.reached, found.promise, found.mistakes, found.played) == (False, None, 1, first)
        assert found.why == f"the bound is refuted: {rest} errors after 1 mistake prove that at most 1 is no bound for these examples"


class Half(Guess):
    """Knows b from the beginning."""

    def __init__(self):
        self.known = frozenset("b")


# what happens when things end otherwise


def test_when_examples_run_out_what_is_promised_is_what_they_are_enough_for():
    found = ls.to_pac(Half, Points("bbbabb"), epsilon=E, delta=D, bound=2)
    assert not found.reached and "ran out after 6" in found.why and found.chosen == "the first hypothesis, right on 3 examples in a row"
    assert found.promise["epsilon"] == pac.error_after(3, D / 2) and found.taught == [] and not found.hypothesis.predict("a")
    found = ls.controlled_testing(Half, Points("bbabbb"), epsilon=E, delta=D)
    assert found.promise["epsilon"] == min(pac.error_after(2, pac.share(1, D)), pac.error_after(3, pac.share(2, D)))
    assert found.taught == [2] and found.hypothesis.predict("a") and found.tests == 2
    found = ls.longest_survivor(Half, Points("bbabbb"), epsilon=E, delta=D, bound=4)
    assert found.promise["epsilon"] == pac.error_after(3, D / 4) and found.chosen.startswith("hypothesis 2 (after 1 mistake)")
    found = ls.log_free(Half, Points("bbabbb"), epsilon=E, delta=D, bound=4)
    assert found.promise["epsilon"] == pac.error_after(3, D / 4) and not found.reached


@pytest.mark.parametrize("length", [1, 2, 3, 4])
def test_that_smaller_promise_holds_exactly_too(length):
    """Over all samples of so many: some hypothesis is worse than what its run says with probability at most δ."""
    weights, delta = {"a": Fraction(1, 2), "b": Fraction(1, 3), "c": Fraction(1, 6)}, Fraction(1, 2)
    for name in ("to_pac", "controlled_testing", "longest_survivor"):
        broken, samples = Fraction(0), [((), Fraction(1))]
        for _ in range(length):
            samples = [((*sample, x), chance * weights[x]) for sample, chance in samples for x in weights]
        for sample, chance in samples:
            made = batch.factory(name)(Guess, Points(sample), epsilon=Fraction(1, 100), delta=delta, bound=3)
            broken += chance * (err(made.hypothesis, weights) > Fraction(made.promise["epsilon"]))
        assert broken <= delta, name


def test_random_stopping_asks_how_many_are_left():
    class Few(Points):
        left = 9

    found = [ls.random_stopping(Guess, Few("ab" * 5), epsilon=E, bound=2, seed=seed) for seed in range(60)]
    assert {one.promise["epsilon"] for one in found} == {0.2} and not any(one.reached for one in found)  # 2 mistakes over 10 times
    assert {one.examples for one in found} == set(range(10))
    short = ls.random_stopping(Guess, Points("ab"), epsilon=Fraction(1, 1000), bound=2, seed=0)
    assert short.promise is None and "ran out" in short.why


@pytest.mark.parametrize("name", ["longest_survivor", "log_free", "random_stopping"])
def test_more_mistakes_than_the_bound_refute_it(name):
    found = batch.factory(name)(Guess, Points("abcdefgh" * 100), epsilon=E, delta=D, bound=3, seed=8)
    assert not found.reached and found.promise is None and "4 mistakes prove that at most 3 is no bound" in found.why


def test_only_mistakes_are_taught_where_hypotheses_must_stand_still():
    class Told(Half):
        def update(self, x, y):
            told.append(x)
            super().update(x, y)

    sample = "bbabbabbbb" + "b" * 4000
    for name in batch.names():
        told: list[str] = []
        found = batch.factory(name)(Told, Points(sample), epsilon=Fraction(1, 4), delta=D, bound=2)
        every = name in ("anytime", "random_stopping")
        assert told == (list(sample[: found.examples]) if every else ["a"]), name
        told.clear()
    ls.anytime(Told, Points(sample), epsilon=Fraction(1, 4), delta=D, returns="majority")
    assert told == ["a"]


# the anytime certificate


def test_anytime_stops_at_the_first_moment_that_proves_it():
    found = ls.anytime(Half, Points("ba" + "b" * 500), epsilon=E, delta=D)
    T = found.examples
    assert ls.theory.risk.risk(1, T, D).average <= E < ls.theory.risk.risk(1, T - 1, D).average
    assert found.mistakes == 1 and found.promise["kind"].endswith("over which hypothesis was drawn")
    bounded = ls.anytime(Half, Points("ba" + "b" * 500), epsilon=E, delta=D, bound=1)
    assert bounded.most == T and ls.anytime(Half, Points("b" * 500), epsilon=E, delta=D, bound=1).examples < T
    short = ls.anytime(Half, Points("bab"), epsilon=E, delta=D)
    assert not short.reached and short.promise["epsilon"] == ls.theory.risk.risk(1, 3, D).average and short.examples == 3
    assert ls.anytime(Half, Points(""), epsilon=E, delta=D).promise["epsilon"] == 1.0


def test_the_hypothesis_that_anytime_draws_is_any_of_those_that_predicted():
    counts = dict.fromkeys(range(6), 0)
    for seed in range(600):
        found = ls.anytime(Half, Points("bbabbb"), epsilon=E, delta=D, seed=seed)
        counts[len(found.taught)] += 1
        assert found.hypothesis.predict("a") == (len(found.taught) >= 3)  # told of the third example, or not yet
    assert all(abs(c - 100) < 6 * 100**0.5 for c in counts.values())


def test_the_majority_has_a_vote_for_each_example():
    found = ls.anytime(Guess, Points("bbabbbb"), epsilon=E, delta=D, returns="majority")
    assert [votes for _, votes in found.hypothesis.voters] == [1, 2, 4]  # b missed; b right, a missed; four times right
    assert found.hypothesis.predict("b") and found.hypothesis.predict("a") and not found.hypothesis.predict("c")
    assert found.promise["epsilon"] == ls.theory.risk.risk(2, 7, D).majority_vote and found.promise["kind"] == "with probability 1-δ"
    tie = ls.anytime(Guess, Points("ab"), epsilon=E, delta=D, returns="majority")
    assert [votes for _, votes in tie.hypothesis.voters] == [1, 1] and tie.hypothesis.predict("a")
    with pytest.raises(ls.LittlestoneError, match="returns='last'"):
        ls.anytime(Guess, Points("ab"), epsilon=E, delta=D, returns="last")


# the same with real learners, other libraries' too, and examples that are drawn


CUBE = [{i: 1 for i in range(3) if point >> i & 1} for point in range(8)]


def wrong_on_cube(hypothesis):
    return sum(hypothesis.predict(x) != (1 in x) for x in CUBE) / 8


@pytest.mark.parametrize("name", ["to_pac", "controlled_testing", "longest_survivor", "random_stopping", "anytime", "log_free"])
def test_promises_hold_over_many_runs(name):
    concept = ls.concepts.disjunctions(3).of({1})
    found = measured(
        batch.factory(name), ls.winnow(n=3), lambda k: oracles.EX(concept, n=3, seed=k), wrong_on_cube,
        epsilon=0.3, delta=0.2, bound=5, runs=8 if name == "log_free" else 40,
    )  # fmt: skip
    assert found.kept and found.unreached == 0 and found.largest_examples <= found.most
    assert found.in_expectation == (name in ("random_stopping", "anytime"))


def test_a_method_that_breaks_its_promise_is_found_out():
    def hasty(learner, examples, *, epsilon, delta, bound=None, seed=0):
        return ls.to_pac(learner, examples, epsilon="9/10", delta="9/10", bound=1)  # what passes a test of one example

    concept = ls.concepts.disjunctions(3).of({1})
    found = measured(hasty, ls.winnow(n=3), lambda k: oracles.EX(concept, n=3, seed=k), wrong_on_cube, epsilon=0.2, delta=0.1, runs=60)
    assert not found.kept and found.failures > 12 and found.as_json()["runs"] == 60


def test_other_libraries_learn_the_same_way():
    linear_model = pytest.importorskip("sklearn.linear_model")
    river = pytest.importorskip("river.linear_model")
    concept = ls.concepts.disjunctions(3).of({1})
    for thing in (linear_model.Perceptron, river.Perceptron):
        found = ls.controlled_testing(thing(), oracles.EX(concept, n=3, seed=5), epsilon=0.2, delta=0.1)
        assert found.reached and wrong_on_cube(found.hypothesis) <= 0.2


def test_controlled_testing_is_equivalence_queries_answered_by_samples():
    """Theorem 4 once more: Proposition 6 with the sampled oracle asks for the same examples and ends with the same hypothesis."""
    concept, winnow = ls.concepts.disjunctions(6).of({1, 4}), ls.winnow(n=6)
    for seed in range(5):
        found = ls.controlled_testing(winnow, oracles.EX(concept, n=6, seed=seed), epsilon=0.1, delta=0.1)
        eq, learner = oracles.EQ.sampled(oracles.EX(concept, n=6, seed=seed), 0.1, 0.1), ls.players.player(winnow)
        while (wrong := eq(learner)) is not None:
            learner.update(*wrong)
        assert (eq.examples, eq.queries) == (found.examples, found.tests) and learner.same(found.hypothesis)


def test_rows_of_a_table_are_drawn_once():
    rows, labels = [{k % 5: 1} for k in range(200)], [k % 5 < 2 for k in range(200)]
    found = ls.controlled_testing(ls.perceptron(bias=0), oracles.EX.of(rows, labels, 3, once=True), epsilon=0.1, delta=0.1)
    assert found.reached and not any(found.hypothesis.predict(x) != y for x, y in zip(rows, labels, strict=True))
    short = ls.controlled_testing(ls.perceptron(bias=0), oracles.EX.of(rows[:20], labels[:20], 3, once=True), epsilon=0.1, delta=0.1)
    assert not short.reached and short.examples == 20 and 0 < short.promise["epsilon"] < 1


def test_names_are_found_by_walking():
    assert batch.names() == ("anytime", "controlled_testing", "log_free", "longest_survivor", "random_stopping", "to_pac")
    assert ls.reductions.to_pac is ls.to_pac is batch.factory("to_pac") and "to_pac" in dir(ls)
    with pytest.raises(AttributeError, match="no 'to_nowhere'"):
        _ = ls.reductions.to_nowhere
    assert [name for name in batch.names() if batch.needs_bound(name)] == ["log_free", "longest_survivor", "random_stopping", "to_pac"]


def test_the_interval_is_that_of_the_binomial_tails():
    from scipy.stats import binom

    for wrong, of in ((1, 7), (5, 50), (49, 50)):
        low, high = interval(wrong, of, 0.9)
        assert abs(binom.sf(wrong - 1, of, low) - 0.05) < 1e-9 and abs(binom.cdf(wrong, of, high) - 0.05) < 1e-9
    assert interval(5, 5)[1] == 1.0 and interval(0, 5)[0] == 0.0


def test_a_copy_is_made_only_of_a_hypothesis_that_is_the_best_so_far():
    seen = _fitted.Survivor()
    trial = _fitted.Trial(Guess, Points("aabbb"))
    trial.passes(), trial.learn(), trial.passes()
    seen.see(trial, D)
    trial.passes(), trial.learn()
    before = seen.player
    seen.see(trial, D)
    assert seen.player is before and (seen.number, seen.length) == (2, 1)
