// Follow the leader: do what the expert with the least loss so far says; of several, the first. And the perturbed leader (Kalai, Vempala
// 2005; Hutter, Poland 2005): give every expert a random head start, once, and follow the leader.
#pragma once
#include "advice.h"

namespace littlestone {

// What a leader says, and who it is: the first among the least of `behind` of those awake, -1 when all sleep.
struct Led : Mixture {
    std::int32_t leader;
};

template <class Behind>
Led led(Strictness strict, AdviceRow row, unsigned holds, double usual_leader, Behind behind) {
    if (holds & strict) return {{.refused = true}, -1};
    auto leader = static_cast<std::int32_t>(usual_leader);
    if (holds & asleep) {
        leader = -1;
        for (std::size_t i = 0; i < row.size(); ++i)
            if (is_awake(row[i]) && (leader < 0 || behind(i) < behind(static_cast<std::size_t>(leader)))) leader = static_cast<std::int32_t>(i);
    }
    const double mix = leader >= 0 ? static_cast<double>(row[static_cast<std::size_t>(leader)]) : 0.5;
    return {{mix, {.holds = holds}}, leader};
}

struct FollowLeader {
    Strictness strict;
    Column<double> losses, counts;  // counts: rounds learnt, has anyone slept, the leader
    unsigned ahead = 0;             // what the row holds that is next

    void look(AdviceRow row) { ahead = weigh(losses, row).holds; }

    Led predict(AdviceRow row) const {
        return led(strict, row, ahead, counts[2], [this](std::size_t i) { return losses[i]; });
    }

    std::int32_t choose(AdviceRow, const Led& said) const { return said.leader; }

    void update(const Round<float>& round, const Led& said) {
        count_round(counts, said.anyone_asleep());
        const double& leaders = losses[static_cast<std::size_t>(counts[2])];
        const double before = leaders, lowest = count_and_look(round);
        if (leaders > before) counts[2] = static_cast<double>(first_at(losses, lowest));  // nobody else came nearer the front meanwhile
    }

private:
    // Counts what a row costs; the least of the losses, while `ahead` learns what the row that follows holds.
    double count_and_look(const Round<float>& round) {
        RunningSums sums;
        Eight low = infinity;
        const std::size_t whole = in_eights(losses.size());
        const double y = round.truth;
        double* const lost = losses.data;
        for (std::size_t i = 0; i < whole; i += lanes) {
            const Eight loss = Eight::load(lost + i) + loss_of(Eight::load(round.row.data + i), y);
            loss.store(lost + i);
            low = select(loss < low, loss, low);
            sums.look(round.following, i);
        }
        double lowest = joined(low, [](double a, double b) { return std::min(a, b); });
        for (std::size_t i = whole; i < losses.size(); ++i) {
            losses[i] += loss_of(round.row[i], y);
            lowest = std::min(lowest, losses[i]);
        }
        ahead = (sums.any_unusual() ? weigh(losses, round.following) : finished(sums, losses, round.following)).holds;
        return lowest;
    }
};

struct PerturbedLeader {
    Strictness strict;
    double eta;  // of the head starts, which have mean 1/η
    Column<double> losses, start, counts;
    Scratch behind{losses.size()};

    Led predict(AdviceRow row) const {
        return led(strict, row, weigh(losses, row).holds, counts[2], [this](std::size_t i) { return losses[i] - start[i]; });
    }

    std::int32_t choose(AdviceRow, const Led& said) const { return said.leader; }

    void update(const Round<float>& round, const Led& said) {
        const double& leaders = losses[static_cast<std::size_t>(counts[2])];
        const double before = leaders;
        count_losses(losses, round.row, round.truth);
        if (leaders > before) {
            for (std::size_t i = 0; i < losses.size(); ++i) behind[i] = losses[i] - start[i];
            counts[2] = static_cast<double>(first_at(behind, least(behind)));
        }
        count_round(counts, said.anyone_asleep());
    }
};

// The mean over all head starts of what the leader says, round by round; `losses` go on with the rounds.
//
// With c_i = e^(-η(L_i - L_min)), expert i leads with probability c_i·∫_0^1 Π_{j≠i} (1 - v·c_j) dv. The integrand falls with v like
// e^(-vΣc), so it is summed over intervals that double in length, by Gauss's rule, until it has vanished.
inline void expected_leader(double eta, Column<double> losses, Column<const double> nodes, Column<const double> node_weights,
                            Matrix<const float> table, Column<const std::int32_t> truths, Column<double> mix) {
    Scratch chances(losses.size());
    for (std::size_t t = 0; t < truths.size(); ++t) {
        const AdviceRow row = table[t];
        const double lowest = least_awake(losses, row);
        double weight = 0.0;
        for (std::size_t i = 0; i < losses.size(); ++i) {
            chances[i] = is_awake(row[i]) ? exp_of(-eta * (losses[i] - lowest)) : 0.0;
            weight += chances[i];
        }
        double mean = 0.0, left = 0.0, right = 1.0 / 64 / std::max(1.0, weight);
        while (left < 1.0 && weight > 0.0) {
            double alive = 0.0;
            for (std::size_t k = 0; k < nodes.size(); ++k) {
                const double v = left + (right - left) * 0.5 * (nodes[k] + 1.0);
                double none_higher = 1.0, ratio = 0.0;
                for (std::size_t i = 0; i < losses.size(); ++i) {
                    none_higher *= 1.0 - v * chances[i];
                    if (chances[i] > 0.0) ratio += static_cast<double>(row[i]) * chances[i] / (1.0 - v * chances[i]);
                }
                mean += 0.5 * (right - left) * node_weights[k] * none_higher * ratio;
                alive = none_higher;
            }
            if (alive < 1e-18) break;
            left = right;
            right = right < 0.3 ? 2.0 * right : 1.0;  // no sliver at the end: nodes must stay off 1
        }
        mix[t] = weight > 0.0 ? mean : 0.5;
        if (truths[t] >= 0) count_losses(losses, row, static_cast<double>(truths[t]));
    }
}

}  // namespace littlestone
