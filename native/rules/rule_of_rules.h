// A rule of rules: several rules side by side, and one more that trusts them by their record.
// Seven members see every round: ML-Poly, BOA and ML-Prod by gradients; a BOA that forgets; and the weights that were best in least squares,
// of all rounds and of the last hundred or twenty. Of nine, two more weigh experts by the inverse of their mean squared error; of twelve
// there are the median of the experts, and two that trust the likeliest expert. AdaHedge, by gradients, is the rule over them.
#pragma once
#include "regrets.h"

namespace littlestone {

// Least squares: the weights whose mean had the least squared error, the plain average pulling.
struct LeastSquares {
    double keep, pull;
    Column<double> leads;     // the weights, n times what they are: all are 1 at the start
    Column<double> slopes;    // Σ_j e_i·e_j·w_j
    Matrix<double> products;  // Σ e_i·e_j
    Column<double> about;     // the rounds and the squares so far

    // Adds a round's errors, and steps towards the least. Who sleeps says the rule's own forecast f.
    template <class Number>
    void learn(Column<const Number> row, double f, double y) {
        const std::size_t n = leads.size();
        const auto error = [&](std::size_t i) { return (is_awake(row[i]) ? static_cast<double>(row[i]) : f) - y; };
        double own = 0.0, square = 0.0;
        for (std::size_t i = 0; i < n; ++i) {
            own += leads[i] * error(i);
            square += error(i) * error(i);
        }
        about[0] = keep * about[0] + 1.0;
        about[1] = keep * about[1] + square;
        for (std::size_t i = 0; i < n; ++i) {
            slopes[i] = keep * slopes[i] + error(i) * own;
            for (std::size_t j = 0; j < n; ++j) products[i][j] = keep * products[i][j] + error(i) * error(j);
        }
        const double rho = pull * about[1] / (about[0] * static_cast<double>(n));
        for (int steps = 0; steps < 6; ++steps)
            if (!step(rho)) return;
    }

private:
    // Moves weight from where the slope is largest to where it is least; false where all slopes are alike.
    bool step(double rho) {
        constexpr double alike = 1e-9;
        std::size_t to = 0, away = 0;
        double least = infinity, most = -infinity;
        for (std::size_t i = 0; i < leads.size(); ++i) {
            const double d = slopes[i] + rho * (leads[i] - 1.0);
            if (d < least) {
                least = d;
                to = i;
            }
            if (leads[i] > 0.0 && d > most) {
                most = d;
                away = i;
            }
        }
        if (!(most - least > alike * std::abs(most))) return false;
        const double bend = products[to][to] + products[away][away] - 2.0 * products[to][away] + 2.0 * rho;
        const double moved = bend > 0.0 ? std::min((most - least) / bend, leads[away]) : leads[away];
        leads[away] -= moved;
        leads[to] += moved;
        for (std::size_t i = 0; i < leads.size(); ++i) slopes[i] += moved * (products[i][to] - products[i][away]);
        return true;
    }
};

// Inverse squares: weights 1/q, q the mean squared error, with one round more of their harmonic mean.
struct InverseSquares {
    double keep;
    Column<double> squares, rounds;
    double& middle;

    void trust(Weights w) const {
        for (std::size_t i = 0; i < w.size(); ++i) w[i] = middle > 0.0 ? middle * (rounds[i] + 1.0) / (squares[i] + middle) : 1.0;
    }

    // q^(-N/2) of the same q, N the rounds of the one awake most: the likelihood of normal errors, beside the best of those awake.
    template <class Number>
    void trust_likeliest(Weights w, Column<const Number> row) const {
        double best = infinity, most = 0.0;
        const auto mean_square = [this](std::size_t i) { return (squares[i] + middle) / (rounds[i] + 1.0); };
        for (std::size_t i = 0; i < w.size(); ++i) {
            most = std::max(most, rounds[i]);
            if (is_awake(row[i])) best = std::min(best, mean_square(i));
        }
        for (std::size_t i = 0; i < w.size(); ++i)
            w[i] = is_awake(row[i]) && middle > 0.0 ? exp_of(std::min(0.0, -0.5 * most * log_of(mean_square(i) / best))) : 1.0;
    }

