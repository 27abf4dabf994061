// What rules by regret share: the slope of a loss at the rule's own forecast, a round's regrets, and the ways to learn from them.
//
// A rule's forecast is f, the weighted mean of those awake. Expert i's regret in a round is r_i = s·(f - x_i), s the slope of the loss at f,
// and 0 while it sleeps. Of votes, probabilities and losses the loss |f - y| is a line between 0 and 1, so that r_i is exactly what the rule
// lost beyond the expert; of forecasts under a convex loss it is no less than that.
//
// Sums go expert by expert, in one order: a rule whose weights begin at a regret of 0 must have the same bits everywhere.
#pragma once
#include "advice.h"

namespace littlestone {

// What is smaller beside what it is made of is rounding.
inline constexpr double dust = 1e-12;

// A loss as rules by regret are told it: |f - y| of labels, or a loss of forecasts.
struct ForecastLoss {
    enum Kind : std::int64_t { of_labels, squared, absolute, pinball } kind;
    double quantile;

    // How fast the loss grows with the forecast, at f; at a kink 0, which lies between the two.
    double slope(double f, double y) const {
        if (kind == of_labels) return y == 0.0 ? 1.0 : -1.0;
        if (kind == squared) return 2.0 * (f - y);
        if (f == y) return 0.0;
        const double up = kind == pinball ? 1.0 - quantile : 1.0, down = kind == pinball ? -quantile : -1.0;
        return f > y ? up : down;
    }

    double cost(double x, double y) const {
        const double d = x - y;
        if (kind == squared) return d * d;
        return kind == pinball ? std::max(-quantile * d, (1.0 - quantile) * d) : std::abs(d);
    }
};

// The weighted mean of those awake. Where they have no weight all count alike; where nobody is awake it is 1/2, and of forecasts no number.
// It lies between those that have weight: rounding makes no regret beside who is alone.
template <class Number>
Mixture blended(ForecastLoss loss, Weights w, Column<const Number> row) {
    double total = 0.0, favour = 0.0, low = infinity, high = -infinity;
    std::size_t awake = 0;
    unsigned holds = 0;
    const auto spread_to = [&](double a) {
        low = std::min(low, a);
        high = std::max(high, a);
    };
    for (std::size_t i = 0; i < w.size(); ++i) {
        const auto a = static_cast<double>(row[i]);
        if (is_awake(a)) {
            ++awake;
            total += w[i];
            favour += w[i] * a;
            if (w[i] > 0.0) spread_to(a);
            holds |= faults_of(row[i]);
        } else {
            holds |= asleep;
        }
    }
    if (awake == 0) return {loss.kind == ForecastLoss::of_labels ? 0.5 : std::numeric_limits<double>::quiet_NaN(), {0.0, 0.0, holds}, w};
    if (!(total > 0.0)) {
        favour = 0.0;
        for (std::size_t i = 0; i < w.size(); ++i) {
            if (!is_awake(row[i])) continue;
            w[i] = 1.0;
            favour += static_cast<double>(row[i]);
            spread_to(static_cast<double>(row[i]));
        }
        total = static_cast<double>(awake);
    }
    return {std::min(std::max(favour / total, low), high), {total, favour, holds}, w};
}

// The expert awake at which the running total of weights passes u of the whole; -1 when all sleep.
template <class Number>
std::int32_t drawn(Weights w, Column<const Number> row, double total, double u) {
    double passed = 0.0;
    std::int32_t last = -1;
    for (std::size_t i = 0; i < w.size(); ++i) {
        if (!is_awake(row[i]) || !(w[i] > 0.0)) continue;
        last = static_cast<std::int32_t>(i);
        passed += w[i];
        if (passed > u * total) return last;
    }
    return last;
}

// The regrets of a round, where the loss has this slope at f; the largest of them in size.
template <class Number>
double regretted(Column<double> r, Column<const Number> row, double f, double slope) {
    double widest = 0.0;
    for (std::size_t i = 0; i < r.size(); ++i) {
        r[i] = is_awake(row[i]) ? slope * (f - static_cast<double>(row[i])) : 0.0;
        widest = std::max(widest, std::abs(r[i]));
    }
    return widest;
}

// What ML-Poly has learned: weights η_i·(R_i)₊, η_i = 1/(E + V_i).
struct Excess {
    Column<double> regrets, squares;  // R_i and V_i
    double& widest;                   // E, the largest square so far
    double& potential;                // and the bound on the potential

