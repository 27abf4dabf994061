// What a panel counts: the mistakes of each voter, the shares of wrong weight, and the mistakes of the vote.
#pragma once
#include <algorithm>
#include <cmath>
#include "../core/row.h"

namespace littlestone {

struct Accounts {
    Column<std::int64_t> mistakes;  // of each voter
    Column<double> loss;            // Σ of the shares of wrong weight, each times what the rule heeds of the round's weight
    Column<double> vote_mistakes;   // of the vote: how many, what their rounds weigh together, and the largest of these weights

    template <class Vote>
    void count(bool label, double share, double heeded, double weight, Vote vote) const {
        loss[0] += std::abs(share - (label ? 1.0 : 0.0)) * heeded;
        for (std::size_t k = 0; k < mistakes.size(); ++k) mistakes.data[k] += vote(k) != label;
        if ((share >= 0.5) == label) return;
        vote_mistakes[0] += 1.0;
        vote_mistakes[1] += weight;
        vote_mistakes[2] = std::max(vote_mistakes[2], weight);
    }
};

}  // namespace littlestone
