// Decimal numbers in text, and features that are numbers, such as `17:0.25`.
// What nearly all text has is converted at once; a number that needs more care is left to plain Python, by an `after` that is null.
#pragma once
#include <algorithm>
#include <array>
#include "../core/bytes.h"
#include "../core/row.h"

namespace littlestone::text {

constexpr double largest_float = 0x1.fffffep127;
constexpr std::uint64_t largest_index = 0x7FFFFFFF;
constexpr std::uint64_t sure_digits = 15;  // so many digits are a double without rounding

// Exact doubles: one multiplication or division by them rounds once. The first eight once more with a minus, at `negative` and after.
constexpr std::uint64_t negative = 23;
constexpr std::array<double, 31> tens = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                         1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22, -1e0, -1e1, -1e2, -1e3, -1e4, -1e5, -1e6, -1e7};

struct Number {
    double value;
    const Byte* after;
};

inline bool is_blank(Byte c) { return c == ' ' || c == '\t' || c == '\r'; }

// May this byte stand after a feature?
inline bool ends_feature(Byte c) { return c == '\n' || c == '|' || is_blank(c); }

inline std::uint64_t digit(Byte c) { return static_cast<std::uint64_t>(c) - '0'; }  // 10 and more: it is none

constexpr std::uint64_t noughts = 0x3030303030303030;

// How many of eight bytes, from the first on, are digits; '0' was taken from each by exclusive or.
inline std::uint64_t digits_in(std::uint64_t word) { return trailing_zeros(((word + 0x7676767676767676) | word) & 0x8080808080808080) >> 3; }

// The number that eight digits spell: neighbours are joined to pairs, pairs to fours, fours to eight.
inline std::uint32_t joined(std::uint64_t word) {
    word = (word * 10 + (word >> 8)) & 0x00FF00FF00FF00FF;
    word = (word * 100 + (word >> 16)) & 0x0000FFFF0000FFFF;
    return static_cast<std::uint32_t>(word) * 10'000 + static_cast<std::uint32_t>(word >> 32);
}

// The number that the first 1 to 8 digits spell.
inline std::uint64_t value_of(std::uint64_t word, std::uint64_t digits) { return joined(word << (64 - digits * 8)); }

// Goes over digits, and adds them behind those of a whole number, modulo 2^64; returns how many they were.
inline std::uint64_t take_digits(const Byte*& p, std::uint64_t& whole) {
    const Byte* begin = p;
    for (; digit(*p) < 10; ++p) whole = whole * 10 + digit(*p);
    return static_cast<std::uint64_t>(p - begin);
}
// A decimal number, perhaps with a sign, a point and an exponent.
inline Number number(const Byte* p) {
    constexpr Number unsure{0.0, nullptr};
    const bool minus = *p == '-';
    if (*p == '-' || *p == '+') ++p;
    std::uint64_t digits = 0;
    std::uint64_t count = take_digits(p, digits);
    std::int64_t exponent = 0;
    if (*p == '.') {
        const std::uint64_t fractional = take_digits(++p, digits);
        count += fractional;
        exponent = -static_cast<std::int64_t>(fractional);
    }
    if (*p == 'e' || *p == 'E') {
        ++p;
        const bool down = *p == '-';
        if (*p == '-' || *p == '+') ++p;
        if (digit(*p) >= 10) return unsure;
        std::int64_t e = 0;
        for (; digit(*p) < 10; ++p) e = std::min<std::int64_t>(e * 10 + static_cast<std::int64_t>(digit(*p)), 1000);
        exponent += down ? -e : e;
    }
    if (count == 0 || count > 19 || digits > std::uint64_t{1} << 53 || exponent < -22 || exponent > 22) return unsure;
    const double whole = static_cast<double>(digits);
    const double value = exponent < 0 ? whole / tens[static_cast<std::size_t>(-exponent)] : whole * tens[static_cast<std::size_t>(exponent)];
    if (value > largest_float) return unsure;
    return {minus ? -value : value, p};
}

struct Index {
    std::uint64_t value;
    const Byte* after;
};

// Up to ten digits.
inline Index index_at(const Byte* p) {
    const std::uint64_t word = load8(p) ^ noughts, digits = digits_in(word);
    if (digits >= 1 && digits < 8) return {value_of(word, digits), p + digits};
    std::uint64_t index = 0;
    for (const Byte* stop = p + 10; digit(*p) < 10 && p < stop; ++p) index = index * 10 + digit(*p);
    return {index, p};
}

