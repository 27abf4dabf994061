// The pass over rows that lie in somebody else's memory: each is copied and checked while it is on its way into the cache, then played.
// What is checked is what is played, whatever others write meanwhile. One row after the other, and not many at a time: so the processor
// plays one while it waits for the memory of the next.
#pragma once
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>
#include <vector>
#include "blocks/measure.h"
#include "core/integer_lanes.h"
#include "core/ordered_sum.h"
#include "core/prefetch.h"
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

// A copy of one row, and the look at it.
class RowCopy {
public:
    RowCopy(const LentRows& lent, std::size_t longest, std::uint32_t limit)
        : lent_(lent), longest_(longest), limit_(limit), indices_(longest + ints_together), values_(lent.boolean() ? 0 : indices_.size()) {}

    Row row() const { return {{indices_.data(), size_}, values_.empty() ? nullptr : values_.data()}; }

    // What is known of the rows that were copied, and how many features were played.
    LentFacts facts() const {
        LentFacts all = facts_;
        for (std::size_t k = 0; k < ints_together; ++k) {
            all.largest = std::max(all.largest, std::bit_cast<float>(static_cast<std::int32_t>(largest_[k])));
            all.negative = all.negative || signs_[k] < 0;
        }
        return all;
    }
    void count_played() { facts_.entries += size_; }

    // Copies row t; false where it needs a closer look: its row pointers do not grow, its indices do not increase or reach the limit, or a
    // value is 0 or not finite. Some features are taken together, so as many must lie behind the last one.
    bool take(std::size_t t) {
        const std::int64_t begin = lent_.start(t), end = lent_.start(t + 1);
        if (begin < 0 || end < begin || static_cast<std::size_t>(end) + ints_together > lent_.indices.size()) return false;
        const auto from = static_cast<std::size_t>(begin);
        size_ = static_cast<std::size_t>(end - begin);
        if (size_ > longest_) return false;
        if (size_ == 0) return true;
        const bool fine = lent_.floats ? copy(from, lent_.floats) : lent_.doubles ? copy(from, lent_.doubles) : copy<float>(from, nullptr);
        const std::uint32_t top = indices_[size_ - 1];
        if (!fine || top >= limit_) return false;
        facts_.top = std::max(facts_.top, top);
        facts_.bottom = std::min(facts_.bottom, indices_[0]);
        facts_.longest = std::max(facts_.longest, size_);
        for (std::size_t k = 0; facts_.whole && !values_.empty() && k < size_; ++k) facts_.whole = values_[k] == std::rint(values_[k]);
        return true;
    }

private:
    static constexpr std::size_t ahead = 512;                   // features before they are wanted the memory is asked for them
    static constexpr std::int32_t largest_finite = 0x7F7FFFFF;  // the bits of a float

    // Whether the indices increase strictly and every value is finite and not 0.
    template <class Number>
    bool copy(std::size_t from, const Number* numbers) {
        const std::size_t n = size_, most = lent_.indices.size();
        const std::uint32_t* indices = lent_.indices.data();
        std::uint32_t* own_indices = indices_.data();
        float* own_values = values_.data();
        Ints place = counted(), before = Ints{} + -1, faults{}, largest = largest_, signs = signs_;
        for (std::size_t k = 0; k < n; k += ints_together, place = place + static_cast<std::int32_t>(ints_together)) {
            const std::size_t here = from + k, later = std::min(here + ahead, most);
            prefetch(indices + later);
            const Ints now = ints(indices + here), inside = place < static_cast<std::int32_t>(n);
            std::memcpy(own_indices + k, &now, sizeof now);
            faults = faults | (inside & ~(now > shifted_in(before, now)));  // an index of 2³¹ or more looks negative, and is a fault, too
            before = now;
            if (!numbers) continue;
            prefetch(numbers + later);
            const Ints bits = float_bits(numbers + here), size = bits & inside & 0x7FFFFFFF;
            std::memcpy(own_values + k, &bits, sizeof bits);
            faults = faults | (size > largest_finite) | (inside & (size == 0));
            largest = chosen(size > largest, size, largest);
            signs = signs | (bits & inside);
        }
        if (any(faults)) return false;
        largest_ = largest;
        signs_ = signs;
        return true;
    }

    LentRows lent_;
    std::size_t longest_;
    std::uint32_t limit_;
    std::size_t size_ = 0;
    LentFacts facts_;
    Ints largest_{}, signs_{};  // the bits of values, the largest without its sign, and all of them together
    std::vector<std::uint32_t> indices_;
    std::vector<float> values_;
};

// Plays rows until one needs a closer look, or the learner stops; returns how many were played.
template <class Learner>
std::size_t feed_rows(Learner& learner, const LentRows& lent, RowCopy& copy, const Record& record, const MistakeLengths* lengths) {
    for (std::size_t t = 0; t < lent.labels.size(); ++t) {
        if (!copy.take(t)) return t;
        const Row x = copy.row();
        if (!play_round(learner, x, lent.labels[t], 1.0, record, t)) return t;
        copy.count_played();
        if (lengths && lent.labels[t] >= 0 && (lent.labels[t] == 1) != record.predictions[t]) lengths->add(1.0, squared_length(x));
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
