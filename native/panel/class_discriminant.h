// The linear discriminants of a panel of several classes (reference/class_discriminant.py): a normal distribution for each class, all of one
// covariance, over the first features that came, or the logarithms of their sizes. P is the inverse of the scatter within the classes.
#pragma once
#include "blend.h"

namespace littlestone {

struct Discriminant {
    bool logs;                   // does it hear values on the scale of logarithms?
    Column<std::int32_t> place;  // of each feature, counted from 1; 0 where it has none
    Column<std::int64_t> owner;  // the feature at each place
    Matrix<double> P;
    Matrix<double> means;         // of each class
    Matrix<double> pulls;         // P times them
    Column<double> counts;        // of the classes, by weight
    Column<std::int64_t> tally;   // places taken, one more than there are where a feature found none; rounds

    std::size_t places = owner.size();
    std::vector<double> z = std::vector<double>(places), d = z, v = z, scores = std::vector<double>(counts.size());

    std::size_t taken() const { return static_cast<std::size_t>(tally[0]); }

    // The logarithm of the odds of each known class, by `mark(c, odds)`.
    template <class Mark>
    void hear(const Row& x, std::size_t known, Mark mark) {
        const std::size_t size = taken();
        for (std::size_t k = 0; k < x.size() && size <= places; ++k)
            if (const std::int32_t j = place[x.indices[k]]; j > 0) z[static_cast<std::size_t>(j) - 1] = heard(x.value(k));
        double total = 0.0;  // what all of them weigh together
        for (const double count : counts) total += count;
        for (std::size_t c = 0; c < known; ++c) {
            double s = 0.0;
            for (std::size_t i = 0; i < size && size <= places; ++i) s += pulls[c][i] * (z[i] - 0.5 * means[c][i]);
            scores[c] = log(counts[c] + 0.5) + (total + 1.0) * s;
        }
        odds(known, mark);
    }
    void learn(const Row& x, std::size_t y, double weight, std::size_t known) {
        if (taken() <= places) admit(x);
        if (taken() <= places) step(y, weight, std::max(known, y + 1), taken());
        counts[y] += weight;
        tally[1] += 1;
    }
    void forget_row() { std::fill(z.begin(), z.end(), 0.0); }

private:
    double heard(double x) const {
        if (!logs) return x;
        const double size = log(1.0 + 1024.0 * std::abs(x));
        return x >= 0.0 ? size : -size;
    }
    template <class Mark>
    void odds(std::size_t known, Mark mark) {
        if (known < 2) {
            if (known == 1) mark(std::size_t{0}, 0.0);
            return;
        }
        double top = scores[0], total = 0.0;
        for (std::size_t c = 0; c < known; ++c) top = std::max(top, scores[c]);
        for (std::size_t c = 0; c < known; ++c) {
            scores[c] = exp(-std::min(top - scores[c], far_odds));
            total += scores[c];
        }
        for (std::size_t c = 0; c < known; ++c) mark(c, log(scores[c] / (total - scores[c])));
    }
    // Gives new features of a row their places.
    void admit(const Row& x) {
        for (std::size_t k = 0; k < x.size(); ++k) {
            const double value = heard(x.value(k));
            if (value == 0.0 || place[x.indices[k]] != 0) continue;
            const std::size_t j = taken();
            tally[0] += 1;
            if (j == places) return;
            place[x.indices[k]] = static_cast<std::int32_t>(tally[0]);
            owner[j] = x.indices[k];
            P[j][j] = 1.0 / (value * value);
            z[j] = value;
        }
    }
    void step(std::size_t y, double weight, std::size_t known, std::size_t size) {
        const double n = counts[y];
        for (std::size_t i = 0; i < size; ++i) d[i] = z[i] - means[y][i];
        for (std::size_t i = 0; i < size; ++i) {
            double total = 0.0;
            const double* const row = P[i].data;
            for (std::size_t j = 0; j < size; ++j) total += row[j] * d[j];
            v[i] = total;
        }
        double q = 0.0;
        for (std::size_t i = 0; i < size; ++i) q += d[i] * v[i];
        const double share = n * weight / (n + weight), kappa = share / (1.0 + share * q);
        for (std::size_t i = 0; i < size; ++i) {
            double* const row = P[i].data;
            const double pull = kappa * v[i];
            for (std::size_t j = 0; j < size; ++j) row[j] -= pull * v[j];
        }
        for (std::size_t c = 0; c < known; ++c) {
            double along = 0.0;
            for (std::size_t i = 0; i < size; ++i) along += v[i] * means[c][i];
            for (std::size_t i = 0; i < size; ++i) pulls[c][i] -= kappa * along * v[i];
        }
        const double rest = 1.0 - kappa * q;
        for (std::size_t i = 0; i < size; ++i) {
            means[y][i] += d[i] * weight / (n + weight);
            pulls[y][i] += rest * v[i] * weight / (n + weight);
        }
    }
};

}  // namespace littlestone
