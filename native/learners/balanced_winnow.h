// Balanced Winnow (EG± with threshold 0): each feature has the weights exp(ηc_i) and exp(-ηc_i), and 1 is predicted when
// Σ x_i·sinh(ηc_i) ≥ 0. On a mistake add y·x to c; with a margin ν also where y·score ≤ ν·(1 + Σ(cosh(ηc_i) - 1)) over the row's features.
// The weights s_i = sinh(ηc_i)·exp(-h) are kept beside c. h is 0 until some |ηc_i| nears what a double can hold.
#pragma once
#include "../core/hyperbolic.h"
#include "../core/ordered_sum.h"

namespace littlestone {

struct BalancedWinnow {
    static constexpr bool scored = false;
    static constexpr double far = 600.0, step = 512.0;  // exp(709) is the largest double; rescale well before
    enum { h, updates };                                // the places in z

    struct Predicted : Prediction {};  // its score is needed to update

    double eta, margin;
    Column<double> c, s, z;

    Predicted predict(const Row& x) const {
        const double score = dot(s, x);
        return {{answer(score >= 0.0), score}};
    }
    bool update(const Row& x, bool label, const Predicted& predicted, double) {
        const double sign = label ? 1.0 : -1.0;
        if (predicted.answer == answer(label) && !(margin > 0.0 && narrow(x, sign * predicted.score))) return false;
        z[updates] += 1.0;
        learn(x, sign);
        return true;
    }

    // Adds y·x to c, eight features at a time as long as no weight has to be rescaled.
    void learn(const Row& x, double sign) {
        for (std::size_t k = 0; k < x.size();) {
            const std::size_t count = std::min<std::size_t>(8, x.size() - k);
            Eight counts{}, angles{};
            bool plain = z[h] == 0.0;
            for (std::size_t j = 0; j < count; ++j) {
                counts[j] = c[x.indices[k + j]] + sign * x.value(k + j);
                angles[j] = eta * counts[j];
                plain &= !(std::abs(angles[j]) > far);
            }
            if (plain) {
                const Eight weights = sinh(angles);
                for (std::size_t j = 0; j < count; ++j, ++k) {
                    c[x.indices[k]] = counts[j];
                    s[x.indices[k]] = weights[j];
                }
                continue;
            }
            const std::uint32_t i = x.indices[k];
            c[i] = counts[0];
            if (std::abs(angles[0]) - z[h] > far) rescale(std::abs(angles[0]));
            s[i] = scaled_sinh(angles[0]);
            ++k;
        }
    }
    bool narrow(const Row& x, double signed_score) const {
        const double one = exp(-z[h]);
        double total = one;
        for (std::size_t k = 0; k < x.size(); k += 8) {
            const std::size_t count = std::min<std::size_t>(8, x.size() - k);
            Eight terms{};
            for (std::size_t j = 0; j < count; ++j) terms[j] = eta * c[x.indices[k + j]];
            if (z[h] == 0.0) {
                terms = cosh(terms);
            } else {
                for (double& a : terms) a = 0.5 * (exp(a - z[h]) + exp(-a - z[h]));
            }
            for (std::size_t j = 0; j < count; ++j) total += terms[j] - one;
        }
        return signed_score <= margin * total;
    }
    double scaled_sinh(double a) const {
        return z[h] == 0.0 ? sinh(a) : 0.5 * (exp(a - z[h]) - exp(-a - z[h]));
    }
    // Divides every weight by a power of exp(step) so that the largest fits; no sign and no comparison with the margin changes.
    void rescale(double largest) {
        z[h] += step * std::ceil((largest - z[h] - far) / step);
        if (!(std::abs(largest - z[h]) <= far)) z[h] = largest;  // so large that a step is lost in rounding
        for (std::size_t i = 0; i < c.size(); ++i) s[i] = scaled_sinh(eta * c[i]);
    }
};

}  // namespace littlestone
