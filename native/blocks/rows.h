// What is asked of the rows of a block: whether they may be played at all, what they hold, and how many of the answers were wrong.
// Row t has the features from starts[t] to starts[t + 1]. Loops that look at every feature have no branch, so that compilers can make
// vectors of them.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>
#include "../core/ordered_sum.h"
#include "../core/sort_row.h"
#include "measure.h"

namespace littlestone::blocks {

using Starts = Column<const std::int64_t>;

inline Row row_at(const Starts& starts, const std::uint32_t* indices, const float* values, std::size_t t) {
    const auto lo = static_cast<std::size_t>(starts[t]), hi = static_cast<std::size_t>(starts[t + 1]);
    return {{indices ? indices + lo : nullptr, hi - lo}, values ? values + lo : nullptr};
}

// The |x|² of row t, measured before or measured now. Of rows that lie elsewhere only the squares are known.
inline double square_at(const Starts& starts, const float* values, const double* squares, std::size_t t) {
    return squares ? squares[t] : squared_length(row_at(starts, nullptr, values, t));
}

// Do the row pointers grow from 0 to size, and does every label lie between -1 and the largest code?
inline bool is_well_formed(const Starts& starts, std::int64_t size, const Column<const std::int32_t>& labels, std::int64_t most) {
    if (starts.size() < labels.size() + 1) return false;
    std::int64_t bad = (starts[0] != 0) + (starts[starts.size() - 1] != size);
    for (std::size_t t = 0; t < labels.size(); ++t) bad += (starts[t + 1] < starts[t]) | (labels[t] < -1) | (labels[t] > most);
    return bad == 0;
}

// The longest row, or -1 where the row pointers do not grow from 0 to at most the size.
template <class Start>
std::int64_t longest_row(const Column<const Start>& starts, std::int64_t size) {
    if (starts.empty() || starts[0] != 0 || starts[starts.size() - 1] > size) return -1;
    std::int64_t longest = 0, shortest = 0;
    for (std::size_t t = 0; t + 1 < starts.size(); ++t) {
        const std::int64_t length = static_cast<std::int64_t>(starts[t + 1]) - static_cast<std::int64_t>(starts[t]);
        longest = std::max(longest, length);
        shortest = std::min(shortest, length);
    }
    return shortest == 0 && longest <= size ? longest : -1;
}

struct Examined {
    std::uint32_t top, bottom;  // the largest and the smallest index
    std::int64_t falls;         // how often an index does not exceed the one before it in its row
    std::int64_t longest;       // the longest row
    std::int32_t least, most;   // the extremes of the values' bits: their order is the floats' own, where these are not negative
};

// What must be known of a block before a learner may see it, in one quick pass over each array. `bits` are the values read as integers, or
// nullptr.
inline Examined examine(const Starts& starts, const Column<const std::uint32_t>& indices, const std::int32_t* bits) {
    const std::uint32_t* const index = indices.data;
    const std::size_t n = indices.size();
    std::uint32_t falls = 0;
    std::int32_t least = std::numeric_limits<std::int32_t>::max(), most = std::numeric_limits<std::int32_t>::min();
    for (std::size_t k = 1; k < n; ++k) falls += index[k] <= index[k - 1];
    for (std::size_t k = 0; bits && k < n; ++k) {
        least = std::min(least, bits[k]);
        most = std::max(most, bits[k]);
    }
    Examined found{0, std::numeric_limits<std::uint32_t>::max(), falls, 0, least, most};
    for (std::size_t t = 0; t + 1 < starts.size(); ++t) {
        const auto lo = static_cast<std::size_t>(starts[t]), hi = static_cast<std::size_t>(starts[t + 1]);
        found.longest = std::max(found.longest, starts[t + 1] - starts[t]);
        if (lo >= hi) continue;
        found.top = std::max(found.top, index[hi - 1]);
        found.bottom = std::min(found.bottom, index[lo]);
        if (lo > 0) found.falls -= index[lo] <= index[lo - 1];  // a fall from one row to the next is no fault
    }
    if (found.falls != 0) {  // then the ends of the rows do not tell the extremes
        for (std::size_t k = 0; k < n; ++k) {
            found.top = std::max(found.top, index[k]);
            found.bottom = std::min(found.bottom, index[k]);
        }
    }
    return found;
}

// Sorts features by index, and the values with them where there are some; a feature that stands there twice keeps its order.
class RowSorter {
public:
    void sort(std::uint32_t* indices, float* values, std::size_t n) {
        if (std::is_sorted(indices, indices + n)) return;
        words_.resize(n);
        std::uint32_t bits_used = 0;
        for (std::size_t k = 0; k < n; ++k) {
            words_[k] = feature_word(indices[k], values ? values[k] : 1.0F);
            bits_used |= indices[k];
        }
        if (n <= 32) {
            insert();
        } else {
            spare_.resize(n);
            sort_long_row(words_, spare_, bits_used);
        }
        for (std::size_t k = 0; k < n; ++k) {
            indices[k] = column_of(words_[k]);
            if (values) values[k] = value_of(words_[k]);
        }
    }

private:
    void insert() {
        for (std::size_t k = 1; k < words_.size(); ++k) {
            const std::uint64_t word = words_[k];
            std::size_t j = k;
            for (; j > 0 && column_of(words_[j - 1]) > column_of(word); --j) words_[j] = words_[j - 1];
            words_[j] = word;
        }
    }

