// The pass over rows that lie in somebody else's memory: a few are copied into the cache, the copy is checked, and then it is played, while
// the memory is asked for the next few. What is checked is what is played, whatever others write meanwhile.
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>
#include <vector>
#include "blocks/measure.h"
#include "core/ordered_sum.h"
#include "round.h"

namespace littlestone {

// Rows in compressed form, of numbers of whatever kind their owner has. Row pointers lie where others may write, so no number of theirs is
// believed, and each is read once.
struct LentRows {
    const std::int32_t* short_starts;  // or nullptr
    const std::int64_t* long_starts;
    std::span<const std::uint32_t> indices;
    const float* floats;    // or nullptr
    const double* doubles;  // rounded to floats as they are copied; where there are neither, every value is 1
    std::span<const std::int8_t> labels;

    std::int64_t start(std::size_t t) const { return short_starts ? read_once(short_starts + t) : read_once(long_starts + t); }
    bool boolean() const { return !floats && !doubles; }

    template <class T>
    static std::int64_t read_once(const T* from) {
        return *const_cast<const volatile T*>(from);
    }
};

// What is known of the rows that were played.
struct LentFacts {
    std::uint32_t top = 0, bottom = std::numeric_limits<std::uint32_t>::max();  // the largest and the least index
    std::size_t longest = 0;
    std::size_t entries = 0;
    float largest = 0.0f;  // of |x_i|
    bool negative = false, whole = true;
};

// A copy of a few rows, and the look at it.
class RowCopy {
public:
    RowCopy(const LentRows& lent, std::size_t longest, std::uint32_t limit)
        : lent_(lent), longest_(longest), limit_(limit), indices_(std::max(longest, chunk)), values_(lent.boolean() ? 0 : indices_.size()) {}

    LentFacts facts;

    // Copies rows from `first` on; returns how many of them may be played. The one behind these, or the first, needs a closer look: its row
    // pointers do not grow, its indices do not increase or reach the limit, or a value is 0 or not finite.
    std::size_t take(std::size_t first) {
        rows_ = locate(first);
        copy(starts_[rows_]);
        LentFacts found = facts;
        if (!look(0, rows_, found)) {
            const std::size_t located = rows_;
            found = facts;
            for (rows_ = 0; rows_ < located; ++rows_) {
                LentFacts more = found;
                if (!look(rows_, rows_ + 1, more)) break;
                found = more;
            }
        }
        facts = found;
        for (std::size_t k = 0; facts.whole && !values_.empty() && k < starts_[rows_]; ++k) facts.whole = values_[k] == std::rint(values_[k]);
        return rows_;
    }
    Row row(std::size_t k) const {
        const std::size_t begin = starts_[k];
        return {{indices_.data() + begin, starts_[k + 1] - begin}, values_.empty() ? nullptr : values_.data() + begin};
    }
    // Asks the memory for what will be copied some rows from now.
    void ask_ahead(std::size_t k) const {
        for (std::size_t at = begin_ + starts_[k] + ahead, end = std::min(at + row(k).size(), lent_.indices.size()); at < end; at += 16) {
            __builtin_prefetch(lent_.indices.data() + at);
            if (lent_.floats) __builtin_prefetch(lent_.floats + at);
            if (lent_.doubles) {
                __builtin_prefetch(lent_.doubles + at);
                __builtin_prefetch(lent_.doubles + std::min(at + 8, end));
            }
        }
    }

private:
    // So few rows are copied together that the processor may play the first of them while it waits for the memory of the next.
    static constexpr std::size_t most_rows = 32, chunk = 64, ahead = 512;  // the others in features
    static constexpr std::int32_t largest_finite = 0x7F7FFFFF;  // the bits of a float