    template <class Number>
    void learn(Column<const Number> row, double y) {
        double total = 0.0, played = 0.0;
        for (std::size_t i = 0; i < row.size(); ++i) {
            if (!is_awake(row[i])) continue;
            const double e = static_cast<double>(row[i]) - y;
            squares[i] = keep * squares[i] + e * e;
            rounds[i] = keep * rounds[i] + 1.0;
        }
        for (std::size_t i = 0; i < row.size(); ++i) {
            played += rounds[i];
            if (squares[i] + middle > 0.0 && rounds[i] > 0.0) {
                const double more = middle > 0.0 ? rounds[i] + 1.0 : rounds[i];
                total += rounds[i] * more / (squares[i] + middle);
            }
        }
        middle = total > 0.0 ? played / total : 0.0;
    }
};

// The median of those awake, and the mean of the middle two of an even number.
template <class Number>
void trust_the_middle(Weights w, Column<const Number> row) {
    std::size_t m = 0;
    for (const Number x : row)
        if (is_awake(x)) w[m++] = static_cast<double>(x);
    if (m == 0) return;
    double* const middle = w.begin() + (m - 1) / 2;
    std::nth_element(w.begin(), middle, w.begin() + m);
    const double low = *middle, high = m % 2 == 1 ? low : *std::min_element(middle + 1, w.begin() + m);
    double lows = 0.0, highs = 0.0;
    for (const Number x : row) {
        lows += static_cast<double>(x) == low;
        highs += static_cast<double>(x) == high;
    }
    for (std::size_t i = 0; i < w.size(); ++i) {
        const auto x = static_cast<double>(row[i]);
        w[i] = 0.0;
        if (x == low) w[i] += 1.0 / lows;
        if (x == high) w[i] += 1.0 / highs;
    }
}

struct RuleOfRules {
    Strictness strict;
    ForecastLoss loss;
    double ln_n, ln_k;  // k: the members
    std::int64_t seed;
    Column<double> regrets, squares;                                 // of ML-Poly
    Matrix<double> gains, corrections, deviations, sizes, slowness;  // of BOA, ML-Prod and the one that forgets
    Matrix<double> leads, slopes;                                    // of least squares, where experts are few enough
    Cube<double> products;
    Matrix<double> about;
    // What each member with a price lost while an expert slept, and of nine members and more the errors of inverse squares: the squares of
    // both, then the rounds of both.
    Matrix<double> apart;
    Column<double> top_behind;  // how far each member is behind the rule
    // Rounds learnt, has anyone slept; the largest regret and the potential of ML-Poly; the largest regrets and the excesses of the three;
    // Δ, and the regrets that were rounding; of nine members and more E, and the harmonic means of inverse squares.
    Column<double> counts;

    enum Member : std::size_t { poly, boa, prod, forgetful, least_squares, inverse_squares = 7, median = 9, likeliest = 10 };
    static constexpr std::size_t three = 3, priced = 3;
    static constexpr double kept_by_forgetful = 0.99;
    static constexpr double kept_by_least[] = {1.0, 0.99, 0.95}, pulls[] = {10.0, 0.1, 0.1}, kept_by_inverse[] = {1.0, 0.95};

    std::size_t experts = regrets.size(), members = top_behind.size();
    // Of a round: the weights of each member, one after the other, and its forecast; the trust in each, and the regrets of each; those of the
    // experts, and their mean weights.
    Scratch w{members * experts}, f{members}, top{members}, over{members}, r{experts}, mean{experts};

    struct Said : Mixture {
        double trusted;  // what the members weigh
    };

    template <class Number>
    Said predict(Column<const Number> row) {
        const unsigned holds = forecast(row);
        if (holds & strict) return {{.refused = true}, 0.0};
        trust_members(top, forecasts());
        const Mixture own = blended(loss, top, forecasts());
        return {{own.mix, {own.weighed.total, own.weighed.favour, holds}, top}, own.weighed.total};
    }

    template <class Number>
    std::int32_t choose(Column<const Number> row, const Said& said) {
        for (std::size_t i = 0; i < experts; ++i) {
            mean[i] = 0.0;
            for (std::size_t k = 0; k < members; ++k) mean[i] += top[k] * weights_of(k)[i];
        }
        return drawn(mean, row, said.trusted, coin(seed, counts));
    }

