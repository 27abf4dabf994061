// Lines of VW text, `label weight 'tag|namespace:scale name:value name ... |...`: what nearly all have. Features are names, or all of them
// numbers.
#pragma once
#include <cmath>
#include <limits>
#include "lines.h"
#include "names.h"
#include "numbers.h"

namespace littlestone::text {

constexpr Byte vw_joint = '^';  // between a namespace and a name

// What stands before the first bar, and the place of the bar or of the end of the line; null where that needs more care.
struct Head {
    double label = std::numeric_limits<double>::quiet_NaN(), weight = 1.0;
    const Byte* tag = nullptr;
    std::uint64_t tag_size = 0;
    const Byte* after = nullptr;
};

inline Head careful_head(const Byte* p) {
    Head head;
    int numbers = 0;
    for (;;) {
        while (is_blank(*p)) ++p;
        if (*p == '|' || *p == '\n') {
            head.after = p;
            return head;
        }
        if (head.tag) return {};  // something after the tag
        const Byte* const place = p;
        for (; !ends_feature(*p); ++p)
            if (*p == '%' || *p >= 0x80) return {};
        if (*place == '\'' || *p == '|') {
            head.tag = *place == '\'' ? place + 1 : place;
            head.tag_size = static_cast<std::uint64_t>(p - head.tag);
            if (head.tag_size == 0) return {};
            continue;
        }
        const Number found = number(place);
        if (found.after != p) return {};
        if (numbers == 0) head.label = found.value;
        if (numbers == 1) head.weight = found.value;
        if ((numbers == 1 && found.value < 0) || (numbers == 2 && found.value != 0) || numbers == 3) return {};
        ++numbers;
    }
}

// The same, at once where it is at most a sign and a digit, a blank, and the bar.
inline Head head_of(const Byte* p) {
    Head head;
    if (*p == '|') {
        head.after = p;
        return head;
    }
    const bool sign = *p == '-' || *p == '+';
    const Byte* const first = p + sign;
    if (digit(*first) < 10 && first[1] == ' ' && first[2] == '|') {
        const auto value = static_cast<double>(digit(*first));
        head.label = *p == '-' ? -value : value;
        head.after = first + 2;
        return head;
    }
    return careful_head(p);
}

inline const Byte* word_end(const Byte* p) {
    std::uint64_t ends = word_ends(p);
    for (; ends == 0; ends = word_ends(p)) p += 64;
    return p + trailing_zeros(ends);
}

// The features of a line, which are numbers, from its first bar on; returns the place after them, null where that needs more care.
inline const Byte* parse_numbers(const Byte* p, NumberFeatures& features) {
    while (*p == '|') {
        if (!ends_feature(*++p)) return nullptr;  // a namespace
        for (;;) {
            while (is_blank(*p)) ++p;
            if (*p == '\n' || *p == '|') break;
            const Byte* const place = p;
            p = features.add_usual(p, true);
            if (p > place) continue;
            const Index index = index_at(place);
            p = index.after;
            if (p == place || index.value > largest_index || (*place == '0' && p - place > 1)) return nullptr;
            double value = 1.0;
            if (*p == ':') {
                const Number found = value_at(p + 1);
                if (!found.after) return nullptr;
                value = found.value;
                p = found.after;
            } else if (!ends_feature(*p)) {
                return nullptr;
            }
            features.add(index.value, value);
        }
    }
    return p;
}

// The features of a line that begins at `begin`, which are names, from its first bar on; returns the place after them, null where that needs
// more care, and counts the values that are not 1.
inline const Byte* parse_names(const Byte* begin, const Byte* p, NameFeatures& features, std::uint64_t seed, const Column<float>& values,
                               std::int64_t& valued) {
    constexpr std::uint64_t above_ascii = 0x8080808080808080;
    std::uint64_t bytes = 0;  // of all names, or-ed together
    while (*p == '|') {
        const Byte* const prefix = ++p;
        std::uint64_t prefix_size = 0;
        double scale = 1.0;
        if (!ends_feature(*p)) {
            p = word_end(p);
            prefix_size = static_cast<std::uint64_t>(p - prefix);
            bytes |= hash_of(seed, {prefix, prefix_size}).bytes;  // no feature may follow that would tell
            if (*p == ':') {
                const Number found = value_at(p + 1);
                if (!found.after) return nullptr;
                scale = found.value;
                p = found.after;
            }
            if (prefix_size == 0 || !ends_feature(*p)) return nullptr;
        }
        const Before before(prefix, prefix_size, vw_joint);
        for (;;) {
            while (is_blank(*p)) ++p;
            if (*p == '\n' || *p == '|') break;
            if (!features.has_room(64)) features.look_up();
            const Byte* const from = p;
            const Byte* place = p;
            std::uint64_t ends = word_ends(p);
            for (Byte c = ' '; c == ' ';) {  // most names stand alone, with a blank between them
                p = from + trailing_zeros(ends);
                ends &= ends - 1;
                c = *p;
                const auto size = static_cast<std::uint64_t>(p - place);
                const std::uint64_t seen = features.look_at(before, place, size);
                if (size - 1 >= before.room || scale != 1.0 || (c != ' ' && c != '\n')) break;
                bytes |= seen;
                values[features.size()] = 1.0f;
                features.keep();
                p += c == ' ';
                place = p;
            }
            if (place > from) {
                p = place;
                continue;
            }
            p = word_end(place);
            const auto size = static_cast<std::uint64_t>(p - place);
            if (size == 0) return nullptr;
            const Hash hash = hash_of(seed, before.name(place, size));
            bytes |= hash.bytes;
            double value = scale;
            if (*p == ':') {
                const Number found = value_at(p + 1);
                if (!found.after) return nullptr;
                value = scale != 1.0 ? found.value * scale : found.value;
                if (std::abs(value) > largest_float) return nullptr;
                p = found.after;
            } else if (!ends_feature(*p)) {
                return nullptr;
            }
            valued += value != 1.0;
            values[features.size()] = static_cast<float>(value);
            features.add(before, place, size, hash.value);
        }
    }
    return bytes & above_ascii && !is_utf8(begin, p) ? nullptr : p;
}

// The columns that only VW text fills: weights of rows, and their tags, as place and, in the upper half, length.
struct VwColumns {
    Column<float> weights;
    Column<std::uint64_t> tags;
};

// Parses lines; `parse(begin, bar, valued)` their features. Returns the place after them, or where a line begins that plain Python judges.
template <class Features, class Parse>
const Byte* parse_vw(const Byte* whole, const Lines& text, Progress& progress, const Rows& to, const VwColumns& more, Features& features,
                     Parse parse) {
    const Byte* p = text.begin;
    auto row = static_cast<std::size_t>(progress.rows);
    for (; p < text.stop; ++p, ++progress.lines) {
        const Byte* const begin = p;
        while (is_blank(*p)) ++p;
        if (*p == '\n') continue;
        const Head head = head_of(p);
        std::int64_t valued = 0;
        p = head.after ? parse(begin, head.after, valued) : nullptr;
        if (!p) {
            features.shrink(static_cast<std::size_t>(to.indptr[row]));
            p = begin;
            break;
        }
        const auto weight = static_cast<float>(head.weight);
        progress.weighted += weight != 1.0f;
        progress.tagged += head.tag != nullptr;
        progress.valued += valued;
        to.labels[row] = head.label;
        to.lines[row] = progress.lines;
        more.weights[row] = weight;
        more.tags[row] = head.tag ? static_cast<std::uint64_t>(head.tag - whole) | head.tag_size << half : 0;
        to.indptr[++row] = static_cast<std::int64_t>(features.size());
    }
    progress.rows = static_cast<std::int64_t>(row);
    return p;
}

inline const Byte* parse_vw(const Byte* whole, const Lines& text, Progress& progress, const Rows& to, const VwColumns& more,
                            const NameColumns* names) {
    const auto done = static_cast<std::size_t>(to.indptr[static_cast<std::size_t>(progress.rows)]);
    if (!names) {
        NumberFeatures features(to.indices.data, to.values.data, done);
        const Byte* const end = parse_vw(whole, text, progress, to, more, features,
                                         [&](const Byte*, const Byte* bar, std::int64_t&) { return parse_numbers(bar, features); });
        features.convert();
        return end;
    }
    NameFeatures features(*names, whole, vw_joint, to.indices.data, done, progress.waiting);
    const auto parse = [&](const Byte* begin, const Byte* bar, std::int64_t& valued) {
        return parse_names(begin, bar, features, names->seed, to.values, valued);
    };
    const Byte* const end = parse_vw(whole, text, progress, to, more, features, parse);
    features.look_up();
    progress.waiting = features.waits();
    return end;
}

}  // namespace littlestone::text
