// The weighted majority (Littlestone, Warmuth 1994): every expert has a vote, worth β^(mistakes) of it; predict what most of the weight says.
// Votes so close to a tie that doubles may be wrong are left to exact arithmetic. β = 0 is halving.
#pragma once
#include "advice.h"

namespace littlestone {

struct WeightedMajority {
    Strictness strict;
    double beta, eta, period;
    bool always;                      // does every wrong vote cost, or only one in a round that the rule got wrong?
    Column<double> costs, w, counts;  // counts: rounds learnt, has anyone slept, updates
    Scratch spare{costs.size()};
    Weighed ahead{};

    void look(AdviceRow row) { ahead = weigh(w, row); }

    Mixture predict(AdviceRow row) {
        if (strict == votes && doubtful(ahead)) return {.refused = true};
        return mixed(strict, w, ahead, row, costs, eta, spare);
    }

    std::int32_t choose(AdviceRow, const Mixture&) const { return -1; }

    void update(const Round<float>& round, const Mixture& said) { learn(round, said.mix >= 0.5, said.anyone_asleep()); }

    void learn(const Round<float>& round, bool predicted, bool anyone_asleep) {
        count_round(counts, anyone_asleep);
        if (!always && predicted == (round.truth == 1.0)) return look(round.following);
        ahead = punish(strict, w, costs, round.row, round.following, round.truth, eta, beta);
        counts[2] += 1.0;
        if (beta > 0.0 && is_due(counts[2], period)) {
            refresh(w, costs, eta, least(costs));
            look(round.following);
        }
    }

    // Could the true weights fall the other way? They are good to 2^-43, and eight running sums of n/8 terms, none of them negative, to
    // 2^-29 of their own where n is ten million.
    bool doubtful(const Weighed& weighed) const {
        return std::abs(2.0 * weighed.favour - weighed.total) <= (0x1p-40 + static_cast<double>(w.size()) * 0x1p-52) * weighed.total;
    }
};

}  // namespace littlestone
