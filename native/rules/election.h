// The vote of a panel of several classes: the class with the largest share of the weight, the first of them. AdaHedge hears who erred.
#pragma once
#include "adahedge.h"
#include "play_advice.h"

namespace littlestone {

struct Election {
    AdaHedge rule;
    bool weighs;                    // does an error cost what its round weighs?
    Column<std::int64_t> mistakes;  // of each voter
    Column<double> loss;            // Σ of the shares of wrong weight, and the largest weight of a round that the vote got wrong
    Column<double> vote_mistakes;   // of the vote: how many, what their rounds weigh together, and the largest of these weights

    std::vector<double> w = std::vector<double>(rule.losses.size());
    std::vector<float> wrong = std::vector<float>(rule.losses.size());

    // Fills in the share of each class; returns the class that is elected, -1 where nobody names one.
    std::int32_t elect(const std::int32_t* votes, Column<double> shares) {
        const Weights weights{w.data(), w.size()};
        const double eta = rule.eta();
        if (eta < AdaHedge::steepest) {
            refresh(weights, rule.losses, eta, rule.counts[3]);
        } else {
            measure(weights, rule.losses, eta, least(rule.losses));
        }
        double total = 0.0;
        for (const double weight : w) total += weight;
        std::fill(shares.begin(), shares.end(), 0.0);
        for (std::size_t k = 0; k < w.size(); ++k)
            if (votes[k] >= 0) shares[static_cast<std::size_t>(votes[k])] += w[k] / total;
        std::int32_t best = -1;
        const auto share_of = [&](std::int32_t c) { return shares[static_cast<std::size_t>(c)]; };
        for (std::size_t k = 0; k < w.size(); ++k) {
            const std::int32_t c = votes[k];
            if (c >= 0 && (best < 0 || share_of(c) > share_of(best) || (share_of(c) == share_of(best) && c < best))) best = c;
        }
        return best;
    }
    void learn(const std::int32_t* votes, std::int32_t elected, std::int32_t label, double weight) {
        for (std::size_t k = 0; k < wrong.size(); ++k) {
            wrong[k] = votes[k] != label ? 1.0f : 0.0f;
            mistakes[k] += votes[k] != label;
        }
        const std::int32_t right = 0;
        const float heeded = static_cast<float>(weighs ? weight : 1.0);
        double mix = 0.0;
        play(rule, Advice{{wrong.data(), 1, wrong.size(), 0}, {&right, 1}, {&heeded, 1}}, {&mix, 1}, {});
        loss[0] += mix * (weighs ? weight : 1.0);
        if (elected == label) return;
        loss[1] = std::max(loss[1], weight);
        vote_mistakes[0] += 1.0;
        vote_mistakes[1] += weight;
        vote_mistakes[2] = std::max(vote_mistakes[2], weight);
    }
};

}  // namespace littlestone
