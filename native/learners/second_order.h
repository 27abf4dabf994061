// The second-order Perceptron (Cesa-Bianchi, Conconi, Gentile 2005): it counts a direction the less the more often mistakes lay in it.
// A = a·I + Σ xxᵀ and v = Σ y·x over the mistakes; predict the sign of v·(A + xxᵀ)⁻¹x. The features that came first have places in P = A⁻¹;
// of each of the others A has the diagonal only.
#pragma once
#include <algorithm>
#include <cmath>
#include "../core/ordered_sum.h"
#include "../core/placed_matrix.h"

namespace littlestone {

struct SecondOrder {
    static constexpr bool scored = true;

    double a, rho;
    Column<double> weight;    // A⁻¹v of the features that have a place
    Column<double> v;         // Σ y·x
    Column<double> diagonal;  // Σ x² of the features without a place
    PlacedMatrix inverse;     // P
    Column<double> extra;     // weight and v of the bias, places taken
    Column<double> sums;      // Σ ln(1 + λ_i/a), λ_i the eigenvalues of Σ xxᵀ; the largest |x|² of a mistake
    std::vector<double> product = std::vector<double>(inverse.size());  // P·x of a round

    // v·(A + xxᵀ)⁻¹x; where no feature beyond the places has a say, (1 + xᵀA⁻¹x) times that, which has the same sign.
    double score(const Row& x) const {
        double s = among_places(x), beyond = 0.0;
        for (std::size_t k = 0; k < x.size(); ++k) {
            const std::uint32_t i = x.indices[k];
            if (inverse.place[i] != 0 || v[i] == 0.0) continue;
            const double value = x.value(k);
            beyond += v[i] * value / (a + diagonal[i] + value * value);
        }
        if (beyond != 0.0 && s != 0.0) s /= 1.0 + spread(x);
        return s + beyond;
    }
    Prediction predict(const Row& x) const { return by_score(score(x)); }

    double among_places(const Row& x) const { return dot(weight, x) + rho * extra[0]; }

    // xᵀA⁻¹x over the places.
    double spread(const Row& x) const {
        double total = 0.0;
        if (rho > 0.0) total += rho * inverse.along(x, inverse.row(0), inverse.row(0)[0] * rho);
        for (std::size_t j = 0; j < x.size(); ++j) {
            const std::size_t q = inverse.place_of(x.indices[j]);
            if (q > 0) total += inverse.along(x, inverse.row(q), inverse.row(q)[0] * rho) * x.value(j);
        }
        return std::max(total, 0.0);
    }

    bool update(const Row& x, bool label, Prediction predicted, double) {
        if (predicted.answer == answer(label)) return false;
        const double sign = label ? 1.0 : -1.0, s = among_places(x);
        sums[1] = std::max(sums[1], take_in(x));
        const auto taken = static_cast<std::size_t>(extra[2]);
        inverse.multiply(x, rho, taken, product.data());
        const double q = std::max(inverse.along(x, product.data(), product[0] * rho), 0.0);
        const double step = (sign - s) / (1.0 + q);
        extra[0] += step * product[0];
        extra[1] += sign * rho;
        for (std::size_t j = 1; j < taken; ++j) weight[static_cast<std::size_t>(inverse.owner[j])] += step * product[j];
        inverse.take_outer(product.data(), 1.0 + q, taken);
        sums[0] += std::log1p(q);
        for (std::size_t k = 0; k < x.size(); ++k) {
            const std::uint32_t i = x.indices[k];
            const double value = x.value(k);
            v[i] += sign * value;
            if (inverse.place[i] == 0 && value != 0.0) {
                sums[0] += std::log1p(value * value / (a + diagonal[i]));
                diagonal[i] += value * value;
            }
        }
        return true;
    }

    // Gives new features places while there are any; returns |x|².
    double take_in(const Row& x) {
        double square = rho * rho;
        for (std::size_t k = 0; k < x.size(); ++k) {
            const std::uint32_t i = x.indices[k];
            const double value = x.value(k);
            square += value * value;
            const auto free = static_cast<std::size_t>(extra[2]);
            if (value == 0.0 || inverse.place[i] != 0 || free >= inverse.size()) continue;
            inverse.give_place(i, free, 1.0 / a);
            extra[2] += 1.0;
        }
        return square;
    }
};

}  // namespace littlestone
