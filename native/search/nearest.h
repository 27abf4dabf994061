// The point nearest to 0 in the hull of n vectors, by Wolfe's method on their products. Sums go in one order, whatever the machine.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>
#include "../core/row.h"

namespace littlestone {

inline constexpr std::size_t chunk = 1024;  // numbers of a vector worked on at a time: two chunks stay near

// The sum of x·y over eight lanes, then what is left over.
inline double product(const double* x, const double* y, std::size_t n) {
    double lanes[8] = {};
    std::size_t k = 0;
    for (; k + 8 <= n; k += 8) {
        for (std::size_t j = 0; j < 8; ++j) lanes[j] += x[k + j] * y[k + j];
    }
    double total = ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) + ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
    for (; k < n; ++k) total += x[k] * y[k];
    return total;
}

using Vectors = Matrix<const double>;

// out[i][j] = v_i·v_j.
inline void products(const Vectors& vectors, Matrix<double> out) {
    const std::size_t n = vectors.size();
    for (std::size_t i = 0; i < n; ++i) std::fill(out[i].begin(), out[i].end(), 0.0);
    for (std::size_t start = 0; start < vectors.columns; start += chunk) {
        const std::size_t width = std::min(chunk, vectors.columns - start);
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = 0; j <= i; ++j) out[i][j] += product(vectors[i].data + start, vectors[j].data + start, width);
        }
    }
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < i; ++j) out[j][i] = out[i][j];
    }
}

// out[i] = v_i·r.
inline void products_with(const Vectors& vectors, Column<const double> r, Column<double> out) {
    for (std::size_t i = 0; i < vectors.size(); ++i) {
        out[i] = 0.0;
        for (std::size_t start = 0; start < vectors.columns; start += chunk) {
            out[i] += product(vectors[i].data + start, r.data + start, std::min(chunk, vectors.columns - start));
        }
    }
}

// out = Σ w_i·v_i.
inline void combined(const Vectors& vectors, Column<const double> w, Column<double> out) {
    std::fill(out.begin(), out.end(), 0.0);
    for (std::size_t start = 0; start < vectors.columns; start += chunk) {
        const std::size_t stop = std::min(start + chunk, vectors.columns);
        for (std::size_t i = 0; i < vectors.size(); ++i) {
            if (w[i] == 0.0) continue;
            for (std::size_t t = start; t < stop; ++t) out[t] += w[i] * vectors[i][t];
        }
    }
}

// x with (L·L')x = b, for the first k rows of L.
inline void solve(Matrix<double> lower, std::size_t k, Column<const double> b, Column<double> x) {
    for (std::size_t i = 0; i < k; ++i) x[i] = (b[i] - product(lower[i].data, x.data, i)) / lower[i][i];
    for (std::size_t i = k; i-- > 0;) {
        x[i] /= lower[i][i];
        for (std::size_t j = 0; j < i; ++j) x[j] -= lower[i][j] * x[i];
    }
}

// Wolfe's method: the vectors that take part, with their shares, and the Cholesky factor of their products.
struct Nearest {
    static constexpr double least_pivot = 1e-12;  // of its own square: a vector nearer to the plane of the others is taken for one in it

    Vectors gram;
    double lift;  // shares add up to 1, so it adds the same to every combination; it keeps apart vectors whose plane goes through 0
    Column<std::int64_t> chosen;
    Column<double> shares;
    Matrix<double> lower;

    // Returns how many take part.
    std::size_t find(double close, double slack) const {
        const std::size_t n = gram.size();
        std::size_t first = 0, k = 1;
        for (std::size_t i = 0; i < n; ++i) {
            if (gram[i][i] < gram[first][first]) first = i;
        }
        chosen[0] = static_cast<std::int64_t>(first);
        shares[0] = 1.0;
        grow(0, 1);
        std::vector<double> reach(n);
        double least = std::numeric_limits<double>::infinity();
        for (std::size_t round = 0; round < 20 * n + 100; ++round) {
            std::fill(reach.begin(), reach.end(), 0.0);
            for (std::size_t j = 0; j < k; ++j) {
                for (std::size_t i = 0; i < n; ++i) reach[i] += shares[j] * gram[at(j)][i];
            }
            double length = 0.0;
            for (std::size_t j = 0; j < k; ++j) length += shares[j] * reach[at(j)];
            const std::size_t nearer = nearest_outside(reach, k);
            if (length <= slack || !(length < least) || nearer == n || reach[nearer] >= length * (1.0 - close)) return k;
            least = length;
            chosen[k] = static_cast<std::int64_t>(nearer);
            shares[k] = 0.0;
            if (!grow(k, k + 1)) return k;  // within rounding it lies in the plane of the others
            k = settle(k + 1);
        }
        return k;
    }

private:
    std::size_t at(std::size_t j) const { return static_cast<std::size_t>(chosen[j]); }

    // The vector that reaches least of those that do not take part; their number where all do.
    std::size_t nearest_outside(const std::vector<double>& reach, std::size_t k) const {
        std::vector<char> inside(reach.size(), false);
        for (std::size_t j = 0; j < k; ++j) inside[at(j)] = true;
        std::size_t nearer = reach.size();
        for (std::size_t i = 0; i < reach.size(); ++i) {
            if (!inside[i] && (nearer == reach.size() || reach[i] < reach[nearer])) nearer = i;
        }
        return nearer;
    }
    // Rows of the Cholesky factor of gram + lift over those chosen; false where a vector has no direction of its own.
    bool grow(std::size_t start, std::size_t stop) const {
        for (std::size_t k = start; k < stop; ++k) {
            double* row = lower[k].data;
            for (std::size_t j = 0; j < k; ++j) {
                row[j] = (gram[at(k)][at(j)] + lift - product(row, lower[j].data, j)) / lower[j][j];
            }
            const double square = gram[at(k)][at(k)] + lift, pivot = square - product(row, row, k);
            if (!(pivot > least_pivot * square)) return false;
            row[k] = std::sqrt(pivot);
        }
        return true;
    }
    // Moves the shares of k vectors to the best in their plane, or as far as none becomes negative: those without a share leave. How many stay.
    std::size_t settle(std::size_t k) const {
        std::vector<double> ones(gram.size(), 1.0), target(gram.size());
        while (k > 1) {
            solve(lower, k, {ones.data(), k}, {target.data(), k});
            double total = 0.0, step = 1.0;
            for (std::size_t j = 0; j < k; ++j) total += target[j];
            std::size_t gone = k;
            for (std::size_t j = 0; j < k; ++j) {
                target[j] /= total;
                if (target[j] > 0.0) continue;
                const double part = shares[j] / std::max(shares[j] - target[j], 1e-300);
                if (gone == k || part < step) {
                    gone = j;
                    step = part;
                }
            }
            for (std::size_t j = 0; j < k; ++j) shares[j] += std::min(step, 1.0) * (target[j] - shares[j]);
            if (gone == k) break;
            shares[gone] = 0.0;
            std::size_t kept = 0, left = k;
            for (std::size_t j = 0; j < k; ++j) {
                if (shares[j] > 0.0) {
                    chosen[kept] = chosen[j];
                    shares[kept++] = shares[j];
                } else {
                    left = std::min(left, j);
                }
            }
            k = kept;
            grow(left, k);
        }
        if (k == 1) shares[0] = 1.0;
        return k;
    }
};

}  // namespace littlestone
