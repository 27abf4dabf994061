// The blends of a panel of several classes (reference/class_blend.py). Of each class they hear what the members make of it: numbers in
// (-1, 1) and a 1. Blends of rivals learn from the label's class and the one that they took for likeliest beside it; `blend-each`, the last,
// has weights for each class, and learns whether it is the label's.
#pragma once
#include "blend.h"

namespace littlestone {

struct ClassBlends {
    Column<const double> stiffness, memory;  // of the blends of rivals, and of blend-each
    Column<double> squares;                  // of each member's scores, mean over the classes, added up
    Column<double> rounds;                   // one entry: rounds learned from
    Matrix<double> rival_w;                  // a row for each blend of rivals
    Matrix<double> rival_P;
    Matrix<double> each_w;  // a row for each class
    Matrix<double> each_P;

    std::size_t members = squares.size(), width = members + 1, rivals = rival_w.rows;
    std::vector<double> x = std::vector<double>(each_w.rows * width), sums = std::vector<double>(members), difference = std::vector<double>(width);
    Room room{width};

    const double* row(std::size_t c) const { return x.data() + c * width; }

    // The score of each known class by each blend; `score(k, c)` is that of a member. Fills in the likeliest class of each blend, -1 where
    // none is known.
    template <class Score>
    void hear(Score score, std::size_t known, Matrix<double> odds, std::int32_t* votes) {
        squash(score, known);
        for (std::size_t b = 0; b <= rivals; ++b) {
            std::size_t best = 0;
            for (std::size_t c = 0; c < known; ++c) {
                odds[b][c] = estimate(b < rivals ? rival_w[b] : each_w[c], row(c));
                if (odds[b][c] > odds[b][best]) best = c;
            }
            votes[b] = known > 0 ? static_cast<std::int32_t>(best) : -1;
        }
    }
    // The label of the row heard last.
    void learn(std::size_t y, double weight, std::size_t known, Matrix<double> odds) {
        std::copy(sums.begin(), sums.end(), squares.begin());
        rounds[0] += 1.0;
        for (std::size_t b = 0; b < rivals && y < known && known > 1; ++b) {
            std::size_t rival = y != 0 ? 0 : 1;
            for (std::size_t c = 0; c < known; ++c)
                if (c != y && odds[b][c] > odds[b][rival]) rival = c;
            for (std::size_t i = 0; i < width; ++i) difference[i] = row(y)[i] - row(rival)[i];
            Newton{true, stiffness[b], memory[b], rival_w[b], rival_P[b]}.learn(difference.data(), odds[b][y] - odds[b][rival], 1.0, weight, room);
        }
        for (std::size_t c = 0; c < known; ++c)
            Newton{true, stiffness[rivals], memory[rivals], each_w[c], each_P[c]}.learn(row(c), odds[rivals][c], c == y ? 1.0 : 0.0, weight, room);
    }

private:
    template <class Score>
    void squash(Score score, std::size_t known) {
        for (std::size_t k = 0; k < members; ++k) {
            double total = 0.0;
            for (std::size_t c = 0; c < known; ++c) {
                const double s = known_score(score(k, c), largest_score);
                x[c * width + k] = s;
                total += s * s;
            }
            sums[k] = squares[k] + total / static_cast<double>(std::max<std::size_t>(1, known));
            const double root = std::sqrt(sums[k] / (rounds[0] + 1.0));
            for (std::size_t c = 0; c < known; ++c) {
                double& of_class = x[c * width + k];
                const double ratio = root > 0.0 ? of_class / root : 0.0;
                of_class = ratio / std::sqrt(1.0 + ratio * ratio);
            }
        }
        for (std::size_t c = 0; c < known; ++c) x[c * width + members] = 1.0;
    }
};

}  // namespace littlestone
