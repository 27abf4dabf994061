// The threshold dimension of a class on many points: the longest chain of concepts c_1, ..., c_k and points x_1, ..., x_k with c_i(x_j) = 1
// iff i ≤ j, by branch and bound.
//
// A chain begins with c_1 and x_1 where c_1(x_1) = 1. All later points must be points of c_1, and all later concepts 0 at x_1. So what is left
// to choose from is a set of concepts and a set of points: one set of words, concepts first, kept in a memo.
// Of two first concepts the one that holds all points of the other is no worse. Of two first points in c_1 the one where all concepts are 0
// that are 0 at the other is no worse. And c_i holds k - i + 1 points of the chain, x_j lies in j concepts of it: counting gives a bound.
#pragma once
#include "version_sets.h"

namespace littlestone {

class ThresholdChains {
public:
    // rows[c] is the set of the points where concept c is 1, columns[x] the set of the concepts that are 1 at point x.
    ThresholdChains(Points rows, Points columns, Memo& memo) : concepts_{rows, 0, columns.columns}, points_{columns, columns.columns, 0}, memo_(memo) {}

    // Is there a chain of k in these concepts and points?
    bool at_least(Set left, std::int64_t k) {
        if (k == 0) return true;
        std::vector<std::int64_t> points_of, concepts_of;
        const std::int64_t size = tidy(concepts_, left, points_of), width = tidy(points_, left, concepts_of);
        if (std::min(size, width) < k) return false;
        if (k == 1) return true;
        if (longest_by_counts(points_of, k) < k || longest_by_counts(concepts_of, k) < k) return false;
        return at_least_d(memo_, left, k, [&] {
            std::vector<std::size_t> firsts, starts;
            for (std::size_t c = 0; c < points_of.size(); ++c) {
                if (points_of[c] >= k) firsts.push_back(c);
            }
            for (std::size_t x = 0; x < concepts_of.size(); ++x) {
                if (concepts_of[x] > 0 && size - concepts_of[x] >= k - 1) starts.push_back(x);
            }
            for (const std::size_t c : firsts) {
                const auto no_worse = [&](std::size_t other) { return other != c && replaces(concepts_, c, other, other < c, left); };
                if (std::any_of(firsts.begin(), firsts.end(), no_worse)) continue;
                for (const std::size_t x : starts) {
                    if (!holds(c, x)) continue;
                    const auto better = [&](std::size_t other) {
                        return other != x && holds(c, other) && replaces(points_, other, x, other < x, left);
                    };
                    if (std::any_of(starts.begin(), starts.end(), better)) continue;
                    if (at_least(after(left, c, x), k - 1)) return true;
                }
            }
            return false;
        });
    }

private:
    // Concepts or points: a set of the other kind each, and where in the words of what is left they stand, and those of the other kind.
    struct Kind {
        Points members;
        std::size_t at, others_at;

        std::uint64_t others(std::size_t member, std::size_t w, const Set& left) const { return members[member][w] & left[others_at + w]; }
    };

    bool holds(std::size_t c, std::size_t x) const { return (concepts_.members[c][x / 64] >> (x % 64)) & 1; }

    // How many of the other kind each member has, and how many have some; the rest are dropped.
    static std::int64_t tidy(const Kind& kind, Set& left, std::vector<std::int64_t>& counts) {
        std::int64_t some = 0;
        counts.assign(kind.members.size(), 0);
        for (std::size_t i = 0; i < kind.members.size(); ++i) {
            std::uint64_t& word = left[kind.at + i / 64];
            const std::uint64_t bit = std::uint64_t{1} << (i % 64);
            if (!(word & bit)) continue;
            for (std::size_t w = 0; w < kind.members.columns; ++w) counts[i] += std::popcount(kind.others(i, w, left));
            if (counts[i] == 0) word &= ~bit;
            some += counts[i] > 0;
        }
        return some;
    }
    // The longest chain, up to k, that these counts allow: in one of length b, b - j + 1 of them must be at least j, for j = 1 to b.
    static std::int64_t longest_by_counts(const std::vector<std::int64_t>& counts, std::int64_t k) {
        std::vector<std::int64_t> how_often(static_cast<std::size_t>(k) + 1, 0);
        for (const std::int64_t count : counts) ++how_often[static_cast<std::size_t>(std::min(count, k))];
        std::int64_t total = 0, best = k;
        for (std::int64_t j = k; j > 0; --j) {
            total += how_often[static_cast<std::size_t>(j)];
            if (j <= best) best = std::min(best, total + j - 1);
        }
        return best;
    }
    // Has b all that a has, of the other kind, and more, or the same where `same_counts`?
    static bool replaces(const Kind& kind, std::size_t a, std::size_t b, bool same_counts, const Set& left) {
        bool more = false;
        for (std::size_t w = 0; w < kind.members.columns; ++w) {
            const std::uint64_t of_a = kind.others(a, w, left), of_b = kind.others(b, w, left);
            if (of_a & ~of_b) return false;
            more |= (of_b & ~of_a) != 0;
        }
        return more || same_counts;
    }
    Set after(const Set& left, std::size_t c, std::size_t x) const {
        Set result(left.size());
        for (std::size_t w = 0; w < points_.at; ++w) result[w] = left[w] & ~points_.members[x][w];
        for (std::size_t w = points_.at; w < left.size(); ++w) result[w] = left[w] & concepts_.members[c][w - points_.at];
        return result;
    }

    Kind concepts_, points_;
    Memo& memo_;
};

}  // namespace littlestone
