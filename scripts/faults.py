"""Faults for the native core, one for each mutant: where it is made, what stands there, what stands there instead, and what it breaks.

`scripts/mutants.py` builds the core with all of them, each behind a switch, and the tests of mutants ask that each is caught. What stands
there is a whole statement or a whole expression; «» mark the expression where what is around it says which one is meant. A fault that needs
several changes has tuples of them.
"""

from typing import Any, NamedTuple


class Fault(NamedTuple):
    header: str
    old: str | tuple[str, ...]
    new: str | tuple[str, ...]


class Broken(NamedTuple):
    """A learner, or a rule, that a fault breaks; `by_theorem`: is it caught by its theorems alone?"""

    name: str
    settings: dict[str, Any]
    fault: Fault
    by_theorem: bool


def broken(
    name: str, settings: dict[str, Any], header: str, old: str | tuple[str, ...], new: str | tuple[str, ...], by_theorem: bool
) -> Broken:
    return Broken(name, settings, Fault(header, old, new), by_theorem)


CORRECT = "if (predicted.answer == answer(label)) return false;"  # what a conservative learner does on a correct round
SIGN, WRONG_WAY, NO_DEMOTION = "«label ? 1.0 : -1.0»", "label ? -1.0 : 1.0", "label ? 1.0 : 0.0"
STEP, WRONG_STEP = "label ? round_weight : -round_weight", "label ? -round_weight : round_weight"
SIX: dict[str, Any] = {"n": 6}
THREE: dict[str, Any] = {"n": 3}
FOUR: dict[str, Any] = {"n": 4}
MARGIN: dict[str, Any] = {"margin": 2}
POWER: dict[str, Any] = {"p": 5}
COMPLEMENT: dict[str, Any] = {"n": 3, "alpha": "3/2", "complement": True}

PERCEPTRON, VARIANT = "learners/perceptron.h", "learners/perceptron_variants.h"
APPLE, PASSIVE, ALMA, AROW = "learners/apple_tasting.h", "learners/passive_aggressive.h", "learners/alma.h", "learners/arow.h"
ADAPTIVE, LOG_LOSS, BAYES, COIN = "learners/adaptive.h", "core/log_loss.h", "learners/naive_bayes.h", "learners/coin_betting.h"
NORMALIZED, FULL, SECOND, SELECTIVE = "learners/normalized.h", "learners/arow_full.h", "learners/second_order.h", "learners/selective.h"
SHIFTING, SUMS, PAIRS, PNORM = "learners/shifting.h", "core/ordered_sum.h", "learners/pairs.h", "learners/pnorm.h"
WINNOW, POWERS, ELIMINATION = "learners/winnow.h", "core/powers.h", "learners/winnow_elimination.h"
BALANCED, HALVING, AGNOSTIC = "learners/balanced_winnow.h", "learners/halving.h", "learners/agnostic_halving.h"
REAL, DOUBLING, MEMORIZER = "learners/winnow_real.h", "learners/winnow_doubling.h", "learners/memorizer.h"
DISJUNCTIONS, CONJUNCTIONS = "learners/disjunctions.h", "learners/conjunctions.h"

