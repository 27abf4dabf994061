// The blends of a panel (reference/blend.py): members that learn from what the others say, by Newton's steps over the members' scores.
#pragma once
#include <algorithm>
#include <vector>
#include "../core/hyperbolic.h"
#include "../core/row.h"

namespace littlestone {

inline constexpr double far_odds = 30.0;     // logarithms of odds beyond this are taken for it where a probability is made
inline constexpr double least_curvature = 0.01;
inline constexpr double largest_curvature = 0x1p40;  // of rounds that weigh much: beyond it P would keep nothing but rounding
inline constexpr double trace_room = 10.0;  // the trace of P, where rounds are forgotten, stays below so many times what it began with
inline constexpr double largest_score = 1e15;  // scores beyond this are taken for it: squares stay finite

// Four numbers that lie side by side.
inline Four load(const double* from) {
    Four numbers;
    std::memcpy(&numbers, from, sizeof numbers);
    return numbers;
}
inline void store(const Four& numbers, double* to) { std::memcpy(to, &numbers, sizeof numbers); }

inline double clipped(double x, double most) { return std::min(std::max(x, -most), most); }
inline double known_score(double s, double most) { return clipped(s == s ? s : 0.0, most); }  // no number counts as 0

// What is typical of each member: the squares of its scores so far. A score is divided by the root of their mean, this one included.
struct ScoreSizes {
    Column<double> squares;
    Column<double> seen;  // one entry: rounds with a label
    std::vector<double> sums = std::vector<double>(squares.size());

    // x takes the scores squashed into (-1, 1) and a 1; mild takes them squashed less: they grow like a root.
    void hear(const double* scores, double* x, double* mild) {
        const std::size_t members = squares.size();
        const double number = seen[0] + 1.0;
        double* const sum = sums.data();
        for (std::size_t k = 0; k < members; ++k) {
            const double s = known_score(scores[k], largest_score);
            sum[k] = squares.data[k] + s * s;
            x[k] = s;
        }
        for (std::size_t k = 0; k < members; ++k) {
            const double root = std::sqrt(sum[k] / number);
            const double ratio = root > 0.0 ? x[k] / root : 0.0;
            const double length = std::sqrt(1.0 + ratio * ratio);
            x[k] = ratio / length;
            mild[k] = x[k] * std::sqrt(length);
        }
        x[members] = 1.0;
    }
    // The row heard last has a label.
    void learn() {
        std::copy(sums.begin(), sums.end(), squares.begin());
        seen[0] += 1.0;
    }
};

// P of a Newton step: the inverse of λI + Σ h·xx', row by row, symmetric to the last bit. All work is column by column, four at a time.
struct Curvature {
    double* entries;
    std::size_t n;

    double& at(std::size_t i, std::size_t j) const { return entries[i * n + j]; }

    // Px = P·x, added up row by row.
    void multiply(const double* x, double* Px) const {
        std::size_t j = 0;
        for (; j + 16 <= n; j += 16) multiply_columns<4>(x, Px, j);
        for (; j + 4 <= n; j += 4) multiply_columns<1>(x, Px, j);
        for (; j < n; ++j) {
            double sum = 0.0;
            for (std::size_t i = 0; i < n; ++i) sum += x[i] * at(j, i);  // the same as at(i, j)
            Px[j] = sum;
        }
    }
    // P = (P - uu')·fade
    void narrow(const double* u, double fade) const { fade == 1.0 ? narrowed<false>(u, fade) : narrowed<true>(u, fade); }