    // Notes where the next rows begin in the copy, as long as there is room for them; returns how many they are.
    std::size_t locate(std::size_t first) {
        starts_[0] = 0;
        const std::int64_t begin = lent_.start(first);
        const std::size_t most = std::min(most_rows, lent_.labels.size() - first), size = lent_.indices.size();
        if (begin < 0 || static_cast<std::size_t>(begin) > size) return 0;
        begin_ = static_cast<std::size_t>(begin);
        const std::size_t room = std::min(indices_.size(), size - begin_);
        std::size_t before = 0;
        for (std::size_t k = 0; k < most; ++k) {
            const std::size_t end = static_cast<std::size_t>(lent_.start(first + k + 1)) - begin_;  // huge where it is less
            if (end < before || end - before > longest_ || end > room) return k;
            starts_[k + 1] = before = end;
        }
        return most;
    }
    void copy(std::size_t n) {
        copy_lines(lent_.indices.data() + begin_, n, indices_.data());
        if (lent_.floats) copy_lines(lent_.floats + begin_, n, values_.data());
        for (std::size_t k = 0; lent_.doubles && k < n; ++k) values_[k] = static_cast<float>(lent_.doubles[begin_ + k]);
    }
    // The system's own memcpy may begin with an instruction that takes longer than all of this.
    template <class T>
    static void copy_lines(const T* from, std::size_t n, T* to) {
        constexpr std::size_t line = 64 / sizeof(T);
        std::size_t k = 0;
        for (; k + line <= n; k += line) std::memcpy(to + k, from + k, 64);
        for (; k < n; ++k) to[k] = from[k];
    }

    // Looks at the copied rows from one to another: do the indices of each increase strictly and stay below the limit, and are all values
    // finite and not 0? All features are looked at in one loop; a fall from one row to the next is no fault.
    bool look(std::size_t first, std::size_t last, LentFacts& found) const {
        const std::uint32_t* indices = indices_.data();
        const std::size_t from = starts_[first], to = starts_[last];
        std::uint32_t faults = 0;
        for (std::size_t k = from + 1; k < to; ++k) faults += indices[k] <= indices[k - 1];
        for (std::size_t t = first; t < last; ++t) {
            const std::size_t begin = starts_[t], end = starts_[t + 1];
            if (begin == end) continue;
            found.top = std::max(found.top, indices[end - 1]);
            found.bottom = std::min(found.bottom, indices[begin]);
            found.longest = std::max(found.longest, end - begin);
            if (begin > from) faults -= indices[begin] <= indices[begin - 1];
        }
        if (!values_.empty()) {
            std::int32_t bad = 0, largest = 0, signs = 0;
            for (std::size_t k = from; k < to; ++k) {
                const auto bits = std::bit_cast<std::int32_t>(values_[k]);
                const std::int32_t size = bits & 0x7FFFFFFF;
                bad |= (size == 0) | (size > largest_finite);
                largest = std::max(largest, size);
                signs |= bits;
            }
            faults += static_cast<std::uint32_t>(bad);
            found.largest = std::max(found.largest, std::bit_cast<float>(largest));
            found.negative |= signs < 0;
        }
        return faults == 0 && found.top < limit_;
    }

    LentRows lent_;
    std::size_t longest_;
    std::uint32_t limit_;
    std::size_t begin_ = 0, rows_ = 0;
    std::array<std::size_t, most_rows + 1> starts_{};  // where the rows begin in the copy, and the last one ends
    std::vector<std::uint32_t> indices_;
    std::vector<float> values_;
};

// Plays rows until one needs a closer look, or the learner stops; returns how many were played.
template <class Learner>
std::size_t feed_rows(Learner& learner, const LentRows& lent, RowCopy& copy, const Record& record, const MistakeLengths* lengths) {
    for (std::size_t t = 0; t < lent.labels.size();) {
        const std::size_t rows = copy.take(t);
        if (rows == 0) return t;
        for (std::size_t k = 0; k < rows; ++k, ++t) {
            const Row x = copy.row(k);
            copy.ask_ahead(k);
            if (!play_round(learner, x, lent.labels[t], 1.0, record, t)) return t;
            copy.facts.entries += x.size();
            if (lengths && lent.labels[t] >= 0 && (lent.labels[t] == 1) != record.predictions[t]) lengths->add(1.0, squared_length(x));
        }
    }
    return lent.labels.size();
}

template <class Learner>
std::size_t feed(Learner& learner, const LentRows& lent, RowCopy& copy, const Record& record, const MistakeLengths* lengths) {
    begin(learner);
    const std::size_t played = feed_rows(learner, lent, copy, record, lengths);
    finish(learner);
    return played;
}

}  // namespace littlestone
