// What the best randomised learner expects of a class of few concepts on many points, exactly.
//
// A value is a number of halves of halves: plus one and times 2^bits it is a whole number, kept as words of 64 bits, the lowest first. The
// value of a set of concepts is the largest, over the points, of (1 + a + b)/2 where the values a and b of the two parts differ by at most 1,
// else of max(a, b). A path down the tree meets each point once and drops a concept each time, so min(points, concepts - 1) bits are enough.
#pragma once
#include "version_sets.h"

namespace littlestone {

using Number = std::vector<std::uint64_t>;

inline bool below(const Number& a, const Number& b) { return std::lexicographical_compare(a.rbegin(), a.rend(), b.rbegin(), b.rend()); }

inline Number sum(Number a, const Number& b) {
    bool carry = false;
    for (std::size_t k = 0; k < a.size(); ++k) {
        const std::uint64_t total = a[k] + b[k] + carry;
        carry = total < a[k] || (total == a[k] && carry);
        a[k] = total;
    }
    return a;
}

// a - b, where a ≥ b
inline Number difference(Number a, const Number& b) {
    bool borrow = false;
    for (std::size_t k = 0; k < a.size(); ++k) {
        const std::uint64_t left = a[k] - b[k] - borrow;
        borrow = a[k] < b[k] || (a[k] == b[k] && borrow);
        a[k] = left;
    }
    return a;
}

inline Number half(Number a) {
    for (std::size_t k = 0; k < a.size(); ++k) a[k] = a[k] >> 1 | (k + 1 < a.size() ? a[k + 1] << 63 : 0);
    return a;
}

// The value where a point parts the concepts into two of value a and b. An empty part has value 0, and leaves the other as it is.
inline Number join(const Number& a, const Number& b, const Number& one) {
    const Number &more = below(a, b) ? b : a, &less = below(a, b) ? a : b;
    const Number reached = sum(less, one);
    return below(reached, more) ? more : half(sum(reached, more));
}

// The largest a whose join with `other` is no more than `best`; 0 where every join is more.
inline Number to_beat(const Number& other, const Number& best, const Number& one) {
    if (below(best, other)) return Number(best.size(), 0);
    if (!below(best, sum(other, one))) return best;
    return difference(difference(sum(best, best), one), other);
}

inline Number number_of(const Column<const std::uint64_t>& words) { return {words.begin(), words.end()}; }

// The most that so many concepts of Littlestone dimension at most d can be worth, into row d·sizes + size of the table: of two parts one has a
// smaller dimension than the whole, and one concept is worth 0 (kept as one).
inline void limits_by_size(Matrix<std::uint64_t> table, std::size_t sizes, const Number& one) {
    const auto put = [&](std::size_t row, const Number& value) { std::copy(value.begin(), value.end(), table[row].begin()); };
    const auto at = [&](std::size_t row) { return Number(table[row].begin(), table[row].end()); };
    for (std::size_t d = 0; d * sizes < table.size(); ++d) {
        for (std::size_t size = 1; size < sizes; ++size) {
            Number most = one;
            for (std::size_t smaller = 1; d > 0 && smaller < size; ++smaller) {
                most = std::max(most, join(at((d - 1) * sizes + smaller), at(d * sizes + size - smaller), one), below);
            }
            put(d * sizes + size, most);
        }
    }
}

class Expectations {
public:
    // `limits` has for each size the most that so many concepts can be worth.
    Expectations(Matrix<const std::uint64_t> limits, Number one, Points columns, Memo& memo)
        : limits_(limits), one_(std::move(one)), columns_(columns), memo_(memo) {}

    struct Worth {
        Number value;
        bool exact;  // or else it is a bound from above, and no more than the floor
    };

    // The value of a set, if it is more than `floor`, else some bound from above that is not.
    Worth worth(const Set& set, const Number& floor) {
        const std::int64_t size = size_of(set);
        const Number limit = limit_of(size);
        if (size == 1 || !below(floor, limit)) return {limit, size == 1};
        const std::size_t words = one_.size();
        if (const std::int64_t* notes = memo_.find(set)) {
            const Worth known{{notes, notes + words}, notes[words] != 0};
            if (known.exact || !below(floor, known.value)) return known;
        }
        Number best = floor, above(words, 0);
        bool exact = false;
        for (const Split& split : splits_of(set, size, 1, columns_)) {
            const bool ones_first = 2 * split.ones <= size;
            const std::int64_t smaller = std::min(split.ones, size - split.ones);
            const Number bound = limit_of(size - smaller);
            Number trial = join(limit_of(smaller), bound, one_);
            if (below(best, trial)) {
                const Worth less = worth(part(set, columns_[split.point], ones_first), to_beat(bound, best, one_));
                trial = join(less.value, bound, one_);
                if (less.exact && below(best, trial)) {
                    const Worth more = worth(part(set, columns_[split.point], !ones_first), to_beat(less.value, best, one_));
                    trial = join(less.value, more.value, one_);
                    if (more.exact && below(best, trial)) {
                        exact = true;
                        best = trial;
                    }
                }
            }
            above = std::max(above, trial, below);
            if (exact && !below(best, limit)) break;
        }
        const Worth result{exact ? best : above, exact};
        std::int64_t* notes = memo_.find(set);
        if (!notes) notes = memo_.add(set);
        std::copy(result.value.begin(), result.value.end(), notes);
        notes[words] = exact;
        return result;
    }

private:
    Number limit_of(std::int64_t size) const { return number_of(limits_[static_cast<std::size_t>(size)]); }

    Matrix<const std::uint64_t> limits_;
    Number one_;
    Points columns_;
    Memo& memo_;
};

}  // namespace littlestone