    template <class Number>
    void update(const Round<Number>& round, const Said& said) {
        const auto row = round.row;
        const double y = round.truth, own = said.mix;
        const bool labels = loss.kind == ForecastLoss::of_labels;
        count_round(counts, said.anyone_asleep());
        if (std::none_of(row.begin(), row.end(), is_awake<Number>)) {  // of losses, all are charged 1/2
            for (std::size_t k = 0; k < priced; ++k)
                for (double& lost : apart[k]) lost += labels ? 0.5 : 0.0;
            return;
        }
        learn_trust(own, y, said.trusted);
        for (std::size_t k = 0; said.anyone_asleep() && k < priced; ++k) {
            const double lost = loss.cost(f[k], y);
            for (std::size_t i = 0; i < experts; ++i) apart[k][i] += is_awake(row[i]) ? 0.0 : lost;
        }
        regretted(r, row, f[poly], loss.slope(f[poly], y));
        ml_poly().learn(r);
        for (std::size_t j = 0; j < three; ++j) {
            const double own_forecast = f[boa + j];
            by_gains(j).learn(r, regretted(r, row, own_forecast, loss.slope(own_forecast, y)));
            if (leads.columns > 0) by_squares(j).learn(row, f[least_squares + j], y);
        }
        by_gains(2).fade(kept_by_forgetful);
        if (members <= inverse_squares) return;
        for (std::size_t k = 0; k < members; ++k) counts[12] = std::max(counts[12], std::abs(over[k]));
        for (std::size_t j = 0; j < 2; ++j) by_errors(j).learn(row, y);
    }

    // The weights and the forecast of each member; what the row holds.
    template <class Number>
    unsigned forecast(Column<const Number> row) {
        ml_poly().trust(weights_of(poly));
        for (std::size_t j = 0; j < three; ++j) {
            by_gains(j).trust_awake(weights_of(boa + j), row);
            const Weights squared = weights_of(least_squares + j);
            for (std::size_t i = 0; i < experts; ++i) squared[i] = leads.columns > 0 ? leads[j][i] : 1.0;
        }
        for (std::size_t j = 0; members > inverse_squares && j < 2; ++j) {
            by_errors(j).trust(weights_of(inverse_squares + j));
            if (members > median) by_errors(j).trust_likeliest(weights_of(likeliest + j), row);
        }
        if (members > median) trust_the_middle(weights_of(median), row);
        unsigned holds = 0;
        for (std::size_t k = 0; k < members; ++k) {
            const Weights weights = weights_of(k);
            const Mixture said = blended(loss, weights, row);
            f[k] = said.mix;
            holds = said.weighed.holds;
            for (std::size_t i = 0; i < experts; ++i)
                weights[i] = is_awake(row[i]) && said.weighed.total > 0.0 ? weights[i] / said.weighed.total : 0.0;
        }
        return holds;
    }

    Weights weights_of(std::size_t k) { return {&w[k * experts], experts}; }

    void trust_members(Weights trust, Column<const double> said) { Gaps{ln_k, top_behind}.trust(trust, gaps(), said); }

private:
    Column<const double> forecasts() { return {&f[0], members}; }

    // ln k/η of the rule over the members.
    double gaps() const { return members == 9 ? 0.5 * (counts[10] + counts[12]) : counts[10]; }

    // The rule over the members learns what each of them lost beside it.
    void learn_trust(double own, double y, double total) {
        const bool eased = members > median && loss.kind == ForecastLoss::squared;
        regretted(over, forecasts(), own, loss.slope(own, y));
        if (eased)  // a gradient says (f - x)² more than was lost: take half of that off
            for (std::size_t k = 0; k < members; ++k) over[k] -= 0.5 * (own - f[k]) * (own - f[k]);
        double rounding = 0.0;  // those that agree with the rule to twelve digits have no regret
        for (std::size_t k = 0; k < members; ++k) {
            if (!(std::abs(own - f[k]) <= dust * std::max(std::abs(own), std::abs(f[k])))) continue;
            rounding = std::max(rounding, std::abs(over[k]));
            over[k] = 0.0;
        }
        counts[11] += rounding;
        double mean_regret = 0.0;
        for (std::size_t k = 0; eased && k < members; ++k) mean_regret += top[k] * over[k] / total;
        counts[10] += Gaps{ln_k, top_behind}.learn(over, gaps(), mean_regret);
    }

    Excess ml_poly() { return {regrets, squares, counts[2], counts[3]}; }
    Gains by_gains(std::size_t j) {
        return {boa + j == prod, ln_n, gains[j], corrections[j], deviations[j], sizes[j], slowness[j], counts[4 + j], counts[7 + j]};
    }
    LeastSquares by_squares(std::size_t j) { return {kept_by_least[j], pulls[j], leads[j], slopes[j], products[j], about[j]}; }
    InverseSquares by_errors(std::size_t j) { return {kept_by_inverse[j], apart[priced + j], apart[priced + 2 + j], counts[13 + j]}; }
};

}  // namespace littlestone
