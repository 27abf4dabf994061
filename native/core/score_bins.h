// Scores in so many bins: enough to rank the rounds of a stream of any length, in memory that does not grow.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstring>
#include "row.h"

namespace littlestone {

inline constexpr int score_bits = 20;  // the leading bits of a double: sign, exponent and eight of the fraction

// A bin for every score, in the order of the scores.
inline std::size_t bin_of(double score) {
    const double number = score != 0.0 ? score : 0.0;  // -0.0 is no less than 0.0
    std::uint64_t bits;
    std::memcpy(&bits, &number, sizeof bits);
    const std::uint64_t sign = std::uint64_t{1} << 63;
    const std::uint64_t key = bits & sign ? ~bits : bits | sign;  // unsigned numbers in the order of the doubles
    return static_cast<std::size_t>(key >> (64 - score_bits));
}

// Labelled rounds, counted by label and bin. `held` says which bins hold no score (0), one (1, and it is `first`), or different ones (2).
// Where scores are log-odds, p is the probability of a 1: `losses` are the sums of -ln of the probability of each label and of (p - y)²;
// `reliability` has for each of its bins of p the number of rounds, Σp, the rounds with label 1, and Σp(1 - p).
struct ScoreBins {
    Matrix<std::int64_t> counts;
    Column<double> first;
    Column<std::uint8_t> held;
    Column<double> losses;
    Matrix<double> reliability;

    void add(double s, bool label) const {
        const std::size_t k = bin_of(s);
        ++counts[label][k];
        if (held[k] == 0) {
            first[k] = s;
            held[k] = 1;
        } else if (first[k] != s) {
            held[k] = 2;
        }
    }
    void add_odds(double s, bool label) const {
        const double e = std::exp(-std::abs(s)), likely = 1.0 / (1.0 + e);
        const double p = s >= 0.0 ? likely : e * likely, q = s >= 0.0 ? e * likely : likely, wrong = label ? q : p;
        losses[0] += std::max(label ? -s : s, 0.0) + std::log1p(e);
        losses[1] += wrong * wrong;
        std::size_t place = reliability.size() - 1;  // for a score that is not a number, too
        if (p < 1.0) place = std::min(static_cast<std::size_t>(p * static_cast<double>(reliability.size())), place);
        const Column<double> row = reliability[place];
        row[0] += 1.0;
        row[1] += p;
        row[2] += label;
        row[3] += p * q;
    }
};

inline void tally(Column<const double> scores, Column<const std::int32_t> labels, const ScoreBins& bins, bool odds) {
    for (std::size_t t = 0; t < labels.size(); ++t) {
        if (labels[t] < 0) continue;
        bins.add(scores[t], labels[t] == 1);
        if (odds) bins.add_odds(scores[t], labels[t] == 1);
    }
}

}  // namespace littlestone