LEARNERS = [
    broken("perceptron", {}, PERCEPTRON, "by_score(score(x))", "Prediction{answer(score(x) > 0.0), score(x)}", False),  # wrong tie
    broken("perceptron", {}, PERCEPTRON, STEP, "label ? round_weight : 0.0", True),  # no demotion
    broken("perceptron", {}, PERCEPTRON, STEP, WRONG_STEP, True),  # the wrong way
    broken("perceptron", {}, PERCEPTRON, CORRECT, ";", True),  # learns from correct rounds
    broken("perceptron", {"bias": 1}, PERCEPTRON, "bias[0] += size", "bias[0] -= size", True),  # bias the wrong way
    broken(
        "perceptron", MARGIN, VARIANT, "sign * predicted.score <= beta", "sign * predicted.score <= 3.0 * beta", True
    ),  # too wide a margin
    broken("perceptron", MARGIN, VARIANT, "rule.step(x, «sign * round_weight»)", "sign", False),  # forgets the weight
    broken(
        "perceptron", {"averaged": True}, VARIANT, "if (predicted.answer == answer(label) && !narrow) return false;", ";", True
    ),  # learns from correct rounds
    broken("apple_tasting", {}, APPLE, SIGN, WRONG_WAY, True),  # the wrong way
    broken("apple_tasting", {}, APPLE, SIGN, NO_DEMOTION, True),  # no demotion
    broken("apple_tasting", {}, APPLE, "predicted.answer == Answer::no", "false", False),  # peeks at what it may not see
    broken("apple_tasting", {}, APPLE, "coin(seed, labels[0]) < taste", "coin(seed, labels[0]) > taste", False),  # tastes the rest
    broken("passive_aggressive", {}, PASSIVE, "by_score(score(x))", "Prediction{Answer::no, score(x)}", False),
    broken("passive_aggressive", {}, PASSIVE, SIGN, WRONG_WAY, True),  # the wrong way
    broken("passive_aggressive", {}, PASSIVE, "std::min(limit, loss / square)", "limit", True),  # always as much as allowed
    broken("passive_aggressive", {}, PASSIVE, "std::min(limit, loss / square)", "std::min(limit, 3.0 * loss / square)", True),  # too far
    broken("passive_aggressive", {"variant": "II"}, PASSIVE, "tau = «loss / q»", "3.0 * loss / q", True),  # too far
    broken("passive_aggressive", {"bias": 1}, PASSIVE, "bias[0] += sign * tau", "bias[0] -= sign * tau", True),
    broken("alma", {}, ALMA, "sign * eta / (tally[0] * size)", "-sign * eta / (tally[0] * size)", True),  # the wrong way
    broken("alma", {}, ALMA, "std::sqrt(2.0) / std::sqrt(tally[2])", "std::sqrt(2.0)", False),  # the rate does not fall
    broken("alma", {}, ALMA, "tally[0] /= std::sqrt(tally[1])", "tally[0] /= 1.0", True),  # leaves the ball
    broken("alma", {}, SUMS, "weight *= tally[0]", "weight *= 1.0", True),  # renormalises in name only
    broken("alma", {}, ALMA, "return «true»", "(predicted.score >= 0.0) != label", False),  # keeps quiet about updates on correct rounds
    broken("arow", {}, AROW, "return «false»", "true", False),  # says that every round was an update
    broken("arow", {}, AROW, "sign * alpha", "-sign * alpha", True),  # the wrong way
    broken("arow", {}, AROW, "sigma /= 1.0 + pull * value * rate", "sigma *= 1.0 + pull * value * rate", True),  # less and less sure
    broken("arow", {}, AROW, "sigma /= 1.0 + pull * value * rate", "sigma /= 1.0", False),  # never more sure
    broken(
        "adaptive",
        {},
        ADAPTIVE,
        "label ? round_weight * wrong : -round_weight * wrong",
        "label ? -round_weight * wrong : round_weight * wrong",
        False,
    ),
    broken("adaptive", {}, LOG_LOSS, "(score >= 0.0) != label", "false", True),  # always thinks it was right
    broken("adaptive", {}, ADAPTIVE, "eta * g / root(sum)", "eta * g / sum", False),
    broken("adaptive", {"bias": 1}, LOG_LOSS, "sums[2] -= round_weight * log(right)", "sums[2] -= log(right)", True),  # forgets the weight
    broken("naive_bayes", {}, BAYES, "(label ? one : zero) += count", "zero += count", False),  # every label is a 0
    broken("naive_bayes", {}, BAYES, "one + zero == 0.0", "true", True),  # every feature is new
    broken("naive_bayes", {}, BAYES, "totals[«label ? 0 : 1»] += added", "0", True),  # one total for both labels
    broken("coin", {}, COIN, "label ? force : -force", "label ? -force : force", False),  # the wrong way
    broken("coin", {}, COIN, "p * staked", "p * 3.0 * staked", True),  # bets three times what it says
    broken(
        "coin",
        {},
        COIN,
        "weight[i] = «bet(owned[i], peak[i] * scale[i], distance[i], pulls[i])»",
        "bet(owned[i], peak[i] * scale[i], 0.0, pulls[i])",
        True,
    ),  # bets more than it owns
    broken("normalized", {}, NORMALIZED, "std::min(round_weight, «loss / gain»)", "3.0 * loss / gain", False),  # goes beyond a margin of 1
    broken(
        "normalized", {}, NORMALIZED, "squared ? round_weight * loss * loss : round_weight * loss", "0.0", True
    ),  # loses nothing, it says
    broken("normalized", {}, NORMALIZED, "add_in_order(length2, «z * z»)", "value * value", True),  # units matter after all
    broken("arow_full", {}, FULL, "sign * (loss / q)", "-sign * (loss / q)", False),  # the wrong way
    broken(
        "arow_full",
        {"dense": 2},
        FULL,
        "variance[i] /= 1.0 + pull * value * (round_weight / r)",
        "variance[i] *= 1.0 + pull * value * (round_weight / r)",
        True,
    ),  # less and less sure
    broken("arow_full", {"dense": 2}, FULL, "round_weight * worth", "0.0", True),  # forgets what mistakes cost
    broken("second_order", {}, SECOND, "(sign - s) / (1.0 + q)", "(-sign - s) / (1.0 + q)", True),  # the wrong way
    broken("second_order", {"dense": 2, "bias": 1}, SECOND, "std::log1p(q)", "0.0", True),  # forgets what a mistake adds
    broken("second_order", {"dense": 2, "bias": 1}, SECOND, "s /= 1.0 + spread(x)", "s /= 9.0 + spread(x)", False),
    broken("selective", {}, SELECTIVE, SIGN, WRONG_WAY, True),  # the wrong way
    broken("selective", {"b": "1/10", "bias": 1}, SELECTIVE, "(b + size) < «b»", "9.0 * b", False),  # asks too often
    broken("shifting", {}, SHIFTING, SIGN, WRONG_WAY, True),  # the wrong way
    broken("shifting", {}, SHIFTING, "tally[1] / (lambda + tally[1])", "1.0", False),  # never forgets
    broken("shifting", {"lam": 5}, SUMS, "weight *= tally[0]", "weight *= 1.0", False),  # rescales in name only
    broken("pairs", {}, PAIRS, SIGN, WRONG_WAY, True),  # the wrong way, and the loss of it
    broken("pairs", {}, PAIRS, "sums[0] += round_weight * loss", "sums[0] += loss", True),  # forgets the weight
    broken(
        "pairs",
        {"room": 5},
        PAIRS,
        "known[0] >= room",
        "known[0] > room || 4 * known[0] >= static_cast<std::int64_t>(store.entries.size())",
        True,
    ),  # one pair too many, but none beyond its memory
    broken("pnorm", POWER, PNORM, STEP, WRONG_STEP, True),
    broken("pnorm", POWER, PNORM, STEP, "label ? round_weight : 0.0", True),
    broken("pnorm", POWER, PNORM, CORRECT, ";", True),  # learns from correct rounds
    broken("pnorm", {"p": 100}, PNORM, "theta.size()", "std::size_t{0}", False),  # rescales nothing
    broken("winnow", SIX, POWERS, "return «Answer::yes»", "Answer::no", False),  # w·x = θ predicts 0
    broken("winnow", SIX, POWERS, "answer(«total >= theta»)", "total <= theta", False),  # w·x < θ predicts 1
    broken("winnow", SIX, WINNOW, "label ? 1 : -1", "label ? 1 : 0", True),  # no demotion
    broken("winnow", SIX, WINNOW, "label ? 1 : -1", "label ? 0 : -1", True),  # no promotion
    broken("winnow", SIX, WINNOW, CORRECT, ";", True),
    broken("winnow", SIX, POWERS, "static_cast<double>(x.size() + 16) * 0x1p-52 * (total + theta)", "-1.0", False),  # never looks twice
    broken(
        "winnow_elimination", SIX, ELIMINATION, "static_cast<std::int64_t>(sum) >= theta", "static_cast<std::int64_t>(sum) > theta", False
    ),
    broken("winnow_elimination", SIX, ELIMINATION, "label ? 2 : 0", "label ? 2 : 1", True),  # no elimination
    broken("winnow_elimination", SIX, ELIMINATION, "label ? 2 : 0", "label ? 1 : 0", True),  # no promotion
    broken("winnow_elimination", SIX, ELIMINATION, CORRECT, ";", True),
    broken("balanced_winnow", {}, BALANCED, "score >= 0.0", "score > 0.0", False),
    broken("balanced_winnow", {}, BALANCED, SIGN, NO_DEMOTION, True),
    broken("balanced_winnow", {}, BALANCED, SIGN, WRONG_WAY, True),
    broken(
        "balanced_winnow",
        {},
        BALANCED,
        "if (predicted.answer == answer(label) && !(margin > 0.0 && narrow(x, sign * predicted.score))) return false;",
        ";",
        False,
    ),
    broken("balanced_winnow", {"eta": 300}, BALANCED, "c.size()", "std::size_t{0}", False),  # rescales nothing
    broken("balanced_winnow", {"margin": "1/10"}, BALANCED, "return «true»", "predicted.answer != answer(label)", False),
    broken("balanced_winnow", {"margin": "1/10"}, BALANCED, "margin * total", "10.0 * margin * total", False),
    broken(
        "halving", {"concepts": "disjunctions", "n": 7}, HALVING, "2 * ones >= tally[living]", "2 * ones > tally[living]", False
    ),  # a tie predicts 0
    broken(
        "halving", {"concepts": "half_intervals", "n": 9}, HALVING, "2 * ones >= tally[living]", "4 * ones >= tally[living]", True
    ),  # a quarter is enough
    broken(
        "halving", {"concepts": "conjunctions", "n": 4}, HALVING, "2 * ones >= tally[living]", "2 * ones < tally[living]", True
    ),  # the minority
    broken(
        "halving",
        {"concepts": "half_intervals", "n": 9},
        HALVING,
        "label ? predicted.ones : tally[living] - predicted.ones",
        "label ? tally[living] - predicted.ones : predicted.ones",
        True,
    ),
    broken(
        "halving",
        {"concepts": "monotone_conjunctions", "n": 5},
        HALVING,
        "label ? 0 : ~std::uint64_t{0}",
        "label ? ~std::uint64_t{0} : 0",
        True,
    ),  # drops the right ones
    broken("halving", {"concepts": "disjunctions", "n": 7}, HALVING, "tally[living] = right;", ";", True),  # forgets to count
    broken("halving", {"concepts": "disjunctions", "n": 7}, HALVING, "right == 0", "false", False),  # goes on with nobody
    broken("halving", {"concepts": "disjunctions", "n": 7}, HALVING, "if («pending») drop", "false", False),  # the last round
    broken(
        "halving", {"concepts": "half_intervals", "n": 9, "beta": "1/2"}, AGNOSTIC, "2.0 * favour >= total", "2.0 * favour > total", False
    ),  # a tie predicts 0
    broken(
        "halving", {"concepts": "half_intervals", "n": 9, "beta": "1/2"}, AGNOSTIC, "2.0 * favour >= total", "2.0 * favour < total", True
    ),  # the minority
    broken(
        "halving",
        {"concepts": "conjunctions", "n": 3, "beta": "2/3"},
        AGNOSTIC,
        "says_one(said, c) != label",
        "says_one(said, c) == label",
        True,
    ),
    broken(
        "halving",
        {"concepts": "disjunctions", "n": 5, "beta": "1/2"},
        AGNOSTIC,
        "counts[c] += says_one(said, c) != label",
        "counts[c] += 0",
        True,
    ),
    broken("halving", {"concepts": "conjunctions", "n": 3, "beta": "2/3"}, AGNOSTIC, "> «exact» &&", "1000", False),  # never looks twice
    broken("winnow_real", THREE, REAL, "total >= theta", "total > theta", False),  # wrong tie
    broken("winnow_real", {"n": 2}, REAL, SIGN, NO_DEMOTION, True),
    broken("winnow_real", SIX, REAL, SIGN, WRONG_WAY, True),
    broken("winnow_real", SIX, REAL, CORRECT, ";", True),
    broken("winnow_real", COMPLEMENT, REAL, "z[c] += sign", "z[c] -= sign", True),  # complements the wrong way
    broken("winnow_real", COMPLEMENT, REAL, "sum_of_v() - active", "sum_of_v() + active", True),
    broken("winnow_real", COMPLEMENT, REAL, "put(leaf(i), exp((«z[h] - s[i]»)", "z[h] + s[i]", False),
    broken("winnow_doubling", THREE, DOUBLING, "++counts[1] > limits[guess]", "++counts[1] >= limits[guess]", True),  # gives up too soon
    broken("winnow_doubling", THREE, DOUBLING, "exponent.end(), «0»", "1", True),  # does not begin afresh
    broken("winnow_doubling", THREE, DOUBLING, "++counts[0]", "counts[0] += 0", True),  # begins afresh with the same guess
    broken("winnow_doubling", THREE, DOUBLING, "label ? 1 : -1", "label ? 1 : 0", True),
    broken(
        "winnow_doubling", THREE, DOUBLING, "begin = static_cast<std::size_t>(«starts[guess]»)", "starts[0]", False
    ),  # the powers of the first guess, too
    broken("memorizer", {}, MEMORIZER, "= «label»;", "true", True),  # never takes a label back
    broken("memorizer", {}, MEMORIZER, CORRECT, ";", False),  # remembers the 0s too
    broken(
        "memorizer",
        {},
        MEMORIZER,
        "r >= 0 && labels[static_cast<std::size_t>(r)] == 1",
        "r < 0 || labels[static_cast<std::size_t>(r)] == 1",
        True,
    ),  # begins with 1
    broken("memorizer", {}, MEMORIZER, "tally[0]++", "tally[0]", True),  # writes over what it knew
    broken("disjunctions", {"n": 5}, DISJUNCTIONS, "gone[i] = 1", "gone[i] = 0", True),  # strikes nothing out
    broken(
        "disjunctions", {"n": 5}, DISJUNCTIONS, CORRECT, "if (predicted.answer == Answer::no) return label; label = false;", True
    ),  # strikes out on correct 1s
    broken(
        "disjunctions",
        {"n": 5},
        DISJUNCTIONS,
        "std::any_of(x.indices.begin(), x.indices.end(), [&](std::uint32_t i) { return gone[i] == 0; })",
        "true",
        True,
    ),  # always predicts 1
    broken("disjunctions", {"n": 5}, DISJUNCTIONS, "gone[i] == 0", "gone[i] == 1", True),
    broken("conjunctions", FOUR, CONJUNCTIONS, CORRECT, ";", False),  # learns from correct 1s, which contradict nothing
    broken("conjunctions", FOUR, CONJUNCTIONS, CORRECT, "if (label) return false; label = true;", True),  # learns from the 0s
    broken("conjunctions", FOUR, CONJUNCTIONS, "living(x) == tally[1]", "living(x) >= 0", True),  # forgets the positive literals
    broken("conjunctions", FOUR, CONJUNCTIONS, "seen[i] == 0", "seen[i] < 0", True),  # and the negative ones
    broken("conjunctions", FOUR, CONJUNCTIONS, "seen[i] == tally[0]", "seen[i] > 0", True),  # a literal comes back
]

