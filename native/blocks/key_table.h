// Many small tables of features in one array, the pool: each key has a stretch of it, in which a feature's place is found by its hash.
//
// The place is the column that the key's learner sees, so a key with ten features has a state of some sixteen places, however many features
// there are. A stretch is a power of two long and at most three quarters full. One that is too short is left, and a longer one begins at the
// end of the pool.
#pragma once
#include <algorithm>
#include <bit>
#include <cmath>
#include "../core/ordered_sum.h"
#include "../core/row.h"

namespace littlestone::blocks {

constexpr std::uint32_t no_feature = 0xFFFFFFFF;

struct KeyTable {
    Column<std::uint32_t> pool;
    Column<std::int64_t> begins, lengths;

    // Where a feature stands in a key's stretch, or the free place where it would stand.
    std::uint32_t place_of(std::size_t key, std::uint32_t feature) const {
        const auto mask = static_cast<std::size_t>(lengths[key]) - 1, begin = static_cast<std::size_t>(begins[key]);
        std::size_t place = ((feature * std::uint64_t{0x9E3779B97F4A7C15}) >> 32) & mask;
        while (pool[begin + place] != feature && pool[begin + place] != no_feature) place = (place + 1) & mask;
        return static_cast<std::uint32_t>(place);
    }
    bool has(std::size_t key, std::uint32_t feature) const {
        return lengths[key] > 0 && pool[static_cast<std::size_t>(begins[key]) + place_of(key, feature)] == feature;
    }
    void put(std::size_t key, std::uint32_t feature) const { pool[static_cast<std::size_t>(begins[key]) + place_of(key, feature)] = feature; }
};

// The rows of the keys: visits[v] is the key of the rows from starts[v] on.
struct Visits {
    Column<const std::int64_t> keys, starts, indptr;
    Column<const std::uint32_t> indices;

    std::size_t size() const { return keys.size(); }
    std::size_t key(std::size_t v) const { return static_cast<std::size_t>(keys[v]); }
    std::size_t first(std::size_t v) const { return static_cast<std::size_t>(starts[v]); }
    std::span<const std::uint32_t> features(std::size_t begin, std::size_t end) const {
        return {indices.data + indptr[begin], indices.data + indptr[end]};
    }
};

struct Entered {
    std::int64_t first, room;  // the visit before which the pool was full, and the room that it needs
};

// Lets the features of all rows have places, from a visit on. `end` is the pool's. Where a stretch is left for a longer one, `old_begins` and
// `old_lengths` tell where the state stands now: the first of them, if it is left more than once.
inline Entered enter(std::size_t from, const Visits& visits, const KeyTable& table, const Column<std::int64_t>& used,
                     const Column<std::int64_t>& old_begins, const Column<std::int64_t>& old_lengths, const Column<std::int64_t>& end) {
    for (std::size_t v = from; v < visits.size(); ++v) {
        const std::size_t key = visits.key(v);
        for (std::size_t row = visits.first(v); row < visits.first(v + 1); ++row) {
            const auto features = visits.features(row, row + 1);
            const std::int64_t fresh = std::ranges::count_if(features, [&](std::uint32_t i) { return !table.has(key, i); });
            const std::int64_t length = table.lengths[key], before = table.begins[key];
            if (length == 0 || (fresh > 0 && 4 * (used[key] + fresh) > 3 * length)) {
                std::int64_t longer = std::max<std::int64_t>(1, length);
                while (4 * (used[key] + fresh) > 3 * longer) longer *= 2;
                if (end[0] + longer > static_cast<std::int64_t>(table.pool.size())) return {static_cast<std::int64_t>(v), longer};
                if (old_lengths[key] < 0) {
                    old_begins[key] = before;
                    old_lengths[key] = length;
                }
                table.begins[key] = end[0];
                table.lengths[key] = longer;
                std::fill_n(&table.pool[static_cast<std::size_t>(end[0])], longer, no_feature);
                end[0] += longer;
                for (std::int64_t k = before; k < before + length; ++k) {
                    const std::uint32_t feature = table.pool[static_cast<std::size_t>(k)];
                    if (feature != no_feature) table.put(key, feature);
                }
            }
            if (fresh == 0) continue;
            for (const std::uint32_t i : features) table.put(key, i);
            used[key] += fresh;
        }
    }
    return {static_cast<std::int64_t>(visits.size()), 0};
}

// The place of each feature in its key's stretch.
inline void look_up(const Visits& visits, const KeyTable& table, const Column<std::uint32_t>& places) {
    for (std::size_t v = 0; v < visits.size(); ++v) {
        auto at = static_cast<std::size_t>(visits.indptr[visits.first(v)]);
        for (const std::uint32_t i : visits.features(visits.first(v), visits.first(v + 1))) places[at++] = table.place_of(visits.key(v), i);
    }
}

// The rounds of each code one after the other, in their order: those of code c from `places[ranks[c]]` on, which moves along.
inline void group_rounds(const Column<const std::int64_t>& codes, const Column<const std::int64_t>& ranks, const Column<std::int64_t>& places,
                         const Column<std::int64_t>& order) {
    for (std::size_t round = 0; round < codes.size(); ++round) {
        std::int64_t& place = places[static_cast<std::size_t>(ranks[static_cast<std::size_t>(codes[round])])];
        order[static_cast<std::size_t>(place++)] = static_cast<std::int64_t>(round);
    }
}

// What is counted of each key, a row for each. `tally`: rounds, labelled, positives, false positives, false negatives, changes of label, last
// label. `measures`, of the rounds with a mistake, c the weight of one: the largest c|x|², Σc²|x|², Σc and the largest c. `sizes`: the largest
// index, the smallest, non-zeros, the widest row. `flags`: is a value no whole number, is one below 0, is a weight not 1?
struct KeyCounts {
    Matrix<std::int64_t> tally;
    Matrix<double> measures;
    Matrix<std::int64_t> sizes;
    Column<double> largest;
    Matrix<bool> flags;

