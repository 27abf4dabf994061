// Rows as the bytes that a stream's digest is made of; verifier/rounds.py says which.
#pragma once
#include <algorithm>
#include <vector>
#include "../core/bytes.h"
#include "../core/row.h"

namespace littlestone::blocks {

constexpr Byte long_name = 255;         // in place of a length: a name of more than eight bytes
constexpr std::size_t digest_spare = 16;  // bytes that the text must have beyond what it needs: eight are written at a time

// Names of columns. The first eight bytes of each, and its length; all bytes of those that are longer; and what decides their order: the
// length (255 for more) and the first seven bytes. Columns beyond these are named by their digits.
struct DigestNames {
    Column<const std::uint64_t> keys, words;
    Column<const Byte> lengths;
    Column<const std::int64_t> starts;
    Column<const Byte> bytes;

    std::span<const Byte> whole(std::uint32_t i) const {
        return {bytes.data + starts[i], static_cast<std::size_t>(starts[i + 1] - starts[i])};
    }

    // Does name a come before name b? The shorter first, then the order of their bytes.
    bool before(std::uint32_t a, std::uint32_t b) const {
        if (keys.empty()) return a < b;
        if (keys[a] != keys[b]) return keys[a] < keys[b];
        const auto one = whole(a), other = whole(b);
        if (one.size() != other.size()) return one.size() < other.size();
        return std::ranges::lexicographical_compare(one, other);
    }
};

// The names of the first columns where these have none: their digits, at most eight.
inline void number_columns(const Column<std::uint64_t>& words, const Column<Byte>& lengths) {
    for (std::size_t column = 0; column < words.size(); ++column) {
        std::uint64_t word = 0;
        Byte length = 0;
        std::size_t left = column;
        do {
            word = word << 8 | ('0' + left % 10);
            left /= 10;
            ++length;
        } while (left > 0);
        words[column] = word;
        lengths[column] = length;
    }
}

// Where the text of rows goes on.
struct DigestText {
    Byte* at;

    void put_byte(Byte c) { *at++ = c; }
    void put_word(std::uint64_t word, std::size_t size) {
        store8(at, word);
        at += size;
    }
    void put_number(float value) {
        std::uint32_t bits;
        std::memcpy(&bits, &value, sizeof bits);
        put_word(bits, sizeof bits);
    }
    void put_name(const DigestNames& names, std::uint32_t i) {
        if (i >= names.words.size()) {
            Byte digits[10];
            std::size_t begin = sizeof digits;
            do {
                digits[--begin] = static_cast<Byte>('0' + i % 10);
                i /= 10;
            } while (i > 0);
            at = std::copy(digits + begin, digits + sizeof digits, at);
        } else if (names.lengths[i] != long_name) {
            put_word(names.words[i], names.lengths[i]);
        } else {
            at = std::ranges::copy(names.whole(i), at).out;
        }
        put_byte(0xFF);
    }
};

// Sorts a few by insertion, and more by merging: neither changes the order of those that are alike.
template <class Before>
void sort_stably(std::vector<std::size_t>& order, Before before) {
    if (order.size() > 32) return std::stable_sort(order.begin(), order.end(), before);
    for (std::size_t j = 1; j < order.size(); ++j)
        for (std::size_t k = j; k > 0 && before(order[k], order[k - 1]); --k) std::swap(order[k], order[k - 1]);
}

// Writes rows with their labels and, unless null, weights; returns the number of bytes written.
inline std::int64_t write_rows(const Column<const std::int64_t>& indptr, const Column<const std::uint32_t>& indices, const float* values,
                               const Column<const std::int32_t>& labels, const float* weights, const DigestNames& names,
                               const Column<Byte>& out) {
    DigestText text{out.data};
    std::vector<std::size_t> order;
    for (std::size_t row = 0; row < labels.size(); ++row) {
        const auto lo = static_cast<std::size_t>(indptr[row]), hi = static_cast<std::size_t>(indptr[row + 1]);
        text.put_byte(labels[row] == 1 ? '1' : labels[row] == 0 ? '0' : '?');
        if (weights) text.put_number(weights[row]);
        order.resize(hi - lo);
        for (std::size_t j = 0; j < hi - lo; ++j) order[j] = lo + j;
        sort_stably(order, [&](std::size_t a, std::size_t b) { return names.before(indices[a], indices[b]); });
        if (values) std::erase_if(order, [&](std::size_t k) { return values[k] == 0.0f; });
        for (const std::size_t k : order) text.put_name(names, indices[k]);
        text.put_byte(0xFE);
        for (const std::size_t k : order) text.put_number(values ? values[k] : 1.0f);
    }
    return text.at - out.data;
}

}  // namespace littlestone::blocks