# Learners whose mistakes are their own fault, on a stream that meets what they assume.
BACKWARDS = Fault(PERCEPTRON, STEP, WRONG_STEP)
SATISFIED = Fault(WINNOW, "predicted.answer == answer(label)", "predicted.answer != answer(label)")  # learns from correct rounds alone

# Learners whose bounds are broken for every witness.
NO_ELIMINATION = Fault(ELIMINATION, "label ? 2 : 0", "label ? 2 : 1")
NO_DOUBLING = Fault(ELIMINATION, "label ? 2 : 0", "label ? 1 : 0")
NO_FALLING = Fault(DOUBLING, "label ? 1 : -1", "label ? 1 : 0")
NO_RISING = Fault(DOUBLING, "label ? 1 : -1", "label ? 0 : -1")
TURNED = Fault(REAL, SIGN, WRONG_WAY)
ONLY_RISING = Fault(REAL, SIGN, NO_DEMOTION)
TURNED_COMPLEMENTS = Fault(REAL, "z[c] += sign", "z[c] -= sign")

# An index beyond a column.
BEYOND = Fault(BALANCED, "s[«x.indices[k]»] = weights[j]", "x.indices[k] + 1")

CLASS_SCORES, MULTICLASS, BANDITRON = "learners/class_scores.h", "learners/multiclass_perceptron.h", "learners/banditron.h"
LARGER = "sums[c] > sums[static_cast<std::size_t>(best)]"
HALF: dict[str, Any] = {"explore": "1/2"}

