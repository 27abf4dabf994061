// AROW with a diagonal (Crammer, Kulesza, Dredze 2009): each weight has a variance that shrinks as its feature is seen.
// Where the loss ℓ = 1 - y·μ·x is positive: μ_i += α·y·σ_i·x_i with α = ℓ/(Σσ_i·x_i² + r), then 1/σ_i += x_i²/r.
#pragma once
#include "../core/ordered_sum.h"

namespace littlestone {

struct Arow {
    static constexpr bool scored = true;

    double r, rho;
    Column<double> mean, variance;  // μ, σ
    Column<double> bias;            // μ and σ of the bias feature
    Column<double> sums;            // Σα, Σ of how much |x·μ|²/r grew, updates, Σc²q over the mistakes, c the weight of a round

    double score(const Row& x) const { return dot(mean, x) + rho * bias[0]; }
    Prediction predict(const Row& x) const { return by_score(score(x)); }

    // Σ σ_i·x_i²
    double spread(const Row& x) const {
        return ordered_sum(x.size(), [&](std::size_t k) { return variance[x.indices[k]] * x.value(k) * x.value(k); });
    }
    bool update(const Row& x, bool label, Prediction predicted, double round_weight) {
        const double sign = label ? 1.0 : -1.0, loss = 1.0 - sign * predicted.score;
        if (!(loss > 0.0 && round_weight > 0.0)) return false;
        const double q = spread(x) + bias[1] * rho * rho + r / round_weight;
        const double alpha = loss / q, step = sign * alpha, rate = round_weight / r;
        if ((predicted.score >= 0.0) != label) sums[3] += round_weight * round_weight * q;
        double growth = 0.0;
        const auto move = [&](double& mu, double& sigma, double value) {
            const double pull = sigma * value;
            mu += step * pull;
            sigma /= 1.0 + pull * value * rate;
            growth += (value * mu) * (value * mu);
        };
        for (std::size_t k = 0; k < x.size(); ++k) move(mean[x.indices[k]], variance[x.indices[k]], x.value(k));
        if (rho > 0.0) move(bias[0], bias[1], rho);
        sums[0] += alpha;
        sums[1] += growth * rate;
        sums[2] += 1.0;
        return true;
    }
};

}  // namespace littlestone