    void add_label(std::size_t key, std::int32_t label, bool predicted) const {
        const auto counts = tally[key];
        ++counts[0];
        if (label < 0) return;
        const auto yes = static_cast<std::int32_t>(predicted);
        ++counts[1];
        counts[2] += label == 1;
        counts[3] += yes > label;
        counts[4] += yes < label;
        counts[5] += counts[6] >= 0 && label != counts[6];
        counts[6] = label;
    }
    void add_mistake(std::size_t key, double c, double squared_length) const {
        const auto measured = measures[key];
        measured[0] = std::max(measured[0], c * squared_length);
        measured[1] += c * c * squared_length;
        measured[2] += c;
        measured[3] = std::max(measured[3], c);
    }
    void add_features(std::size_t key, const Row& x) const {
        const auto size = sizes[key];
        size[2] += static_cast<std::int64_t>(x.size());
        size[3] = std::max(size[3], static_cast<std::int64_t>(x.size()));
        for (std::size_t k = 0; k < x.size(); ++k) {
            const double value = x.value(k);
            size[0] = std::max<std::int64_t>(size[0], x.indices[k]);
            size[1] = std::min<std::int64_t>(size[1], x.indices[k]);
            largest[key] = std::max(largest[key], std::abs(value));
            flags[key][0] |= value != std::rint(value);
            flags[key][1] |= value < 0;
        }
    }
};

inline void count_rounds(const Visits& visits, const float* values, const Column<const std::int32_t>& labels, const float* weights,
                         const Column<const bool>& predictions, const KeyCounts& counts) {
    for (std::size_t v = 0; v < visits.size(); ++v) {
        const std::size_t key = visits.key(v);
        for (std::size_t row = visits.first(v); row < visits.first(v + 1); ++row) {
            const Row x{visits.features(row, row + 1), values ? values + visits.indptr[row] : nullptr};
            counts.add_label(key, labels[row], predictions[row]);
            if (labels[row] >= 0 && labels[row] != static_cast<std::int32_t>(predictions[row]))
                counts.add_mistake(key, weights ? static_cast<double>(weights[row]) : 1.0, squared_length(x));
            counts.add_features(key, x);
            if (weights) counts.flags[key][2] |= weights[row] != 1.0f;
        }
    }
}

// Says what the adviser says that has erred less on this key so far, the shared one where both are even (theory/keyed.py). A row of `counts`
// has the mistakes of the key's own learner, of the shared one, and of what is predicted here.
inline void follow_better(const Column<const std::int64_t>& keys, const Column<const std::int64_t>& starts,
                          const Column<const std::int32_t>& labels, const Column<const std::int32_t>& own,
                          const Column<const std::int32_t>& shared, const Matrix<std::int64_t>& counts,
                          const Column<std::int32_t>& predictions) {
    for (std::size_t v = 0; v < keys.size(); ++v) {
        const auto mistakes = counts[static_cast<std::size_t>(keys[v])];
        for (auto row = static_cast<std::size_t>(starts[v]); row < static_cast<std::size_t>(starts[v + 1]); ++row) {
            predictions[row] = mistakes[0] < mistakes[1] ? own[row] : shared[row];
            if (labels[row] < 0) continue;
            mistakes[0] += own[row] != labels[row];
            mistakes[1] += shared[row] != labels[row];
            mistakes[2] += predictions[row] != labels[row];
        }
    }
}

}  // namespace littlestone::blocks