CLASS_LEARNERS = [
    broken("multiclass_perceptron", {}, CLASS_SCORES, LARGER, "sums[c] >= sums[static_cast<std::size_t>(best)]", False),  # ties: the last
    broken("multiclass_perceptron", {}, CLASS_SCORES, LARGER, "sums[c] < sums[static_cast<std::size_t>(best)]", True),  # argmin
    broken("multiclass_perceptron", {}, MULTICLASS, "[static_cast<std::size_t>(label)] += «step»", "-step", True),  # the wrong way
    broken("multiclass_perceptron", {}, MULTICLASS, "-= «step»", "0.0", True),  # no demotion
    broken(
        "multiclass_perceptron",
        {},
        MULTICLASS,
        "++seen[0];",
        "++seen[0];"
        "for (std::size_t p = 0; predicted.answer >= 0 && p < x.size(); ++p) {"
        "    const Column<double> row = scores.weights[x.indices[p]];"
        "    row[static_cast<std::size_t>(label)] += weight * x.value(p);"
        "    row[static_cast<std::size_t>(predicted.answer)] -= weight * x.value(p);"
        "}",
        False,
    ),  # teaches new ones
    broken(
        "multiclass_perceptron",
        {},
        CLASS_SCORES,
        "std::size_t c = 1; c < «classes»",
        "classes - std::min<std::size_t>(classes, 1)",
        True,
    ),  # never names the last class
    broken("banditron", HALF, BANDITRON, "step * x.value(p)", "x.value(p)", False),  # as if the class had been named for sure
    broken(
        "banditron", HALF, BANDITRON, "[static_cast<std::size_t>(«predicted.greedy»)]", "predicted.answer", False
    ),  # punishes whom the coin named
    broken("banditron", HALF, BANDITRON, "u >= explore", "u >= 0.0", False),  # never tries another class
]

