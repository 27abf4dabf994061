// Fixed share (Herbster, Warmuth 1998): weights that never fall so low that they cannot come back, for a best expert that changes.
// After each update every weight gives away the share α, divided equally.
#pragma once
#include "advice.h"

namespace littlestone {

struct FixedShare {
    Strictness strict;
    double eta, beta, alpha;
    bool always;  // updates on every round, or only on mistakes
    std::int64_t seed;
    Column<double> costs, w, counts;  // w adds up to 1
    Weighed ahead{};

    void look(AdviceRow row) { ahead = weigh(w, row); }

    Mixture predict(AdviceRow) const {
        if (ahead.holds & strict) return {.refused = true};
        return {ahead.share(), ahead, w};
    }

    std::int32_t choose(AdviceRow row, const Mixture& said) const { return pick(w, row, said.weighed.total, coin(seed, counts)); }

    void update(const Round<float>& round, const Mixture& said) {
        const double y = round.truth, gift = alpha / static_cast<double>(w.size());
        count_round(counts, said.anyone_asleep());
        if (!always && (said.mix >= 0.5) == (y == 1.0)) return look(round.following);
        if (tells_what_is_left(beta, strict) && !said.anyone_asleep()) {
            const double keep = (1.0 - alpha) / left_of(said.weighed, y, beta);
            ahead = punish_and_share(w, costs, round.row, round.following, y, beta, keep, gift);
            return;
        }
        const double left = punish(strict, w, costs, round.row, round.row, y, eta, beta).total;
        const double keep = (1.0 - alpha) / (said.anyone_asleep() ? total_of(w) : left);
        for (double& weight : w) weight = keep * weight + gift;
        look(round.following);
    }
};

}  // namespace littlestone
