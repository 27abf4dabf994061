// AdaHedge (de Rooij, van Erven, Grünwald, Koolen 2014): Hedge that sets its own rate, η = ln n/Δ, Δ the mixability gaps so far.
// Of a round's loss f to expect, the gap is f - m, where m = -(1/η)·ln Σ p_i·e^(-η·loss_i). While Δ is 0 the rate is infinite, and the
// leaders share the weight.
#pragma once
#include "advice.h"

namespace littlestone {

// The mix loss of a round whose losses are each c times as large; e^-η may be no number: how much the least of those awake grows, and at a
// finite rate the logarithms beside it.
template <class Number>
double mix_loss(double eta, Column<double> losses, Column<const Number> row, double y, double c) {
    double before = infinity, after = infinity;
    for (std::size_t i = 0; i < losses.size(); ++i) {
        if (!is_awake(row[i])) continue;
        before = std::min(before, losses[i]);
        after = std::min(after, losses[i] + c * loss_of(row[i], y));
    }
    double grown = after - before;
    if (eta < infinity) {
        double ahead = 0.0, behind = 0.0;
        for (std::size_t i = 0; i < losses.size(); ++i) {
            if (!is_awake(row[i])) continue;
            ahead += exp_of(-eta * (losses[i] - before));
            behind += exp_of(-eta * (losses[i] + c * loss_of(row[i], y) - after));
        }
        grown += (log_of(ahead) - log_of(behind)) / eta;
    }
    return grown;
}

struct AdaHedge {
    Strictness strict;
    double ln_n;
    std::int64_t seed;
    Column<double> losses, counts;  // counts: rounds learnt, has anyone slept, Δ, the base of the weights, rounds since it was set
    Scratch w{losses.size()};

    static constexpr double steepest = 30.0;  // above this rate e^-η is lost beside 1, and every round is weighed by the best of those awake

    double eta() const { return counts[2] > 0.0 ? ln_n / counts[2] : infinity; }
    bool steep() const { return !(eta() < steepest); }

    Mixture predict(AdviceRow row) {
        if (steep()) {
            measure(w, losses, eta(), least_awake(losses, row));
        } else if (eta() * (counts[0] - counts[3]) > -faintest) {  // somebody may be that far behind
            refresh_near(w, losses, eta(), counts[3]);
        } else {
            refresh(w, losses, eta(), counts[3]);
        }
        return mixed(strict, w, weigh(w, row), row, losses, eta(), w);
    }

    std::int32_t choose(AdviceRow row, const Mixture& said) const {
        return pick(said.weights, row, said.weighed.total, coin(seed, counts));
    }

    void update(const Round<float>& round, const Mixture& said) {
        const double c = round.weight, f = std::abs(said.mix - round.truth) * c;
        const double m = learn(round, said, f);
        counts[2] += std::max(0.0, f - m);
        count_round(counts, said.anyone_asleep());
        counts[4] += std::max(1.0, c);
        // A loss grows by at most c a round, so the base is near enough while η·(rounds since) is small.
        if (ln_n * counts[4] > steepest * counts[2]) {
            counts[3] = least(losses);
            counts[4] = 0.0;
        }
    }

private:
    // Counts what the round costs every expert; the mix loss.
    double learn(const Round<float>& round, const Mixture& said, double f) {
        const double y = round.truth, c = round.weight, total = said.weighed.total;
        const bool nobody = !(total > 0.0), by_share = strict == votes && !(f > nearly_all);
        double m = f;
        if (c != 1.0) {
            if (!nobody) m = mix_loss(eta(), losses, round.row, y, c);
            for (std::size_t i = 0; i < losses.size(); ++i) losses[i] += c * loss_of(round.row[i], y);
        } else if (by_share || strict == votes || steep() || !(total > 1e-100)) {
            if (!nobody) m = by_share ? mix_loss_of_votes(eta(), f) : mix_loss(eta(), losses, round.row, y, 1.0);
            count_losses(losses, round.row, y);
        } else {
            const double after = punish(w, losses, round.row, round.row, y, eta()).total, fallen = (total - after) / total;
            m = (fallen < 0.5 ? -log_less(fallen) : log_of(total) - log_of(after)) / eta();
        }
        return m;
    }
};

}  // namespace littlestone