    std::vector<std::uint64_t> words_, spare_;
};

inline void sort_rows(const Starts& starts, const Column<std::uint32_t>& indices, float* values) {
    RowSorter sorter;
    for (std::size_t t = 0; t + 1 < starts.size(); ++t) {
        const auto lo = static_cast<std::size_t>(starts[t]), hi = static_cast<std::size_t>(starts[t + 1]);
        sorter.sort(indices.data + lo, values ? values + lo : nullptr, hi - lo);
    }
}

// Moves the features together whose value is not 0, and the row pointers with them; returns how many remain.
inline std::int64_t drop_zeros(const Column<std::int64_t>& starts, const Column<std::uint32_t>& indices, const Column<float>& values) {
    std::size_t to = 0;
    auto lo = static_cast<std::size_t>(starts[0]);
    for (std::size_t t = 0; t + 1 < starts.size(); ++t) {
        const auto hi = static_cast<std::size_t>(starts[t + 1]);
        for (std::size_t k = lo; k < hi; ++k) {
            indices[to] = indices[k];
            values[to] = values[k];
            to += values[k] != 0.0F;
        }
        starts[t + 1] = static_cast<std::int64_t>(to);
        lo = hi;
    }
    return static_cast<std::int64_t>(to);
}

// Copies some rows, in the order of their numbers, to where `ends` says.
inline void pick(const Starts& starts, const Column<const std::uint32_t>& indices, const float* values,
                 const Column<const std::int64_t>& numbers, const Starts& ends, const Column<std::uint32_t>& own_indices, float* own_values) {
    for (std::size_t t = 0; t < numbers.size(); ++t) {
        const Row row = row_at(starts, indices.data, values, static_cast<std::size_t>(numbers[t]));
        const auto place = static_cast<std::size_t>(ends[t]);
        std::copy(row.indices.begin(), row.indices.end(), own_indices.data + place);
        if (values) std::copy(row.values, row.values + row.size(), own_values + place);
    }
}

// The largest bits among the negative floats (their magnitude grows with their bits), or -2^31 where there is none.
inline std::int64_t most_negative(const Column<const std::int32_t>& bits) {
    constexpr std::int32_t none = std::numeric_limits<std::int32_t>::min();
    std::int32_t most = none;
    for (const std::int32_t number : bits) most = std::max(most, number < 0 ? number : none);
    return most;
}

// The row and the index of the first feature that stands twice in one row, or -1 and 0. `stamp` remembers rows from `first` on.
inline std::pair<std::int64_t, std::uint32_t> first_repeated(const Starts& starts, const Column<const std::uint32_t>& indices,
                                                             const Column<std::int64_t>& stamp, std::int64_t first) {
    for (std::size_t t = 0; t + 1 < starts.size(); ++t) {
        const std::int64_t mark = first + static_cast<std::int64_t>(t);
        for (const std::uint32_t i : row_at(starts, indices.data, nullptr, t).indices) {
            if (stamp[i] == mark) return {static_cast<std::int64_t>(t), i};
            stamp[i] = mark;
        }
    }
    return {-1, 0};
}

// Is every value a whole number? From 2^23 on every float is.
inline bool are_whole(const Column<const float>& values) {
    std::size_t odd = 0;
    for (const float value : values) {
        const float small = std::abs(value) < 8388608.0F ? value : 0.0F;
        odd += (small != static_cast<float>(static_cast<std::int32_t>(small))) | (value != value);
    }
    return odd == 0;
}

// Adds a block to the tally: rounds, labelled, positives, false positives, false negatives, changes of label, last label.
template <class Label>
void count(const Column<const Label>& labels, const Column<const bool>& predictions, const Column<std::int64_t>& tally) {
    const std::size_t n = labels.size();
    std::uint32_t labelled = 0, ones = 0, false_ones = 0, false_zeros = 0;  // small numbers: many labels at a time
    for (std::size_t t = 0; t < n; ++t) {
        const std::int32_t y = labels[t], yhat = predictions[t];
        labelled += y >= 0;
        ones += y == 1;
        false_ones += (y >= 0) & (yhat > y);
        false_zeros += (y >= 0) & (yhat < y);
    }
    std::int64_t changes = 0, last = tally[6];
    for (std::size_t t = 0; t < n; ++t) {
        const std::int64_t y = labels[t];
        changes += (y >= 0) & (last >= 0) & (y != last);
        last = y >= 0 ? y : last;
    }
    tally[0] += static_cast<std::int64_t>(n);
    tally[1] += labelled;
    tally[2] += ones;
    tally[3] += false_ones;
    tally[4] += false_zeros;
    tally[5] += changes;
    tally[6] = last;
}

// Adds the rounds with a mistake to their lengths. `squares` are the |x|² of all rounds, where somebody has measured them.
template <class Label>
void measure(const Starts& starts, const float* values, const double* squares, const Column<const Label>& labels, const float* weights,
             const Column<const bool>& predictions, const MistakeLengths& lengths) {
    for (std::size_t t = 0; t < labels.size(); ++t) {
        if (labels[t] < 0 || labels[t] == static_cast<Label>(predictions[t])) continue;
        lengths.add(weights ? static_cast<double>(weights[t]) : 1.0, square_at(starts, values, squares, t));
    }
}

// The |x|² and max|x_i| of each row.
inline void measure_rows(const Starts& starts, const float* values, const Column<double>& squares, const Column<double>& largest) {
    for (std::size_t t = 0; t < squares.size(); ++t) {
        const Row row = row_at(starts, nullptr, values, t);
        squares[t] = squared_length(row);
        double most = row.size() == 0 || values ? 0.0 : 1.0;
        for (std::size_t k = 0; values && k < row.size(); ++k) most = std::max(most, std::abs(static_cast<double>(row.values[k])));
        largest[t] = most;
    }
}

// A row in one number: 4·(largest index) + 2·(index 0 is there) + (indices do not increase strictly); or -1-k where value k is not finite.
inline std::int64_t row_code(const Row& row) {
    std::int64_t top = 0, previous = -1;
    bool zero = false, falls = false;
    for (std::size_t k = 0; k < row.size(); ++k) {
        const std::int64_t i = row.indices[k];
        top = std::max(top, i);
        zero |= i == 0;
        falls |= i <= previous;
        previous = i;
        if (row.values && !std::isfinite(row.values[k])) return -1 - static_cast<std::int64_t>(k);
    }
    return 4 * top + 2 * zero + falls;
}

// What is counted of several classes. confusion[true, predicted]; tally: rounds, labelled, mistakes, changes of label, last label; lengths,
// of the mistakes that are no first appearance, c the weight of one: the largest |x|² and c|x|², Σc²|x|², Σc; and Σc over the first ones.
struct ClassCounts {
    Matrix<std::int64_t> confusion;
    Column<std::int64_t> tally;
    Column<double> lengths;
};

// Adds a block of several classes, of which `seen` were known before it, to the counts.
inline void count_classes(const Starts& starts, const float* values, const double* squares, const Column<const std::int32_t>& labels,
                          const float* weights, const Column<const std::int32_t>& predictions, std::int64_t seen, const ClassCounts& counts) {
    const auto& [confusion, tally, lengths] = counts;
    std::int64_t last = tally[4];
    for (std::size_t t = 0; t < labels.size(); ++t) {
        const std::int32_t y = labels[t], yhat = predictions[t];
        if (y < 0) continue;
        tally[1] += 1;
        tally[3] += (last >= 0) & (y != last);
        last = y;
        if (yhat >= 0) confusion[static_cast<std::size_t>(y)][static_cast<std::size_t>(yhat)] += 1;
        if (y == yhat) continue;
        tally[2] += 1;
        const double c = weights ? static_cast<double>(weights[t]) : 1.0;
        if (y == seen) {
            ++seen;
            lengths[4] += c;
            continue;
        }
        const double square = square_at(starts, values, squares, t);
        lengths[0] = std::max(lengths[0], square);
        lengths[1] = std::max(lengths[1], c * square);
        lengths[2] += c * c * square;
        lengths[3] += c;
    }
    tally[0] += static_cast<std::int64_t>(labels.size());
    tally[4] = last;
}

}  // namespace littlestone::blocks
