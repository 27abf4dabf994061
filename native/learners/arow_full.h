// AROW with a full covariance P among the features that came first; each of the others has a variance only.
// Where the loss ℓ = 1 - y·μ·x is positive: μ += α·y·Σx with α = ℓ/(v + r), v = x·Σx, then Σ⁻¹ grows by xxᵀ/r. A feature starts with the
// variance 1/x²; when a larger value comes, what was learned is weighed anew as if the variance had been 1/x² of that.
#pragma once
#include <algorithm>
#include <cmath>
#include "../core/ordered_sum.h"
#include "../core/placed_matrix.h"

namespace littlestone {

struct ArowFull {
    static constexpr bool scored = true;

    double r, rho;
    Column<double> mean, variance;  // μ, σ of the features without a place
    Column<double> scale;           // the largest |x_i| that counted for the variance, 0 before the first
    PlacedMatrix covariance;        // P
    Column<double> extra;           // weight of the bias, places taken
    Column<double> sums;            // Σℓ²/q and Σq over the updates and the mistakes, updates
    std::vector<double> product = std::vector<double>(covariance.size());  // P·x of a round

    std::size_t taken() const { return static_cast<std::size_t>(extra[1]); }
    double score(const Row& x) const { return dot(mean, x) + rho * extra[0]; }
    Prediction predict(const Row& x) const { return by_score(score(x)); }

    bool update(const Row& x, bool label, Prediction predicted, double round_weight) {
        const double sign = label ? 1.0 : -1.0, loss = 1.0 - sign * predicted.score;
        if (!(loss > 0.0) || !(round_weight > 0.0)) return false;
        double v = take_in(x);
        const std::size_t places = taken();
        covariance.multiply(x, rho, places, product.data());
        if (rho > 0.0) v += product[0] * rho;
        v = std::max(covariance.along(x, product.data(), v), 0.0);
        const double q = v + r / round_weight, step = sign * (loss / q);
        extra[0] += step * product[0];
        for (std::size_t j = 1; j < places; ++j) mean[owner(j)] += step * product[j];
        covariance.take_outer(product.data(), q, places);
        for (std::size_t k = 0; k < x.size(); ++k) {
            const std::uint32_t i = x.indices[k];
            const double value = x.value(k);
            if (covariance.place[i] != 0 || value == 0.0) continue;
            const double pull = variance[i] * value;
            mean[i] += step * pull;
            variance[i] /= 1.0 + pull * value * (round_weight / r);
        }
        const double worth = q * (round_weight / r);
        sums[0] += round_weight * loss * loss / worth;
        if ((predicted.score >= 0.0) != label) sums[1] += round_weight * worth;
        sums[2] += 1.0;
        return true;
    }

    std::size_t owner(std::size_t j) const { return static_cast<std::size_t>(covariance.owner[j]); }

    // Gives every new feature its place or its variance, and a larger unit where one came; returns Σ σ_i·x_i² of those without a place.
    double take_in(const Row& x) {
        double v = 0.0;
        for (std::size_t k = 0; k < x.size(); ++k) {
            const std::uint32_t i = x.indices[k];
            const double value = x.value(k), size = std::abs(value);
            if (value == 0.0) continue;
            if (scale[i] == 0.0) {
                scale[i] = size;
                if (taken() < covariance.size()) {
                    covariance.give_place(i, taken(), 1.0 / (value * value));
                    extra[1] += 1.0;
                } else {
                    variance[i] = 1.0 / (value * value);
                }
            } else if (size > scale[i]) {
                const double more = value * value - scale[i] * scale[i];
                scale[i] = size;
                if (covariance.place[i] > 0) {
                    widen(covariance.place_of(i), more);
                } else {
                    const double share = 1.0 / (1.0 + more * variance[i]);
                    mean[i] *= share;
                    variance[i] *= share;
                }
            }
            if (covariance.place[i] == 0) v += variance[i] * value * value;
        }
        return v;
    }

    // Adds a confidence of `more` to what place j has: its unit was larger than it seemed. The weights move as if it had been there.
    void widen(std::size_t j, double more) {
        const std::size_t places = taken();
        double* line = covariance.row(j);
        const double share = 1.0 / (1.0 + more * line[j]), part = (more * share) * mean[owner(j)];
        extra[0] -= line[0] * part;
        for (std::size_t k = 1; k < places; ++k) mean[owner(k)] -= line[k] * part;
        for (std::size_t i = 0; i < places; ++i) {
            if (i == j) continue;
            double* other = covariance.row(i);
            const double drop = (more * share) * line[i];
            for (std::size_t k = 0; k < places; ++k) other[k] -= drop * line[k];
        }
        for (std::size_t k = 0; k < places; ++k) {
            line[k] *= share;
            covariance.row(k)[j] = line[k];
        }
    }
};

}  // namespace littlestone