    void trust(Weights w) const {
        for (std::size_t i = 0; i < w.size(); ++i) w[i] = regrets[i] > 0.0 ? regrets[i] / (widest + squares[i]) : 0.0;
    }

    void learn(Column<double> r) {
        const double before = widest;
        double added = 0.0, leap = 0.0;
        for (const double regret : r) widest = std::max(widest, regret * regret);
        if (!(widest > 0.0)) return;
        for (std::size_t i = 0; i < r.size(); ++i) {
            const double square = r[i] * r[i];
            if (before > 0.0) added += square / (before + squares[i]);
            squares[i] += square;
            if (r[i] > 0.0) leap += square / (widest + squares[i]);
            regrets[i] += r[i];
        }
        const double root = std::sqrt(potential) + std::sqrt(leap);
        potential = before > 0.0 ? std::min(potential + added, root * root) : root * root;
    }
};

// e^x for any x.
inline double grown(double x) { return x <= 0.0 ? exp_of(x) : 1.0 / exp_of(-x); }

// What BOA and ML-Prod have learned: weights η_i·e^(η_i·X_i), each expert with a rate of its own.
// With products an expert gains ln(1 + ηr)/η (ML-Prod) and its rate minds its own largest regret; else r - ηr² (BOA), and the rates mind the
// largest of all.
struct Gains {
    bool products;
    double ln_n;
    Column<double> gains, corrections, squares;
    Column<double> sizes;     // of each expert's largest regret
    Column<double> slowness;  // 1/η
    double& widest;           // the largest regret of all
    double& excess;           // how much the potential grew beyond what the lemma allows

    // η·e^(η·X), divided by the largest e^(η·X).
    void trust(Weights w) const {
        trust_those(w, [](std::size_t) { return true; });
    }

    // The same beside the best of those awake, for a round in which the leaders sleep.
    template <class Number>
    void trust_awake(Weights w, Column<const Number> row) const {
        trust_those(w, [&](std::size_t i) { return is_awake(row[i]); });
    }

    void learn(Column<double> r, double widest_now) {
        widest = std::max(widest, widest_now);
        double share = 1.0;  // the part of this round that the rates of before could have borne
        for (std::size_t i = 0; i < r.size(); ++i)
            if (2.0 * std::abs(r[i]) > slowness[i]) share = std::min(share, slowness[i] / (2.0 * std::abs(r[i])));
        double allowed = 0.0, after = 0.0;
        for (std::size_t i = 0; i < r.size(); ++i) {
            const double x = slowness[i] > 0.0 ? share * r[i] / slowness[i] : 0.0;
            const double ahead = slowness[i] > 0.0 ? grown(gains[i] / slowness[i]) : 1.0;
            allowed += ahead * (products ? 1.0 + x : grown(x - x * x));
            sizes[i] = std::max(sizes[i], std::abs(r[i]));
            squares[i] += r[i] * r[i];
            const double size = products && sizes[i] > 0.0 ? sizes[i] : widest;
            const double slow = slowness[i] = std::max(2.0 * size, std::sqrt(squares[i] / ln_n));
            if (!(slow > 0.0)) {
                after += 1.0;
                continue;
            }
            const double gain = products ? slow * log_more(r[i] / slow) : r[i] - r[i] * r[i] / slow;
            gains[i] += gain;
            corrections[i] += r[i] - gain;
            after += grown(gains[i] / slow);
        }
        excess += std::max(0.0, (after - allowed) / static_cast<double>(r.size()));
    }

