// The forecasts of a panel (reference/forecast.py): the logarithm of the odds of a 1, made of the members' scores.
#pragma once
#include <array>
#include "blend.h"

namespace littlestone {

inline constexpr double knee = 8.0;  // a stack hears a logarithm of odds s as s/√(1 + |s|/8)
inline constexpr double hold = 10.0;  // of the share of the weights that goes back to π after round t
inline constexpr double tie = 0x1p-40;  // a logarithm of odds nearer to 0 is 0
inline constexpr double lowest_bin = -5.0;
inline constexpr double least_bin_weight = 0x1p-600;
inline constexpr double small_product = 0x1p-100, product_scale = 0x1p100, product_bits = 100.0;
inline constexpr std::int64_t seldom = 4;

// e^x as `exp` has it, for |x| < 700 and without a branch, so that a loop over it runs in vectors; what is no number stays none.
inline double near_exp(double x) {
    const double k = std::floor(x * 1.4426950408889634 + 0.5);
    // 2^k by its bits: adding 2^52 leaves k + 1023 in the last of them
    const auto power = std::bit_cast<double>(std::bit_cast<std::uint64_t>(k + (0x1p52 + 1023.0)) << 52);
    return exp_near_zero((x - k * ln2_high) - k * ln2_low) * power;
}

// The scores of the members that are asked, less their mean and divided by their spread so far, and squashed mildly.
struct Spreads {
    Column<double> totals;   // Σ of each one's scores
    Column<double> squares;  // Σ of their squares
    std::vector<double> last = std::vector<double>(totals.size());

    void squash(double rounds, double* x) const {
        const double each = 1.0 / (rounds + 2.0), each_square = 1.0 / (rounds + 1.0);
        for (std::size_t k = 0; k < totals.size(); ++k) {
            const double v = last[k], mean = (totals.data[k] + v) * each;
            const double spread = (squares.data[k] + v * v) * each_square - mean * mean;
            const double ratio = spread > 0.0 ? (v - mean) / std::sqrt(spread) : 0.0;
            x[k] = ratio / std::sqrt(1.0 + std::abs(ratio));
        }
    }
    void learn() const {
        for (std::size_t k = 0; k < totals.size(); ++k) {
            totals.data[k] += last[k];
            squares.data[k] += last[k] * last[k];
        }
    }
};

// Slopes and offsets, which make logarithms of odds of squashed scores: Newton's steps for the logistic loss. H = I + Σ h·(z, 1)(z, 1)'.
struct Calibrations {
    Column<double> state;  // slopes, offsets, and of the Hessians zz, z1 and 1
    std::size_t size = state.size() / 5;

    double* part(std::size_t p) const { return state.data + p * size; }

    void odds(const double* z, double* s) const {
        const double *slope = part(0), *offset = part(1);
        for (std::size_t k = 0; k < size; ++k) s[k] = clipped(slope[k] * z[k] + offset[k], far_odds);
    }
    // `likely` is the probability of the label that each expects, `other` of the other one.
    void learn(const double* z, const double* s, const double* likely, const double* other, bool label) const {
        double *slope = part(0), *offset = part(1), *zz = part(2), *z1 = part(3), *one = part(4);
        for (std::size_t k = 0; k < size; ++k) {
            const double up = s[k] >= 0.0 ? likely[k] : other[k], down = s[k] >= 0.0 ? other[k] : likely[k];
            const double h = std::max(likely[k] * other[k], least_curvature), g = label ? down : -up, hz = h * z[k];
            zz[k] += hz * z[k];
            z1[k] += hz;
            one[k] += h;
            const double step = g / (zz[k] * one[k] - z1[k] * z1[k]);
            slope[k] += step * (one[k] * z[k] - z1[k]);
            offset[k] += step * (zz[k] - z1[k] * z[k]);
        }
    }
};

// What a stack says, put right in each bin of it by a mixture: its logarithm of odds shifted by one of some numbers, and the share of 1s.
struct Bins {
    Column<const double> against;  // what each shift does to the odds of a 0
    Matrix<double> weights;        // bins × shifts + 1
    Matrix<double> counts;         // of the labels in each bin, and of the 1s among them
    std::vector<double> ones = std::vector<double>(against.size() + 1), zeros = ones;
    std::size_t bin = 0;
    double one = 0.5, zero = 0.5;

    double odds(double s) {
        const double above = s - lowest_bin;
        // no number, which a state that was tampered with may lead to, is in the first bin
        bin = above > 0.0 ? static_cast<std::size_t>(std::min(above, static_cast<double>(weights.size() - 1))) : 0;
        const std::size_t shifts = against.size();
        const double labels = counts[bin][0], positive = counts[bin][1], far = near_exp(-clipped(s, far_odds));
        for (std::size_t k = 0; k < shifts; ++k) {
            ones[k] = 1.0 / (1.0 + far * against[k]);
            zeros[k] = far * against[k] * ones[k];
        }
        ones[shifts] = (positive + 0.5) / (labels + 1.0);
        zeros[shifts] = (labels - positive + 0.5) / (labels + 1.0);
        one = zero = 0.0;
        for (std::size_t k = 0; k <= shifts; ++k) {
            one += weights[bin][k] * ones[k];
            zero += weights[bin][k] * zeros[k];
        }
        return log(one / zero);
    }
    void learn(bool label) const {
        const double kept = 1.0 / (label ? one : zero);
        const std::vector<double>& rights = label ? ones : zeros;
        for (std::size_t k = 0; k < rights.size(); ++k) weights[bin][k] = std::max(weights[bin][k] * rights[k] * kept, least_bin_weight);
        counts[bin][0] += 1.0;
        counts[bin][1] += label ? 1.0 : 0.0;
    }
};

// A mixture of probabilities; weights are multiplied by what each gave the label, and a share goes back to the prior.
struct ForecastMixture {
    Column<const double> prior;
    double slow;
    Column<double> weights;
    Column<double> products;  // Π of the probabilities of the labels as product·2^-halvings: of each, and of the mixture
    Column<double> halvings;
    Column<std::int64_t> counts;  // rounds, mistakes
    std::vector<double> ones = std::vector<double>(prior.size()), zeros = ones;
    double one = 0.5, zero = 0.5, said = 0.0;

