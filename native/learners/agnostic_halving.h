// Halving that drops no concept: each has a vote worth β for each of its mistakes, and the heavier side predicts.
#pragma once
#include <algorithm>
#include <cmath>
#include "../core/concepts.h"

namespace littlestone {

struct AgnosticHalving {
    static constexpr bool scored = false;
    enum { least, most };  // the places in the tally: the fewest and the most mistakes of a concept

    Concepts concepts;
    Column<const double> powers;  // 1, β, β², … and 0 for what no longer counts
    std::int64_t exact;           // up to this spread of counts doubles add exactly
    Column<std::int64_t> counts;  // each concept's mistakes so far
    Column<std::int64_t> tally;

    Prediction predict(const Row& x) const {
        const Answers said = concepts.answers(x);
        const auto last = static_cast<std::int64_t>(powers.size()) - 1;
        double total = 0.0, favour = 0.0;
        for (std::size_t c = 0; c < counts.size(); ++c) {
            const double weight = powers[static_cast<std::size_t>(std::min(counts[c] - tally[least], last))];
            total += weight;
            if (says_one(said, c)) favour += weight;
        }
        const double doubt = static_cast<double>(counts.size() + 16) * 0x1p-50 * total;  // powers are good to 2^-53, and so is every sum
        if (tally[most] - tally[least] > exact && std::abs(2.0 * favour - total) <= doubt) return {Answer::undecided};
        return {answer(2.0 * favour >= total)};
    }
    bool update(const Row& x, bool label, Prediction, double) {
        const Answers said = concepts.answers(x);
        for (std::size_t c = 0; c < counts.size(); ++c) counts[c] += says_one(said, c) != label;
        const auto [fewest, highest] = std::minmax_element(counts.begin(), counts.end());
        tally[least] = *fewest;
        tally[most] = *highest;
        return true;
    }
    static bool says_one(const Answers& said, std::size_t c) { return (said[c / 64] >> (c % 64)) & 1; }
};

}  // namespace littlestone
