// Weights that are powers of a fraction α, kept as exponents and looked up in a table.
#pragma once
#include <algorithm>
#include <cmath>
#include "ordered_sum.h"

namespace littlestone {

// entries[e - low] is α^e as the nearest double; exponents below low count as low.
// Sums of powers with exponents from exact_low to exact_high are added by doubles without rounding.
struct Powers {
    std::int64_t low;
    Column<const double> entries;
    std::int64_t exact_low;
    std::int64_t exact_high;

    double operator[](std::int32_t e) const {
        const auto least = static_cast<std::int32_t>(low);
        return entries[static_cast<std::uint32_t>(std::max(e, least) - least)];
    }
    std::int32_t highest() const { return static_cast<std::int32_t>(low + static_cast<std::int64_t>(entries.length)) - 1; }
    bool exact(std::int32_t e) const { return exact_low <= e && e <= exact_high; }

    double sum(const Column<std::int32_t>& exponent, const Row& x) const {
        return ordered_sum(x.size(), [&](std::size_t k) { return (*this)[exponent[x.indices[k]]]; });
    }

    // Returns whether the sum reaches θ. A sum that rounding may have moved across θ is decided by the powers that doubles add exactly,
    // or not at all.
    Answer reaches(double theta, const Column<std::int32_t>& exponent, const Row& x) const {
        const double total = sum(exponent, x);
        const double doubt = static_cast<double>(x.size() + 16) * 0x1p-52 * (total + theta);
        if (std::abs(total - theta) > doubt) return answer(total >= theta);
        double exact_part = 0.0, rest = 0.0;
        std::size_t others = 0;
        for (const std::uint32_t i : x.indices) {
            const std::int32_t e = exponent[i];
            if (exact(e)) {
                exact_part += (*this)[e];
            } else {
                rest += (*this)[e];
                ++others;
            }
        }
        if (exact_part >= theta) return Answer::yes;
        if (others == 0 || exact_part + 2.0 * rest < theta - 4.0 * 0x1p-52 * theta) return Answer::no;
        return Answer::undecided;
    }
};

// Raises or lowers the exponents of a row's features by one, none beyond the table of powers.
inline void shift(const Column<std::int32_t>& exponent, const Row& x, std::int32_t step, std::int32_t highest) {
    for (const std::uint32_t i : x.indices) exponent[i] = std::min(exponent[i] + step, highest);
}

}  // namespace littlestone
