// Dimensions of a class on few points, by one sweep over its partial labellings.
//
// Of m points each is labelled 0, labelled 1, or free (2): a number of m digits in base 3, digit j for point j. It stands for the version
// space of the concepts that agree with the labels. To label a free point makes the number smaller, so in the order of the numbers the two
// parts of every version space come before it, and each quantity is one pass, whatever the class.
//
// Labellings that share their high digits are a block of 3^5 numbers in a row. The parts by a high point are two earlier blocks, looked up
// place by place, which a compiler makes vectors of; parts by a low point lie in the same block, and are looked up one by one.
//
// Every quantity is kept plus one, so that 0 is the empty version space; at first it is 0, but the unit at the labellings that are concepts.
#pragma once
#include <algorithm>
#include <array>
#include <vector>
#include "../core/row.h"

namespace littlestone {

inline constexpr int low_digits = 5;
inline constexpr std::size_t labellings_of_a_block = 243;

// Calls step(s, zero, one, j) for each labelling s and each of its free points j, `zero` and `one` the labellings where that is labelled.
template <class Step>
void sweep(std::size_t labellings, int points, Step step) {
    std::array<std::vector<int>, labellings_of_a_block> low_free;  // which of the low points are free
    for (std::size_t low = 0; low < labellings_of_a_block; ++low) {
        for (std::size_t j = 0, rest = low; j < low_digits; ++j, rest /= 3) {
            if (rest % 3 == 2) low_free[low].push_back(static_cast<int>(j));
        }
    }
    std::array<std::size_t, low_digits> low_power{1, 3, 9, 27, 81};
    for (std::size_t first = 0; first < labellings; first += labellings_of_a_block) {
        std::size_t power = labellings_of_a_block, rest = first / labellings_of_a_block;
        for (int j = low_digits; j < points; ++j, power *= 3, rest /= 3) {
            if (rest % 3 != 2) continue;
            for (std::size_t s = first; s < first + labellings_of_a_block; ++s) step(s, s - 2 * power, s - power, j);
        }
        for (std::size_t low = 0; low < labellings_of_a_block; ++low) {
            const std::size_t s = first + low;
            for (const int j : low_free[low]) step(s, s - 2 * low_power[static_cast<std::size_t>(j)], s - low_power[static_cast<std::size_t>(j)], j);
        }
    }
}

// Ldim + 1 of every labelling: the larger of two parts, or one more where they are equal. An empty part leaves the other as it is.
inline void sweep_littlestone(Column<std::uint8_t> values, int points) {
    std::uint8_t* v = values.data;
    sweep(values.size(), points, [v](std::size_t s, std::size_t zero, std::size_t one, int) {
        const std::uint8_t a = v[zero], b = v[one], larger = std::max(a, b);
        v[s] = std::max(v[s], static_cast<std::uint8_t>(larger + (a == b && a > 0)));
    });
}

// What the best randomised learner expects, + 1 and times the unit 2^m: a whole number, since each free point halves once.
inline void sweep_randomised(Column<std::int32_t> values, int points, std::int32_t unit) {
    std::int32_t* v = values.data;
    sweep(values.size(), points, [v, unit](std::size_t s, std::size_t zero, std::size_t one, int) {
        const std::int32_t a = v[zero], b = v[one];
        const std::int32_t difference = a > b ? a - b : b - a;
        v[s] = std::max(v[s], difference <= unit && a + b > 0 ? (a + b + unit) >> 1 : std::max(a, b));
    });
}

// Halving's mistakes + 1: it errs on the smaller part, of two that are equal on the one that says 0. A point that also comes `flipped` has
// its labels exchanged. `sizes`, the concepts in each labelling, begins as `values` does; that of all 2^16 is 0, but no point parts more than them.
inline void sweep_halving(Column<std::uint8_t> values, Column<std::uint16_t> sizes, int points, Column<const bool> straight,
                          Column<const bool> flipped) {
    std::uint8_t* v = values.data;
    std::uint16_t* size = sizes.data;
    sweep(values.size(), points, [=](std::size_t s, std::size_t zero, std::size_t one, int j) {
        const auto point = static_cast<std::size_t>(j);
        const std::uint16_t zeros = size[zero], ones = size[one];
        const std::uint8_t a = v[zero], b = v[one];
        size[s] = static_cast<std::uint16_t>(zeros + ones);
        const bool errs_on_zero = a > 0 && (zeros < ones || (zeros == ones && straight[point]));
        const bool errs_on_one = b > 0 && (zeros > ones || (zeros == ones && flipped[point]));
        v[s] = std::max({v[s], static_cast<std::uint8_t>(a + errs_on_zero), static_cast<std::uint8_t>(b + errs_on_one)});
    });
}

// The most points whose labellings 11...1, 01...1, 001...1, ..., 0...01 are all there, in some order of the points.
// Here a free point is one that was not chosen. A labelling that is there is a chain if it has a single 1, or if one of its 1s may be made 0
// to give a chain. Wanted is the chain of the most points that are all labelled 1.
inline int sweep_threshold(Column<std::uint8_t> values, int points) {
    constexpr std::uint8_t there = 1, chain = 2;
    int best = 0;
    for (std::size_t s = 0; s < values.size(); ++s) {
        std::size_t rest = s, power = 1;
        int zeros = 0, ones = 0;
        bool free = false, longer = false;
        for (int j = 0; j < points; ++j, rest /= 3, power *= 3) {
            if (rest % 3 == 0) {
                ++zeros;
            } else if (rest % 3 == 1) {
                ++ones;
                longer |= (values[s - power] & chain) != 0;
            } else if (!free) {  // one free point tells whether some concept agrees
                free = true;
                values[s] = (values[s - power] | values[s - 2 * power]) & there;
                if (values[s] == 0) break;
            }
        }
        if (values[s] && (ones == 1 || longer)) {
            values[s] |= chain;
            if (zeros == 0) best = std::max(best, ones);
        }
    }
    return best;
}

}  // namespace littlestone