    // Lets what was learned weigh less than what is learned next.
    void fade(double keep) {
        for (std::size_t i = 0; i < gains.size(); ++i) {
            gains[i] *= keep;
            squares[i] *= keep;
            slowness[i] = std::max(2.0 * widest, std::sqrt(squares[i] / ln_n));
        }
    }

private:
    template <class Counts>
    void trust_those(Weights w, Counts counts) const {
        double best = -infinity;
        for (std::size_t i = 0; i < w.size(); ++i)
            if (counts(i) && slowness[i] > 0.0) best = std::max(best, gains[i] / slowness[i]);
        for (std::size_t i = 0; i < w.size(); ++i)
            w[i] = counts(i) && slowness[i] > 0.0 ? exp_of(gains[i] / slowness[i] - best) / slowness[i] : 0.0;
    }
};

// AdaHedge by regrets: weights e^(-η·behind), η = ln n/Δ; while Δ is 0 the leaders share them, and rounding makes no leader.
struct Gaps {
    double ln_n;
    Column<double> behind;  // how far each is behind the rule

    // The weights in a round of this advice, where Δ is `gaps`.
    template <class Number>
    void trust(Weights w, double gaps, Column<const Number> row) const {
        double best = infinity, largest = 0.0;
        for (std::size_t i = 0; i < w.size(); ++i) {
            if (is_awake(row[i])) best = std::min(best, behind[i]);
            largest = std::max(largest, std::abs(behind[i]));
        }
        for (std::size_t i = 0; i < w.size(); ++i) {
            if (gaps > 0.0) {
                w[i] = exp_of(std::min(0.0, -(behind[i] - best) * ln_n / gaps));
            } else {
                w[i] = behind[i] - best <= dust * largest ? 1.0 : 0.0;
            }
        }
    }

    // Adds a round's regrets; its mixability gap, none where that is no more than rounding beside the largest regret. `mean` is that of the
    // regrets, by the rule's weights.
    double learn(Column<double> r, double gaps, double mean) {
        double before = infinity, after = infinity, widest = 0.0;
        for (std::size_t i = 0; i < r.size(); ++i) {
            before = std::min(before, behind[i]);
            after = std::min(after, behind[i] - r[i]);
            widest = std::max(widest, std::abs(r[i]));
        }
        double gap = before - after, ahead = 0.0, left = 0.0;
        for (std::size_t i = 0; i < r.size(); ++i) {
            if (gaps > 0.0) {
                ahead += exp_of(-(behind[i] - before) * ln_n / gaps);
                left += exp_of(-(behind[i] - r[i] - after) * ln_n / gaps);
            }
            behind[i] -= r[i];
        }
        if (gaps > 0.0) gap += (log_of(left) - log_of(ahead)) * gaps / ln_n;
        gap -= std::min(mean, 0.0);  // above 0 it is rounding, and must not make the gap smaller
        return gap > dust * widest ? gap : 0.0;
    }
};

// A rule that is one of these: it trusts, forecasts the mean, and learns from the regrets. `Rule` adds trust(w, row), trust_sleepers and
// learn(r, widest).
template <class Rule>
struct ByRegret {
    Strictness strict;
    ForecastLoss loss;
    std::int64_t seed;
    Column<double> counts;
    Scratch w, r;

    template <class Number>
    Mixture predict(Column<const Number> row) {
        own().trust(w);
        Mixture said = blended(loss, w, row);
        said.refused = said.weighed.holds & strict;
        if constexpr (requires { own().trust_awake(w, row); }) {
            if (!said.refused && said.anyone_asleep()) {
                own().trust_awake(w, row);
                said = blended(loss, w, row);
            }
        }
        return said;
    }

    template <class Number>
    std::int32_t choose(Column<const Number> row, const Mixture& said) const {
        return drawn(said.weights, row, said.weighed.total, coin(seed, counts));
    }

    template <class Number>
    void update(const Round<Number>& round, const Mixture& said) {
        count_round(counts, said.anyone_asleep());
        if (!(said.weighed.total > 0.0)) return;
        const double widest = regretted(r, round.row, said.mix, loss.slope(said.mix, round.truth));
        own().learn(r, widest);
    }

private:
    Rule& own() { return static_cast<Rule&>(*this); }
};

}  // namespace littlestone
