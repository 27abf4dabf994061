// Dimensions of a class of few concepts on many points: a search over its version spaces, each a set of concepts worked out once.
// A set is words of 64 bits, bit c for concept c; `columns` has a row for each point, the set of the concepts that say 1 of it. A point
// parts a set in two. No two concepts are equal. What is known of a set stands in a memo, which a search that would outgrow it leaves by MemoIsFull.
#pragma once
#include <algorithm>
#include <bit>
#include <vector>
#include "../core/row.h"

namespace littlestone {

using Set = std::vector<std::uint64_t>;

struct MemoIsFull {};

// Sets and a few whole numbers known of each: a hash table of open addressing, at most half full, that grows up to `most` sets.
class Memo {
public:
    Memo(std::size_t words, std::size_t notes, std::size_t most) : most(most), words_(words), width_(notes), slots_(2048, 0) {}

    const std::size_t most;

    // The notes of a set; nullptr where nothing is known of it.
    std::int64_t* find(const Set& set) {
        const std::size_t place = slots_[slot_of(set)];
        return place ? &notes_[(place - 1) * width_] : nullptr;
    }
    // Notes for a set that is not there yet, all 0.
    std::int64_t* add(const Set& set) {
        if (used_ == most) throw MemoIsFull{};
        if (2 * (used_ + 1) > slots_.size()) grow();
        slots_[slot_of(set)] = static_cast<std::uint32_t>(++used_);
        keys_.insert(keys_.end(), set.begin(), set.end());
        notes_.resize(used_ * width_);
        return &notes_[(used_ - 1) * width_];
    }

private:
    std::size_t home_of(const std::uint64_t* set) const {
        std::uint64_t hash = 0;
        for (std::size_t w = 0; w < words_; ++w) {
            hash = (hash ^ set[w]) * 0x9E3779B97F4A7C15;
            hash ^= hash >> 32;
        }
        return static_cast<std::size_t>(hash) & (slots_.size() - 1);
    }
    // The slot that holds a set, or the free one where it belongs.
    std::size_t slot_of(const Set& set) const {
        std::size_t slot = home_of(set.data());
        while (slots_[slot] && !std::equal(set.begin(), set.end(), &keys_[(slots_[slot] - 1) * words_])) slot = (slot + 1) & (slots_.size() - 1);
        return slot;
    }
    void grow() {
        slots_.assign(2 * slots_.size(), 0);
        for (std::size_t place = 0; place < used_; ++place) {
            std::size_t slot = home_of(&keys_[place * words_]);
            while (slots_[slot]) slot = (slot + 1) & (slots_.size() - 1);
            slots_[slot] = static_cast<std::uint32_t>(place + 1);
        }
    }

    std::size_t words_, width_, used_ = 0;
    std::vector<std::uint32_t> slots_;  // 1 + the place of a set, 0 where free
    std::vector<std::uint64_t> keys_;
    std::vector<std::int64_t> notes_;
};

// A yes-or-no question about a set, "is a quantity of it at least d?", answered once: the notes are a bound from below and one from above.
// `search` answers it where they do not tell.
template <class Search>
bool at_least_d(Memo& memo, const Set& set, std::int64_t d, Search search) {
    constexpr std::int64_t most = std::int64_t{1} << 31;  // no quantity is larger
    if (const std::int64_t* notes = memo.find(set)) {
        if (notes[0] >= d) return true;
        if (notes[1] < d) return false;
    }
    const bool holds = search();
    std::int64_t* notes = memo.find(set);
    if (!notes) {
        notes = memo.add(set);
        notes[1] = most;
    }
    if (holds) {
        notes[0] = std::max(notes[0], d);
    } else {
        notes[1] = std::min(notes[1], d - 1);
    }
    return holds;
}

using Points = Matrix<const std::uint64_t>;

inline std::int64_t size_of(const Set& set) {
    std::int64_t size = 0;
    for (const std::uint64_t word : set) size += std::popcount(word);
    return size;
}

// The concepts of a set that say 1 of a point; or those that say 0.
inline Set part(const Set& set, const Column<const std::uint64_t>& column, bool label) {
    Set result(set.size());
    for (std::size_t w = 0; w < set.size(); ++w) result[w] = set[w] & (label ? column[w] : ~column[w]);
    return result;
}

// A point, and how many concepts of a set say 1 of it.
struct Split {
    std::size_t point;
    std::int64_t ones;
};

// The points that leave at least so many concepts of a set on either side, the most even first, then by number.
inline std::vector<Split> splits_of(const Set& set, std::int64_t size, std::int64_t least, const Points& columns) {
    std::vector<Split> splits;
    for (std::size_t x = 0; x < columns.size(); ++x) {
        std::int64_t ones = 0;
        for (std::size_t w = 0; w < set.size(); ++w) ones += std::popcount(set[w] & columns[x][w]);
        if (least <= ones && ones <= size - least) splits.push_back({x, ones});
    }
    const auto smaller = [size](const Split& split) { return std::min(split.ones, size - split.ones); };
    std::stable_sort(splits.begin(), splits.end(), [&](const Split& a, const Split& b) { return smaller(a) > smaller(b); });
    return splits;
}

// Is the Littlestone dimension of a set at least d?
inline bool littlestone_at_least(const Set& set, std::int64_t d, const Points& columns, Memo& memo) {
    const std::int64_t size = size_of(set);
    if (d >= 63 || size < (std::int64_t{1} << std::max<std::int64_t>(d, 0))) return false;
    if (d <= 1) return true;
    return at_least_d(memo, set, d, [&] {
        for (const Split& split : splits_of(set, size, std::int64_t{1} << (d - 1), columns)) {
            const bool smaller = 2 * split.ones <= size;  // the smaller part first: it is the likelier to fail
            if (littlestone_at_least(part(set, columns[split.point], smaller), d - 1, columns, memo) &&
                littlestone_at_least(part(set, columns[split.point], !smaller), d - 1, columns, memo))
                return true;
        }
        return false;
    });
}

// Can halving be made to err d times from this set on?
// It errs on the smaller part, of two that are equal on the one that says 0; a point that also comes `flipped` has its labels exchanged. Or
// it is told what it predicts, and errs d times on the larger part. The smaller part of a subset is no larger than that of the set, so where
// no point leaves 2^(d-1) concepts on either side, no first mistake can be followed by d - 1 more.
inline bool halving_errs(const Set& set, std::int64_t d, const Points& columns, const Column<const bool>& straight, const Column<const bool>& flipped,
                         Memo& memo) {
    const std::int64_t size = size_of(set);
    if (d >= 63 || size < (std::int64_t{1} << d)) return false;
    if (d == 0) return true;
    return at_least_d(memo, set, d, [&] {
        const std::vector<Split> splits = splits_of(set, size, 1, columns);
        if (splits.empty() || std::min(splits[0].ones, size - splits[0].ones) < (std::int64_t{1} << (d - 1))) return false;
        for (const bool mistake : {true, false}) {  // parts that cost a mistake first
            for (const Split& split : splits) {
                for (const bool label : {false, true}) {
                    const std::int64_t count = label ? split.ones : size - split.ones;
                    if (count < (std::int64_t{1} << (d - mistake))) continue;
                    const bool tie_errs = label ? flipped[split.point] : straight[split.point];
                    if ((2 * count < size || (2 * count == size && tie_errs)) != mistake) continue;
                    if (halving_errs(part(set, columns[split.point], label), d - mistake, columns, straight, flipped, memo)) return true;
                }
            }
        }
        return false;
    });
}

}  // namespace littlestone
