// Tracking: for a best expert that changes, at nobody knows which rate: fixed share at six rates, and AdaHedge, under one AdaHedge.
// Each of the seven has weights on the same experts; the AdaHedge above weighs the seven by what they lost, and follows their mean.
#pragma once
#include "adahedge.h"

namespace littlestone {

struct Tracking {
    Strictness strict;
    double ln_n;
    std::int64_t seed;
    Column<double> losses;
    Column<double> w;       // the weights of the rules that share, one after the other, each adding up to 1
    Column<double> rules;   // what the seven lost
    Column<double> counts;  // rounds learnt, has anyone slept, Δ of the AdaHedge above, the gaps of the seven

    static constexpr std::size_t seven = 7;
    static constexpr double alphas[] = {1.0 / 100, 1.0 / 100, 1.0 / 1000, 1.0 / 1000, 1.0 / 100'000, 1.0 / 100'000};
    static constexpr double etas[] = {1.0 / 5, 1.0};  // in turn
    static constexpr double start = 1.0 / 8;
    // e^-η for each η, and the logarithm of seven: the nearest doubles, which not every system's exp and log find.
    static constexpr double betas[] = {0.8187307530779818, 0.36787944117144233};
    static constexpr double ln_rules = 1.9459101490553132;

    // Of a round: the weights of the AdaHedge among the seven, and of all together; what each rule says, and weighs; the trust in each.
    Scratch first{losses.size()}, together{losses.size()}, shares{seven}, totals{seven}, trust{seven};

    double eta() const { return counts[3] > 0.0 ? ln_n / counts[3] : infinity; }
    double rate() const { return ln_rules / (start + counts[2]); }
    Weights weights_of(std::size_t k) const { return {w.data + (k - 1) * losses.size(), losses.size()}; }

    Mixture predict(AdviceRow row) {
        measure(first, losses, eta(), least(losses));
        const Weighed leaders = weigh(first, row);
        if (leaders.holds & strict) return {.refused = true};
        refresh(trust, rules, rate(), least(rules));
        const double whole = total_of(trust);
        for (std::size_t k = 0; k < seven; ++k) trust[k] /= whole;
        if (leaders.anyone_asleep()) {
            combine();
            const Weighed weighed = weigh(together, row);
            return {weighed.share(), weighed, together};
        }
        double mean = 0.0;
        for (std::size_t k = 0; k < seven; ++k) {
            const Weighed weighed = k == 0 ? leaders : weigh(weights_of(k), row);
            totals[k] = weighed.total;
            shares[k] = weighed.favour / weighed.total;
            mean += trust[k] * shares[k];
        }
        return {std::min(1.0, mean), leaders, first};
    }

    std::int32_t choose(AdviceRow row, const Mixture& said) {
        if (!said.anyone_asleep()) combine();
        return pick(together, row, weigh(together, row).total, coin(seed, counts));
    }

    void update(const Round<float>& round, const Mixture& said) {
        const double y = round.truth;
        const bool anyone_asleep = said.anyone_asleep();
        count_round(counts, anyone_asleep);
        if (!anyone_asleep) {
            const double f = std::abs(shares[0] - y);
            const bool by_share = strict == votes && !(f > nearly_all);
            const double best = by_share ? mix_loss_of_votes(eta(), f) : mix_loss(eta(), losses, round.row, y, 1.0);
            const double mean = mix_loss(rate(), rules, Column<const double>{&shares[0], seven}, y, 1.0);
            counts[3] += std::max(0.0, f - best);
            counts[2] += std::max(0.0, std::abs(said.mix - y) - mean);
            for (std::size_t k = 0; k < seven; ++k) rules[k] += std::abs(shares[k] - y);
        }
        for (std::size_t k = 1; k < seven; ++k) share(k, round, anyone_asleep);
        count_losses(losses, round.row, y);
    }

private:
    // Lets one of the six learn from a round, and share.
    void share(std::size_t k, const Round<float>& round, bool anyone_asleep) {
        const double rate = etas[(k - 1) % 2], beta = betas[(k - 1) % 2], alpha = alphas[k - 1];
        const double f = std::abs(shares[k] - round.truth);
        const Weights v = weights_of(k);
        punish(strict, v, together, round.row, round.row, round.truth, rate, beta);  // the losses are counted elsewhere
        const double after = anyone_asleep || strict != votes ? total_of(v) : totals[k] * (1.0 - (1.0 - beta) * f);
        if (!anyone_asleep) {
            const double fallen = strict == votes ? (1.0 - beta) * f : 1.0 - after / totals[k];
            counts[3 + k] += std::max(0.0, f + log_less(fallen) / rate);
        }
        const double keep = (1.0 - alpha) / after, gift = alpha / static_cast<double>(v.size());
        for (double& weight : v) weight = keep * weight + gift;
    }

    // The weights on the experts that come of trusting the rules so.
    void combine() {
        const double part = trust[0] / total_of(first);
        for (std::size_t i = 0; i < losses.size(); ++i) together[i] = part * first[i];
        for (std::size_t k = 1; k < seven; ++k)
            for (std::size_t i = 0; i < losses.size(); ++i) together[i] += trust[k] * weights_of(k)[i];
    }
};

}  // namespace littlestone
