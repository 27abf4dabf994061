// Naive Bayes: how often each feature came with a 1 and with a 0, a negative value being another feature than a positive one.
// The score is the logarithm of the odds of a 1, ln((n1+1)/(n0+1)) + Σ |x_i|·(ln((c1_i+α)/(c0_i+α)) + ln((t0+α(V+1))/(t1+α(V+1)))), the sum
// over the features met before; then count.
#pragma once
#include "../core/features.h"
#include "../core/log_loss.h"

namespace littlestone {

struct NaiveBayes {
    static constexpr bool scored = true;

    double alpha;
    Column<double> ones, zeros, less_ones, less_zeros;  // Σ|x_i| with a 1 and with a 0, where x_i > 0; the same where x_i < 0
    Column<double> totals;                              // t1, t0, n1, n0, V
    Column<double> losses;                              // see `count_loss`

    double score(const Row& x) const {
        double product = (totals[2] + 1.0) / (totals[3] + 1.0);  // ratios of features of value 1 are multiplied: one logarithm for all
        double s = 0.0, length = 0.0;
        for_each_feature(x, [&](auto place, auto value) {
            auto one = read(ones, place), zero = read(zeros, place);
            const auto less = value < 0.0;
            if (any(less)) {
                one = chosen(less, read(less_ones, place), one);
                zero = chosen(less, read(less_zeros, place), zero);
            }
            const auto known = one + zero > 0.0;
            const auto size = chosen(known, magnitude(value), 0.0);
            auto ratio = chosen(known, (one + alpha) / (zero + alpha), 1.0);
            length = add_in_order(length, size);
            const auto other = known & (size != 1.0);
            auto part = ratio;
            const bool mixed = any(other);
            if (mixed) {
                part = chosen(other, size * log(ratio), -0.0);
                ratio = chosen(other, 1.0, ratio);
                if (!any(ratio != 1.0)) {  // no value is 1, so the product stays as it is
                    s = add_in_order(s, part);
                    return;
                }
            }
            for (int k = 0; k < lanes(ratio); ++k) {
                if (mixed) s += lane(part, k);
                product *= lane(ratio, k);
                // No ratio of counts is as far from 1 as 2^±330, so a product between these can take one more.
                if (!(0x1p-300 < product && product < 0x1p300)) {
                    s += log(product);
                    product = 1.0;
                }
            }
        });
        s += log(product);
        if (length > 0.0) {
            const double more = alpha * (totals[4] + 1.0);
            s += length * log((totals[1] + more) / (totals[0] + more));
        }
        return s;
    }
    Prediction predict(const Row& x) const { return by_score(score(x)); }

    bool update(const Row& x, bool label, Prediction predicted, double round_weight) {
        if (round_weight == 0.0) return true;
        count_loss(losses, chances(predicted.score, label).right, round_weight);
        double added = 0.0, unmet = 0.0;
        for (std::size_t k = 0; k < x.size(); ++k) {
            const std::uint32_t i = x.indices[k];
            const double share = round_weight * x.value(k), count = std::abs(share);
            if (count > 0.0) {
                double& one = share > 0.0 ? ones[i] : less_ones[i];
                double& zero = share > 0.0 ? zeros[i] : less_zeros[i];
                if (one + zero == 0.0) unmet += 1.0;
                (label ? one : zero) += count;
            }
            added += count;
        }
        totals[label ? 0 : 1] += added;
        totals[label ? 2 : 3] += round_weight;
        totals[4] += unmet;
        return true;
    }
};

}  // namespace littlestone
