// AdaHedge for experts who are not always there, each judged on its own rounds: a sleeper is charged what the rule loses, so what counts of
// an expert is how far it is behind the rule over the rounds it was awake. Weights are e^(-η·behind), η = ln n/Δ; a round's gap is what it
// adds to the logarithm of all weight, over η.
#pragma once
#include "advice.h"

namespace littlestone {

struct SleepingAdaHedge {
    Strictness strict;
    double ln_n;
    std::int64_t seed;
    Column<double> losses;  // each expert's own
    Column<double> behind;  // these less the rule's on the same rounds
    Column<double> spared;  // the rule's on the rounds it slept through
    Column<double> counts;  // rounds learnt, has anyone slept, Δ, the rule's loss
    Scratch w{losses.size()};

    struct Said : Mixture {
        double best, whole;  // how far the first is behind, and the weight of all, asleep or not
    };

    double eta() const { return counts[2] > 0.0 ? ln_n / counts[2] : infinity; }

    Said predict(AdviceRow row) {
        const double best = least(behind);
        measure(w, behind, eta(), best);
        const double whole = total_of(w);
        return {mixed(strict, w, weigh(w, row), row, behind, eta(), w), best, whole};
    }

    std::int32_t choose(AdviceRow row, const Said& said) { return pick(w, row, said.weighed.total, coin(seed, counts)); }

    void update(const Round<float>& round, const Said& said) {
        const double f = std::abs(said.mix - round.truth), rate = eta();
        count_round(counts, said.anyone_asleep());
        counts[3] += f;
        if (said.anyone_asleep())
            for (std::size_t i = 0; i < spared.size(); ++i) spared[i] += is_awake(round.row[i]) ? 0.0 : f;
        if (!(said.weighed.total > 0.0)) return;
        learn(round, said.weighed.total);
        const double after = least(behind);
        double gap = said.best - after;
        if (rate < infinity) {
            measure(w, behind, rate, after);
            gap += (log_of(total_of(w)) - log_of(said.whole)) / rate;
        }
        counts[2] += std::max(0.0, gap);
    }

private:
    // How far each of those awake is behind the rule. Losses count from the least of them: small differences keep their digits.
    void learn(const Round<float>& round, double total) {
        double low = infinity, mean = 0.0;
        for (const float a : round.row)
            if (is_awake(a)) low = std::min(low, loss_of(a, round.truth));
        for (std::size_t i = 0; i < losses.size(); ++i)
            if (is_awake(round.row[i])) mean += w[i] * (loss_of(round.row[i], round.truth) - low);
        mean /= total;
        for (std::size_t i = 0; i < losses.size(); ++i) {
            if (!is_awake(round.row[i])) continue;
            const double loss = loss_of(round.row[i], round.truth);
            losses[i] += loss;
            behind[i] += (loss - low) - mean;
        }
    }
};

}  // namespace littlestone
