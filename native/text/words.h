// Words of text: first it is folded, its words in lower case with a blank after each, and then the words are looked up.
// Text is folded here where it is ASCII; what else there is plain Python folds.
#pragma once
#include <array>
#include <limits>
#include "lines.h"
#include "names.h"
#include "vw.h"

namespace littlestone::text {

// For each byte: itself in lower case where it may stand in a word, a blank where not, and 0 where a line ends or more than ASCII begins.
constexpr auto folded = [] {
    std::array<Byte, 256> made{};
    for (int c = 0; c < 0x80; ++c) {
        const bool upper = 'A' <= c && c <= 'Z';
        const bool in_word = upper || ('a' <= c && c <= 'z') || ('0' <= c && c <= '9') || c == '_';
        made[static_cast<std::size_t>(c)] = static_cast<Byte>(c == '\n' || c == '\r' ? 0 : upper ? c + ('a' - 'A') : in_word ? c : ' ');
    }
    return made;
}();

// How marks are taken, for each byte: 0 where it is none, 1 where it is a word beside others only, 2 where it is one by itself.
using Marks = Column<const Byte>;

// Folds text, up to `stop`, the end of the line or what is not ASCII; returns where that is, and moves `to` behind the words.
inline const Byte* fold(const Byte* p, const Byte* stop, Byte*& to, const Marks& marks) {
    bool inside = false;
    const auto end_word = [&] {
        if (inside) *to++ = ' ';
        inside = false;
    };
    while (p < stop && folded[*p] != 0) {
        if (marks[*p] != 0) {
            end_word();
            const Byte* const begin = p;
            for (; p < stop && marks[*p] != 0; ++p) *to++ = *p;
            if (p - begin == 1 && marks[*begin] == 1)
                --to;
            else
                *to++ = ' ';
            continue;
        }
        const Byte c = folded[*p++];
        *to = c;
        to += (c != ' ') | inside;  // of several blanks, all but the first are written over
        inside = c != ' ';
    }
    end_word();
    return p;
}

// The labels of a piece: hash, place and length of each.
struct Labels {
    Matrix<std::uint64_t> known;
    std::int64_t count;

    // Which label this is; a new one is the next.
    std::int64_t number_of(const Byte* text, const Byte* at, std::uint64_t size) {
        const std::uint64_t hash = hash_of(0, {at, size}).value;
        for (std::int64_t which = 0; which < count; ++which) {
            const auto one = known[static_cast<std::size_t>(which)];
            if (one[0] == hash && one[2] == size && std::memcmp(text + one[1], at, size) == 0) return which;
        }
        const auto next = known[static_cast<std::size_t>(count)];
        next[0] = hash;
        next[1] = static_cast<std::uint64_t>(at - text);
        next[2] = size;
        return count++;
    }
};

// Folds lines of a label, a tab and text; cells[row] is where the words of a row end in `out`. Returns the place after them, or where a line
// begins that plain Python judges.
inline const Byte* fold_lines(const Byte* whole, const Lines& text, Progress& progress, const Column<double>& label_of,
                              const Column<std::int64_t>& line_of, const Matrix<std::uint64_t>& known, const Column<Byte>& out,
                              const Column<std::int64_t>& cells, const Marks& marks) {
    const Byte* p = text.begin;
    auto row = static_cast<std::size_t>(progress.rows);
    Labels labels{known, progress.labels};
    Byte* to = out.data + cells[row];
    for (; p < text.stop; ++progress.lines) {
        const Byte* const begin = p;
        while (folded[*p] != 0 && *p != '\t') ++p;
        if (p == begin && *p == '\n') {
            ++p;
            continue;
        }
        const Byte* after = p;
        Byte* end = to;
        if (*p == '\t') after = fold(p + 1, text.stop, end, marks);
        if (*after == '\r' && after[1] == '\n') ++after;
        if (*p != '\t' || *after != '\n') {
            p = begin;
            break;
        }
        label_of[row] = p > begin ? static_cast<double>(labels.number_of(whole, begin, static_cast<std::uint64_t>(p - begin)))
                                  : std::numeric_limits<double>::quiet_NaN();
        line_of[row++] = progress.lines;
        to = end;
        cells[row] = to - out.data;
        p = after + 1;
    }
    progress.rows = static_cast<std::int64_t>(row);
    progress.labels = labels.count;
    return p;
}

// Folds cells of a column of text, from `row` on; returns the row at which there is more than ASCII, or how many rows there are.
inline std::size_t fold_cells(const Column<const Byte>& text, const Column<const std::int64_t>& offsets, std::size_t row,
                              const Column<Byte>& out, const Column<std::int64_t>& cells, const Marks& marks) {
    for (; row + 1 < offsets.size(); ++row) {
        const Byte *p = text.data + offsets[row], *const stop = text.data + offsets[row + 1];
        Byte* to = out.data + cells[row];
        p = fold(p, stop, to, marks);
        while (p < stop && (*p == '\n' || *p == '\r')) p = fold(p + 1, stop, to, marks);  // here these are blanks
        if (p < stop) break;
        cells[row + 1] = to - out.data;
    }
    return row;
}

// Features of folded rows: their words, then their pairs of words, and so on. Returns how many names wait for a column.
//
// Row t is text[cells[t]:cells[t + 1]]. Before each name stand the first `prefix_size` bytes of the text and `joint`, where that is not 0.
inline std::int64_t take_words(const Byte* text, const Column<const std::int64_t>& cells, std::uint64_t prefix_size, Byte joint,
                               std::int64_t ngrams, const Matrix<std::uint32_t>& spans, const Column<std::int64_t>& indptr,
                               const Column<std::uint32_t>& indices, const NameColumns& names) {
    const Before before(text, prefix_size, joint);
    NameFeatures features(names, text, joint, indices.data, 0, 0);
    for (std::size_t row = 0; row + 1 < cells.size(); ++row) {
        const Byte* const stop = text + cells[row + 1];
        std::size_t words = 0;
        for (const Byte* p = text + cells[row]; p < stop; ++words) {
            const Byte* end = word_end(p);
            while (*end != ' ') end = word_end(end + 1);  // marks at which words of VW text end
            spans[words][0] = static_cast<std::uint32_t>(p - text);
            spans[words][1] = static_cast<std::uint32_t>(end - text);
            p = end + 1;
        }
        for (std::size_t together = 1; together <= static_cast<std::size_t>(ngrams); ++together) {
            for (std::size_t i = 0; i + together <= words; ++i) {
                const Byte* const at = text + spans[i][0];
                const std::uint64_t size = spans[i + together - 1][1] - spans[i][0];
                if (!features.has_room(1)) features.look_up();
                if (size > before.room) {
                    features.add(before, at, size, hash_of(names.seed, before.name(at, size)).value);
                } else {
                    features.look_at(before, at, size);
                    features.keep();
                }
            }
        }
        indptr[row + 1] = static_cast<std::int64_t>(features.size());
    }
    features.look_up();
    return features.waits();
}

}  // namespace littlestone::text