    double odds() {
        double sum1 = 0.0, sum0 = 0.0;
        for (std::size_t i = 0; i < ones.size(); ++i) {
            sum1 += weights.data[i] * ones[i];
            sum0 += weights.data[i] * zeros[i];
        }
        one = sum1;
        zero = sum0;
        said = log(one / zero);
        if (std::abs(said) < tie) said = 0.0;
        return said;
    }
    void learn(bool label) {
        const double* rights = label ? ones.data() : zeros.data();
        const double right = label ? one : zero;
        const std::size_t n = prior.size();
        counts[0] += 1;
        counts[1] += (said >= 0.0) != label;
        const double share = 1.0 / (slow * (static_cast<double>(counts[0]) + hold)), kept = (1.0 - share) / right;
        for (std::size_t i = 0; i < n; ++i) {
            weights.data[i] = kept * weights.data[i] * rights[i] + share * prior.data[i];
            products.data[i] *= rights[i];
        }
        products[n] *= right;
        for (std::size_t i = 0; i <= n; ++i) {
            if (products.data[i] < small_product) {
                products.data[i] *= product_scale;
                halvings.data[i] += product_bits;
            }
        }
    }
};

// All of it. Members that give logarithms of odds are taken at their word; the others are asked for scores, which are calibrated.
struct Forecaster {
    Column<const std::uint64_t> givers, asked;
    bool calibrates;  // with spreads, givers and bins; of before there were any, every member is asked, and its score is squashed by its size
    std::int64_t often;  // after so many labels what has all of the past for its memory learns from every fourth alone
    std::size_t binned;  // which of the stacks the bins put right
    Spreads spreads;
    Calibrations calibrations;
    std::vector<Mind> stacks;
    Bins bins;
    ForecastMixture mixture;
    std::vector<double> x = std::vector<double>(asked.size());         // of those asked, the scores made alike
    std::vector<double> s = std::vector<double>(members()), likely = s, other = s;  // of those asked and then of the givers, the odds and the chances
    std::vector<double> stacked = std::vector<double>(members() + 1);  // what the stacks hear, and a 1
    std::vector<double> estimates = std::vector<double>(stacks.size() + calibrates);

    std::size_t members() const { return givers.size() + asked.size(); }
    std::uint64_t member(std::size_t k) const { return k < asked.size() ? asked[k] : givers[k - asked.size()]; }

    // `mild` are the members' scores squashed by their sizes; `blended` the odds that blends give.
    double odds(const double* scores, const double* mild, const double* blended, std::size_t blends) {
        hear(scores, mild);
        for (std::size_t b = 0; b < stacks.size(); ++b) estimates[b] = stacks[b].estimate(stacked.data());
        if (calibrates) estimates[stacks.size()] = bins.odds(estimates[binned]);
        std::size_t i = members();
        for (std::size_t b = 0; b < blends; ++b) mix(i++, blended[b]);
        for (const double estimate : estimates) mix(i++, estimate);
        return mixture.odds();
    }
    // The label of the row asked about last.
    void learn(bool label) {
        const std::int64_t number = mixture.counts[0] + 1;
        const bool learns = number <= often || number % seldom == 0;
        if (calibrates) {
            spreads.learn();
            bins.learn(label);
        }
        if (learns) calibrations.learn(x.data(), s.data(), likely.data(), other.data(), label);
        for (std::size_t b = 0; b < stacks.size(); ++b)
            if (learns || stacks[b].newton.memory != 1.0) stacks[b].learn(stacked.data(), estimates[b], label, 1.0);
        mixture.learn(label);
    }

private:
    void hear(const double* scores, const double* mild) {
        const std::size_t first = asked.size(), all = members();
        if (calibrates) {
            for (std::size_t k = 0; k < first; ++k) spreads.last[k] = known_score(scores[asked[k]], largest_score);
            spreads.squash(static_cast<double>(mixture.counts[0]), x.data());
        } else {
            std::copy(mild, mild + first, x.begin());
        }
        calibrations.odds(x.data(), s.data());
        for (std::size_t k = 0; k < first; ++k) stacked[asked[k]] = s[k];
        for (std::size_t k = first; k < all; ++k) {
            const std::uint64_t m = givers[k - first];
            s[k] = known_score(scores[m], far_odds);
            stacked[m] = s[k] / std::sqrt(1.0 + std::abs(s[k]) * (1.0 / knee));
        }
        stacked[all] = 1.0;
        for (std::size_t k = 0; k < all; ++k) {
            const double e = near_exp(-std::abs(s[k]));
            likely[k] = 1.0 / (1.0 + e);
            other[k] = e * likely[k];
        }
        for (std::size_t k = 0; k < all; ++k) {
            mixture.ones[member(k)] = s[k] >= 0.0 ? likely[k] : other[k];
            mixture.zeros[member(k)] = s[k] >= 0.0 ? other[k] : likely[k];
        }
    }
    void mix(std::size_t i, double odds_of_one) {
        const double e = near_exp(-std::min(std::abs(odds_of_one), far_odds)), chance = 1.0 / (1.0 + e);
        mixture.ones[i] = odds_of_one >= 0.0 ? chance : e * chance;
        mixture.zeros[i] = odds_of_one >= 0.0 ? e * chance : chance;
    }
};

}  // namespace littlestone
