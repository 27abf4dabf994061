// How learners of two classes name one of several, round by round.
#pragma once
#include <algorithm>
#include "../core/row.h"

namespace littlestone {

// One against the rest: class c takes the rounds where its learner says 1 and no other's did, or where it says the same with a larger score.
inline void outbid(Column<const bool> votes, const double* scores, std::size_t since, std::int32_t c, Column<bool> vote_of_best,
                   Column<double> best, Column<std::int32_t> winners) {
    for (std::size_t t = 0; t < votes.size(); ++t) {
        const std::size_t at = since + t;
        const double score = scores ? scores[t] : 0.0;
        const bool larger = votes[t] > vote_of_best[at] || (votes[t] == vote_of_best[at] && score > best[at]);
        if (winners[at] >= 0 && !larger) continue;
        winners[at] = c;
        vote_of_best[at] = votes[t];
        best[at] = score;
    }
}

// All pairs: a vote in each round for class i, where its learner says 1, or else for class j. votes[class, round].
inline void add_votes(Column<const bool> answers, std::size_t since, std::size_t i, std::size_t j, Matrix<std::int32_t> votes) {
    for (std::size_t t = 0; t < answers.size(); ++t) ++votes[answers[t] ? i : j][since + t];
}

// The class with most votes among those seen before each round, the first of them where they tie.
inline void most_votes(Matrix<const std::int32_t> votes, Column<const std::int32_t> labels, std::int32_t seen, Column<std::int32_t> winners) {
    for (std::size_t t = 0; t < labels.size(); ++t) {
        std::int32_t best = seen > 0 ? 0 : -1;
        for (std::int32_t c = 1; c < seen; ++c) {
            if (votes[static_cast<std::size_t>(c)][t] > votes[static_cast<std::size_t>(best)][t]) best = c;
        }
        winners[t] = best;
        seen += labels[t] == seen;
    }
}

// The first round from start to stop that was predicted wrong; stop where there is none.
inline std::size_t first_mistake(Column<const std::int32_t> labels, Column<const bool> predictions, std::size_t start, std::size_t stop) {
    for (std::size_t t = start; t < stop; ++t) {
        if (labels[t] >= 0 && (labels[t] == 1) != predictions[t]) return t;
    }
    return stop;
}

}  // namespace littlestone