# A panel of several classes whose vote hears the voters that were right as those that were wrong.
TRUSTS_THE_WRONG = Fault("rules/election.h", "wrong[k] = «votes[k] != label»", "votes[k] == label")

LEADERS, MAJORITY, HEDGE, SPECIALISTS = "rules/leaders.h", "rules/weighted_majority.h", "rules/hedge.h", "rules/specialists.h"
ADAHEDGE, SHARE, TRACKING, SLEEPING = "rules/adahedge.h", "rules/fixed_share.h", "rules/tracking.h", "rules/sleeping_adahedge.h"
REGRETS, OWN_RATES, COMPOSED, EXP3 = "rules/regrets.h", "rules/own_rates.h", "rules/rule_of_rules.h", "rules/exp3.h"
SLOPE, DOWNHILL = "loss.slope(said.mix, round.truth)", "-loss.slope(said.mix, round.truth)"
REGRET, TURNED_REGRET = "slope * (f - static_cast<double>(row[i]))", "slope * (static_cast<double>(row[i]) - f)"
TRUST_BY_GAINS = ("std::max(best, «gains[i] / slowness[i]»)", "exp_of(«gains[i] / slowness[i] - best»)")
TRUST_BY_LOSSES = ("-gains[i] / slowness[i]", "-gains[i] / slowness[i] - best")
SQUARED: dict[str, Any] = {"n": 3, "loss": "squared"}
NINE: dict[str, Any] = SQUARED | {"members": 9}
TWELVE: dict[str, Any] = SQUARED | {"members": 12}