    double trace() const {
        double sum = 0.0;
        for (std::size_t i = 0; i < n; ++i) sum += at(i, i);
        return sum;
    }
    void rescale(double share) const {
        for (std::size_t i = 0; i < n * n; ++i) entries[i] *= share;
    }

private:
    template <std::size_t fours>
    void multiply_columns(const double* x, double* Px, std::size_t j) const {
        Four sums[fours];
        for (Four& sum : sums) sum = four(0.0);
        for (std::size_t i = 0; i < n; ++i) {
            const Four factor = four(x[i]);
            for (std::size_t c = 0; c < fours; ++c) sums[c] += factor * load(&at(i, j + 4 * c));
        }
        for (std::size_t c = 0; c < fours; ++c) store(sums[c], Px + j + 4 * c);
    }
    template <bool fades>
    void narrowed(const double* u, double fade) const {
        for (std::size_t i = 0; i < n; ++i) {
            std::size_t j = 0;
            for (; j + 4 <= n; j += 4) {
                Four part = load(&at(i, j)) - four(u[i]) * load(u + j);
                if constexpr (fades) part = part * four(fade);
                store(part, &at(i, j));
            }
            for (; j < n; ++j) at(i, j) = (at(i, j) - u[i] * u[j]) * fade;
        }
    }
};

inline double estimate(const Column<double>& w, const double* x) {
    double s = 0.0;
    for (std::size_t i = 0; i < w.size(); ++i) s += w.data[i] * x[i];
    return s;
}

// What a step needs on its way.
struct Room {
    explicit Room(std::size_t n) : Px(n), u(n) {}
    std::vector<double> Px, u;
};

// Newton's steps for least squares towards ±1, or for the logistic loss; old rounds are forgotten at the rate `memory`.
struct Newton {
    bool logistic;
    double stiffness, memory;
    Column<double> w;
    Column<double> P;

    // A step towards a label of a round that weighs so much, where the estimate was s.
    void learn(const double* x, double s, double label, double weight, Room& room) const {
        double h = 1.0, g = 2.0 * label - 1.0 - s;
        if (logistic) {
            const double p = 1.0 / (1.0 + exp(-clipped(s, far_odds)));
            h = std::max(p * (1.0 - p), least_curvature);
            g = label - p;
        }
        const double step = g / h / narrow(x, h * weight, room);
        for (std::size_t i = 0; i < w.size(); ++i) w.data[i] += step * room.Px[i];
    }

private:
    // A round of curvature h narrows P; leaves P·x of before in Px and returns memory/h + x'Px.
    double narrow(const double* x, double h, Room& room) const {
        const std::size_t n = w.size();
        const Curvature curvature{P.data, n};
        curvature.multiply(x, room.Px.data());
        double q = memory / std::min(h, largest_curvature);
        for (std::size_t i = 0; i < n; ++i) q += room.Px[i] * x[i];
        const double root = std::sqrt(q);
        for (std::size_t i = 0; i < n; ++i) room.u[i] = room.Px[i] / root;
        curvature.narrow(room.u.data(), 1.0 / memory);
        if (memory < 1.0) {  // what was not seen for long must not be trusted without end
            const double most = trace_room * static_cast<double>(n) / stiffness, trace = curvature.trace();
            if (trace > most) curvature.rescale(most / trace);
        }
        return q;
    }
};

// A blend, which estimates a logarithm of odds, or ±1.
struct Mind {
    Newton newton;
    Room room{newton.w.size()};

    double estimate(const double* x) const { return littlestone::estimate(newton.w, x); }
    void learn(const double* x, double s, bool label, double weight) { newton.learn(x, s, label ? 1.0 : 0.0, weight, room); }
};

// The blends of a panel at play, and the mean of what they say; the first `estimators` of them estimate ±1.
struct Blends {
    ScoreSizes sizes;
    std::vector<Mind> minds;
    std::size_t estimators;
    std::vector<double> x = std::vector<double>(sizes.squares.size() + 1), mild = x, estimates = std::vector<double>(minds.size());

    void hear(const double* scores) {
        sizes.hear(scores, x.data(), mild.data());
        for (std::size_t b = 0; b < minds.size(); ++b) estimates[b] = minds[b].estimate(x.data());
    }
    // The votes of the blends, and of their mean; `votes(b, vote)` takes them.
    template <class Take>
    void vote(Take votes) const {
        double total = 0.0;
        for (std::size_t b = 0; b < minds.size(); ++b) {
            const double s = estimates[b], half = b < estimators ? s : 0.5 * s;
            votes(b, s >= 0.0);
            total += half / std::sqrt(1.0 + half * half);
        }
        if (!minds.empty()) votes(minds.size(), total >= 0.0);
    }
    void learn(bool label, double weight) {
        sizes.learn();
        for (std::size_t b = 0; b < minds.size(); ++b) minds[b].learn(x.data(), estimates[b], label, weight);
    }
};

}  // namespace littlestone
