// Columns to rows: what Arrow keeps column by column, as rows of floats, square by square so that both sides stay in the cache.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include "../core/row.h"

namespace littlestone::blocks {

// rows[t][k] = columns[k][start + t].
template <class In, class Out>
void turn_columns(const Matrix<const In>& columns, std::size_t start, const Matrix<Out>& rows) {
    constexpr std::size_t side = 64, together = 8;
    for (std::size_t low = 0; low < rows.size(); low += side) {
        const std::size_t high = std::min(low + side, rows.size());
        for (std::size_t first = 0; first < columns.size(); first += together) {
            const std::size_t last = std::min(first + together, columns.size());
            std::array<const In*, together> from{};
            for (std::size_t k = first; k < last; ++k) from[k - first] = columns[k].data + start;
            for (std::size_t t = low; t < high; ++t) {
                Out* const to = rows[t].data + first;
                if (last - first == together) {  // so that the compiler knows how many there are
                    for (std::size_t k = 0; k < together; ++k) to[k] = static_cast<Out>(from[k][t]);
                } else {
                    for (std::size_t k = 0; k < last - first; ++k) to[k] = static_cast<Out>(from[k][t]);
                }
            }
        }
    }
}

// Eight bytes as a square of bits, its rows made its columns: three times the halves of a square change places, each half the size.
inline std::uint64_t turned(std::uint64_t word) {
    const auto swap = [&word](unsigned by, std::uint64_t places) {
        const std::uint64_t different = (word ^ (word >> by)) & places;
        word ^= different ^ (different << by);
    };
    swap(7, 0x00AA00AA00AA00AA);
    swap(14, 0x0000CCCC0000CCCC);
    swap(28, 0x00000000F0F0F0F0);
    return word;
}

// The same of bits, eight in a byte, the lowest first; `start` is a multiple of 8. Eight rows of eight columns are turned at once.
template <class Out>
void turn_bits(const Matrix<const std::uint8_t>& columns, std::size_t start, const Matrix<Out>& rows) {
    static constexpr auto eights = [] {  // the bits of each byte as numbers
        std::array<std::array<Out, 8>, 256> made{};
        for (std::size_t byte = 0; byte < 256; ++byte)
            for (std::size_t k = 0; k < 8; ++k) made[byte][k] = static_cast<Out>((byte >> k) & 1);
        return made;
    }();
    for (std::size_t low = 0; low < rows.size(); low += 8) {
        const std::size_t place = (start + low) / 8, many = std::min<std::size_t>(8, rows.size() - low);
        for (std::size_t first = 0; first < columns.size(); first += 8) {
            const std::size_t wide = std::min<std::size_t>(8, columns.size() - first);
            std::uint64_t word = 0;
            for (std::size_t k = 0; k < wide; ++k) word |= static_cast<std::uint64_t>(columns[first + k][place]) << (8 * k);
            word = turned(word);
            for (std::size_t t = 0; t < many; ++t)
                std::copy_n(eights[(word >> (8 * t)) & 0xFF].begin(), wide, rows[low + t].data + first);
        }
    }
}

template <class T>
bool has_infinity(const Matrix<const T>& columns) {
    for (std::size_t k = 0; k < columns.size(); ++k) {
        bool found = false;
        for (const T number : columns[k]) found |= std::isinf(number);
        if (found) return true;
    }
    return false;
}

}  // namespace littlestone::blocks