// A number that ends a feature. Most are a digit, a point and up to seven digits, or up to fifteen digits.
inline Number value_at(const Byte* p) {
    const std::uint64_t word = load8(p + 2) ^ noughts, digits = digits_in(word);
    if (digit(*p) < 10 && p[1] == '.' && digits >= 1 && digits < 8 && ends_feature(p[2 + digits])) {
        return {static_cast<double>(joined((word << 8 | digit(*p)) << (56 - digits * 8))) / tens[digits], p + 2 + digits};
    }
    const Byte* const begin = p;
    const bool minus = *p == '-';
    if (minus) ++p;
    std::uint64_t whole = 0, fractional = 0;
    std::uint64_t count = take_digits(p, whole);
    if (*p == '.') count += fractional = take_digits(++p, whole);
    if (count >= 1 && count <= sure_digits && ends_feature(*p)) {
        double value = static_cast<double>(whole);
        if (fractional > 0) value /= tens[fractional];
        return {minus ? -value : value, p};
    }
    const Number careful = number(begin);
    return careful.after && ends_feature(*careful.after) ? careful : Number{careful.value, nullptr};
}

// Features that are numbers: a first loop finds where their parts lie, and many are then converted together, in vectors.
class NumberFeatures {
  public:
    NumberFeatures(std::uint32_t* indices, float* values, std::size_t done) : indices_(indices), values_(values), done_(done) {}

    std::size_t size() const { return done_ + many_; }

    // Forgets the last ones.
    void shrink(std::size_t size) {
        if (size <= done_) {
            done_ = size;
            many_ = 0;
        } else {
            many_ = size - done_;
        }
        while (others_ > 0 && other_[others_ - 1].place >= size) --others_;
    }

    void add(std::uint64_t index, double value) {
        if (many_ == batch) convert();
        other_[others_++] = {size(), static_cast<std::uint32_t>(index), static_cast<float>(value)};
        index_[many_] = digits_[many_] = 0;  // converted with the others, and then written over
        divisor_[many_++] = 1.0;
    }

    // Takes features as long as they are as nearly all are: an index of at most eight digits, a colon, perhaps a minus, up to eight digits
    // with a point after the first, or without one, then a blank or the end of the line; or an index `alone`, if that may be. Returns the
    // place of what is not so.
    const Byte* add_usual(const Byte* p, bool alone) {
        for (;;) {
            if (many_ > batch - 64) convert();
            std::uint64_t bits = nondigits(p), begin = 0;
            std::size_t many = many_;
            bool at_end = false;
            const auto next = [&bits] {
                const std::uint64_t end = trailing_zeros(bits);
                bits &= bits - 1;
                return end;
            };
            while (!at_end) {
                std::uint64_t end = next(), digits = noughts + 1, length = 1, scale = 0;
                const std::uint64_t width = end - begin;
                index_[many] = (load8(p + begin) ^ noughts) << ((64 - width * 8) & 63);
                if (width - 1 >= 8 || (alone && width > 1 && p[begin] == '0')) break;
                Byte c = p[end];
                if (c == ':') {
                    const std::uint64_t minus = p[end + 1] == '-', place = end + 1 + minus;
                    end = next();
                    length = end - place;
                    c = p[end];
                    if (c == '.') {
                        const std::uint64_t point = end;
                        end = next();
                        scale = end - point - 1;
                        c = p[end];
                        if (length != 1 || scale - 1 >= 7) break;
                        length += scale;
                        digits = load8(p + point) + p[place] - '.';  // the first digit where the point was
                    } else {
                        if (length - 1 >= 8) break;
                        digits = load8(p + place);
                    }
                    scale += minus * negative;
                } else if (!alone) {
                    break;
                }
                if (c != ' ' && c != '\n') break;
                at_end = c == '\n';
                digits_[many] = (digits ^ noughts) << (64 - length * 8);
                divisor_[many] = tens[scale];
                ++many;
                begin = end + 1;
            }
            many_ = many;
            if (at_end) return p + begin - 1;
            if (begin == 0) return p;
            p += begin;
        }
    }

    // Puts what was taken into the arrays.
    void convert() {
        for (std::size_t j = 0; j < many_; ++j) indices_[done_ + j] = joined(index_[j]);
        for (std::size_t j = 0; j < many_; ++j) {
            values_[done_ + j] = static_cast<float>(static_cast<std::int32_t>(joined(digits_[j])) / divisor_[j]);
        }
        for (std::size_t i = 0; i < others_; ++i) {
            indices_[other_[i].place] = other_[i].index;
            values_[other_[i].place] = other_[i].value;
        }
        done_ += many_;
        many_ = others_ = 0;
    }

  private:
    static constexpr std::size_t batch = 512;

    struct Other {  // a feature that was converted by itself
        std::size_t place;
        std::uint32_t index;
        float value;
    };

    std::uint32_t* indices_;
    float* values_;
    std::size_t done_, many_ = 0, others_ = 0;  // converted; taken since, and those of them that are in `other_`
    std::uint64_t index_[batch], digits_[batch];  // eight digits each, those of the value without its point
    double divisor_[batch];
    Other other_[batch];
};

}  // namespace littlestone::text