RULES = [
    broken(
        "follow_leader",
        FOUR,
        LEADERS,
        "behind(i) < behind(static_cast<std::size_t>(leader))",
        "behind(i) <= behind(static_cast<std::size_t>(leader))",
        False,
    ),  # the last of the leaders
    broken(
        "follow_leader",
        FOUR,
        LEADERS,
        "first_at(losses, lowest)",
        "static_cast<std::size_t>(std::max_element(losses.begin(), losses.end()) - losses.begin())",
        True,
    ),
    broken("weighted_majority", FOUR, MAJORITY, "!always && predicted == (round.truth == 1.0)", "true", True),
    broken("weighted_majority", FOUR, MAJORITY, "round.following, «round.truth», eta, beta)", "1.0 - round.truth", True),
    broken("randomized_weighted_majority", FOUR, HEDGE, "eta, «beta»);", "1.0", True),
    broken("randomized_weighted_majority", FOUR, HEDGE, "round.following, «round.truth», eta, beta)", "1.0 - round.truth", True),
    broken("hedge", {"n": 4, "eta": "1/2"}, HEDGE, "eta, «beta»);", "1.0", True),
    broken("hedge", {"n": 4, "eta": "1/2"}, HEDGE, "«round.following», round.truth, eta, beta)", "round.row", False),
    broken("hedge", FOUR, HEDGE, "std::sqrt(period / (counts[0] + 1.0))", "0.0 * period", True),
    broken("hedge", FOUR, HEDGE, "std::sqrt(period / (counts[0] + 1.0))", "std::sqrt(period / (counts[0] + 2.0))", False),
    broken("specialists", FOUR, SPECIALISTS, "if («!looked»)", "false", False),  # the row before
    broken("specialists", FOUR, SPECIALISTS, "is_awake(round.row[i]) ? back : 1.0", "1.0", False),
    broken("specialists", FOUR, SPECIALISTS, "looked ? round.following : round.row, «y», eta", "1.0 - y", True),
    broken("adahedge", FOUR, ADAHEDGE, "counts[2] += «std::max(0.0, f - m)»", "0.5 * std::max(0.0, f - m)", False),
    broken("adahedge", FOUR, ADAHEDGE, "count_losses(losses, round.row, «y»)", "1.0 - y", True),
    broken("perturbed_leader", FOUR, LEADERS, "return «losses[i] - start[i]»", "losses[i]", False),
    broken("fixed_share", FOUR, SHARE, "«beta», keep, gift)", "1.0", True),
    broken("fixed_share", FOUR, SHARE, "alpha / static_cast<double>(w.size())", "0.0", False),
    broken("tracking", FOUR, TRACKING, "keep * weight + gift", "keep * weight", False),
    broken("tracking", FOUR, TRACKING, "rules[k] += std::abs(shares[k] - y)", "rules[k] -= std::abs(shares[k] - y)", False),
    broken("sleeping_adahedge", FOUR, SLEEPING, "std::max(0.0, gap)", "0.5 * std::max(0.0, gap)", False),
    broken("sleeping_adahedge", FOUR, SLEEPING, "(loss - low) - mean", "loss", False),  # sleepers pay nothing
    broken(
        "sleeping_adahedge",
        FOUR,
        SLEEPING,
        "learn(«round», said.weighed.total)",
        "Round<float>{round.row, round.following, 1.0 - round.truth, round.weight}",
        True,
    ),
    broken("sleeping_adahedge", FOUR, SLEEPING, "said.best - after", "0.0 * said.best", True),
    broken("ml_poly", FOUR, REGRETS, SLOPE, DOWNHILL, True),
    broken("ml_poly", {"n": 4, "advice": "loss", "loss": "squared"}, REGRETS, "loss.slope(said.mix, «round.truth»)", "-round.truth", True),
    broken(
        "ml_poly",
        FOUR,
        REGRETS,
        "regrets[i] > 0.0 ? regrets[i] / (widest + squares[i]) : 0.0",
        "-regrets[i] > 0.0 ? -regrets[i] / (widest + squares[i]) : 0.0",
        True,
    ),
    broken("ml_poly", FOUR, REGRETS, "if (!(widest > 0.0)) return;", "if (!(widest > 0.0)) return; potential = 0.0;", True),
    broken("boa", FOUR, REGRETS, SLOPE, DOWNHILL, False),
    broken("boa", FOUR, REGRETS, TRUST_BY_GAINS, TRUST_BY_LOSSES, True),
    broken("boa", FOUR, OWN_RATES, "{«products», ln_n", "true", False),
    broken("boa", {"n": 3, "advice": "loss", "loss": "absolute"}, REGRETS, "std::max(«widest», widest_now)", "0.0", False),
    broken("ml_prod", FOUR, REGRETS, TRUST_BY_GAINS, TRUST_BY_LOSSES, True),
    broken("ml_prod", FOUR, OWN_RATES, "{products, «ln_n»", "3.0 * ln_n", False),
    broken("ml_prod", FOUR, REGRETS, SLOPE, DOWNHILL, False),
    broken("ml_prod", FOUR, REGRETS, "std::max(0.0, (after - allowed) / static_cast<double>(r.size()))", "0.0", False),
    # what the three share: the regret, and of each the update, the rate and what its theorem counts
    *(broken(name, FOUR, REGRETS, REGRET, TURNED_REGRET, name == "ml_poly") for name in ("ml_poly", "boa", "ml_prod")),
    broken("ml_poly", FOUR, REGRETS, "regrets[i] += «r[i]»", "std::max(0.0, r[i])", False),
    broken("ml_poly", FOUR, REGRETS, "regrets[i] / (widest + squares[i])", "regrets[i] / (widest + 0.0 * squares[i])", False),
    broken("ml_poly", FOUR, REGRETS, "std::min(potential + added, root * root)", "potential", True),
    *(
        broken(name, FOUR, REGRETS, "2.0 * size, std::sqrt(«squares[i] / ln_n»)", "0.0 * squares[i] / ln_n", False)
        for name in ("boa", "ml_prod")
    ),
    *(
        broken(name, FOUR, REGRETS, "exp_of(gains[i] / slowness[i] - best) / slowness[i]", "exp_of(gains[i] / slowness[i] - best)", False)
        for name in ("boa", "ml_prod")
    ),
    broken("boa", FOUR, REGRETS, "r[i] - r[i] * r[i] / slow", "r[i]", False),
    broken("ml_prod", FOUR, REGRETS, "slow * log_more(r[i] / slow)", "r[i]", False),
    broken("ml_prod", FOUR, REGRETS, "products && sizes[i] > 0.0 ? sizes[i] : widest", "widest", False),
    *(broken(name, FOUR, REGRETS, "corrections[i] += r[i] - gain", "corrections[i] += 0.0", True) for name in ("boa", "ml_prod")),
    broken("rule_of_rules", SQUARED, COMPOSED, "forecasts(), own, «loss.slope(own, y)»", "-loss.slope(own, y)", False),
    broken(
        "rule_of_rules",
        THREE,
        COMPOSED,
        "counts[10] += Gaps{ln_k, top_behind}.learn(over, gaps(), mean_regret);",
        "for (std::size_t k = 0; k < members; ++k) over[k] = -over[k];"
        "counts[10] += Gaps{ln_k, top_behind}.learn(over, gaps(), mean_regret);",
        False,
    ),
    broken("rule_of_rules", SQUARED, COMPOSED, "f[least_squares + j], «y»)", "-y", False),
    broken("rule_of_rules", NINE, COMPOSED, "by_errors(j).learn(row, «y»)", "-y", False),
    broken("rule_of_rules", NINE, COMPOSED, "0.5 * (counts[10] + counts[12])", "0.5 * counts[10]", False),
    broken("rule_of_rules", TWELVE, COMPOSED, "gaps(), «mean_regret»)", "0.0", False),
    broken("rule_of_rules", TWELVE, COMPOSED, "0.5 * (own - f[k]) * (own - f[k])", "0.0", False),
    broken(
        "rule_of_rules",
        TWELVE,
        COMPOSED,
        "if (members > median) trust_the_middle(weights_of(median), row);",
        "for (std::size_t i = 0; members > median && i < experts; ++i) weights_of(median)[i] = 1.0;",
        False,
    ),
    broken(
        "rule_of_rules",
        TWELVE,
        COMPOSED,
        "«by_errors(j)».trust_likeliest(",
        "(InverseSquares{kept_by_inverse[j], apart[priced + j], apart[priced + 2 + j], counts[13]})",
        False,
    ),
    broken("exp3", {"n": 3, "eta": "1/5"}, EXP3, "-said.rate * loss * total / weight", "-said.rate * loss", False),
    broken("exp3_ix", {"n": 3, "eta": "1/5"}, EXP3, "0.5 * said.rate", "0.0 * said.rate", False),
]

MORE = [
    BACKWARDS,
    SATISFIED,
    NO_ELIMINATION,
    NO_DOUBLING,
    NO_FALLING,
    NO_RISING,
    TURNED,
    ONLY_RISING,
    TURNED_COMPLEMENTS,
    BEYOND,
    TRUSTS_THE_WRONG,
]
ALL = list(dict.fromkeys([*(case.fault for case in (*LEARNERS, *CLASS_LEARNERS, *RULES)), *MORE]))  # each once, however many it breaks
