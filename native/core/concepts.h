// A finite class of concepts, 64 of them a word: bit c of a set is 1 while concept c is in it.
// What they say of an instance is a column of a table; or, of all monotone disjunctions (or conjunctions) over n variables, it is worked
// out: concept c is the subset c, and says 1 where it meets the set x of the row's variables (or lies in it). Words are 64 subsets that
// differ in the variables 0 to 5 only, so a word is all ones where its number meets x >> 6, and else a pattern of the six lowest bits of x.
#pragma once
#include <bit>
#include "row.h"

namespace littlestone {

// What the concepts say of one instance.
struct Answers {
    const std::uint64_t* column = nullptr;  // of the table, where there is one
    std::uint64_t low = 0, high = 0, flip = 0;

    std::uint64_t operator[](std::size_t word) const { return column ? column[word] : ((word & high) ? ~std::uint64_t{0} : low) ^ flip; }

    // Calls use(words) with a function of the number of a word: one without a branch, for loops over all of them.
    template <class Use>
    auto with_words(Use use) const {
        if (column) return use([from = column](std::size_t word) { return from[word]; });
        return use([a = low ^ flip, b = ~flip, set = high](std::size_t word) { return (word & set) ? b : a; });
    }
};

struct Concepts {
    enum Reading : std::int64_t { cube, points, any, every };  // a row is a point of a table, or a set that subsets are to meet, or to lie in

    std::int64_t reading;
    std::int64_t n;
    Matrix<const std::uint64_t> columns;

    // The number of an instance. Index n, of features counted from 1, takes the place of 0: the two never come together.
    std::uint64_t point_of(const Row& x) const {
        std::uint64_t point = 0;
        for (const std::uint32_t i : x.indices) {
            const std::uint64_t place = i < n ? i : 0;
            point = reading == points ? place : point | (std::uint64_t{1} << (place & 63));
        }
        return reading == every ? ((std::uint64_t{1} << n) - 1) & ~point : point;  // a subset lies in x unless it meets the rest
    }
    Answers answers(const Row& x) const {
        const std::uint64_t point = point_of(x);
        if (reading == cube || reading == points) return {columns[static_cast<std::size_t>(point)].data};
        return {nullptr, meeting(point), point >> 6, reading == every ? ~std::uint64_t{0} : 0};
    }

    // Which of the subsets 0 to 63 meet the six lowest bits of x.
    static std::uint64_t meeting(std::uint64_t x) {
        std::uint64_t pattern = 0;
        for (std::uint64_t subset = 0; subset < 64; ++subset) pattern |= std::uint64_t{(subset & x) != 0} << subset;
        return pattern;
    }
};

inline std::int64_t size_of(const Column<std::uint64_t>& set) {
    int size = 0;
    for (const std::uint64_t word : set) size += std::popcount(word);
    return size;
}

}  // namespace littlestone
