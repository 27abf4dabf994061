// Text as bytes: eight at a time as one number, the first byte lowest, and sixty-four at a time as one bit each.
// Whoever calls these has seen to it that so many bytes are there: every text has `slack` bytes behind what is parsed.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace littlestone {

using Byte = std::uint8_t;

constexpr std::size_t slack = 80;

inline std::uint64_t little_endian(std::uint64_t word) {
    if constexpr (std::endian::native == std::endian::little) return word;
    std::uint64_t turned = 0;
    for (int k = 0; k < 8; ++k) turned |= ((word >> (8 * k)) & 0xFF) << (56 - 8 * k);
    return turned;
}

inline std::uint64_t load8(const Byte* at) {
    std::uint64_t word;
    std::memcpy(&word, at, sizeof word);
    return little_endian(word);
}

inline void store8(Byte* at, std::uint64_t word) {
    word = little_endian(word);
    std::memcpy(at, &word, sizeof word);
}

// The first 1 to 8 bytes, the others 0.
inline std::uint64_t first_bytes(const Byte* at, std::uint64_t count) { return load8(at) & (~std::uint64_t{0} >> (64 - count * 8)); }

inline std::uint64_t trailing_zeros(std::uint64_t word) { return static_cast<std::uint64_t>(std::countr_zero(word)); }

namespace scan {

#if defined(__GNUC__) || defined(__clang__)
// Sixteen bytes side by side; what a comparison makes of them is -1 or 0 in each.
using Sixteen = Byte __attribute__((vector_size(16)));
using Truths = signed char __attribute__((vector_size(16)));

inline Sixteen load16(const Byte* at) {
    Sixteen bytes;
    std::memcpy(&bytes, at, sizeof bytes);
    return bytes;
}

// One bit for each truth, the first lowest.
inline std::uint64_t bits16(const Truths& truths) {
#if defined(__SSE2__)
    using Characters = char __attribute__((vector_size(16)));  // x86-64 has an instruction for it
    return static_cast<std::uint64_t>(static_cast<unsigned>(__builtin_ia32_pmovmskb128(std::bit_cast<Characters>(truths))));
#else
    std::uint64_t halves[2];
    std::memcpy(halves, &truths, sizeof halves);
    for (std::uint64_t& half : halves) half = ((little_endian(half) & 0x8040201008040201u) * 0x0101010101010101u) >> 56;
    return halves[0] | halves[1] << 8;
#endif
}

template <class Test>
std::uint64_t bits(const Byte* at, Test test) {
    std::uint64_t found = 0;
    for (int part = 0; part < 4; ++part) found |= bits16(test(at + 16 * part)) << (16 * part);
    return found;
}
#else
template <class Test>
std::uint64_t bits(const Byte* at, Test test) {
    std::uint64_t found = 0;
    for (int k = 0; k < 64; ++k) found |= static_cast<std::uint64_t>(test(at + k)) << k;
    return found;
}
inline const Byte& load16(const Byte* at) { return *at; }
#endif

}  // namespace scan

// Which of 64 bytes may end a word of VW text: those up to the blank, and `%`, `:`, `|`.
inline std::uint64_t word_ends(const Byte* at) {
    return scan::bits(at, [](const Byte* from) {
        const auto bytes = scan::load16(from);
        return (bytes <= 0x20) | (bytes == '%') | (bytes == ':') | (bytes == '|');
    });
}

// Which of 64 bytes are no digits; a minus after a colon counts as one. Reads 65 bytes.
inline std::uint64_t nondigits(const Byte* at) {
    const std::uint64_t after_first = scan::bits(at, [](const Byte* from) {
        const auto before = scan::load16(from), bytes = scan::load16(from + 1);
        return ((bytes < '0') | (bytes > '9')) & ((bytes != '-') | (before != ':'));
    });
    return after_first << 1 | static_cast<std::uint64_t>(*at < '0' || *at > '9');
}

// An entry that one thread may read while another writes it: which of both values is read does not matter, but it is one of them.
inline std::uint64_t read_shared(const std::uint64_t* entry) {
#if defined(__GNUC__) || defined(__clang__)
    return __atomic_load_n(entry, __ATOMIC_RELAXED);
#else
    return *static_cast<const volatile std::uint64_t*>(entry);
#endif
}

inline void write_shared(std::uint64_t* entry, std::uint64_t value) {
#if defined(__GNUC__) || defined(__clang__)
    __atomic_store_n(entry, value, __ATOMIC_RELAXED);
#else
    *static_cast<volatile std::uint64_t*>(entry) = value;
#endif
}

}  // namespace littlestone
