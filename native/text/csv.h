// Records of comma-separated text: where they end, and in which line they begin; a quoted cell may hold newlines.
#pragma once
#include "../core/bytes.h"
#include "../core/row.h"

namespace littlestone::text {

// Where in a cell a place is; closing: after a quote in a quoted cell.
enum class InCell : std::int64_t { begin, bare, quoted, closing };

struct Cells {
    Byte delimiter;
    bool quotes = true;

    // Where the place after c is. A newline that is not quoted ends a record.
    InCell after(Byte c, InCell place) const {
        if (place == InCell::quoted) return c == '"' ? InCell::closing : InCell::quoted;
        if (c == '\n' || c == delimiter) return InCell::begin;
        const bool opens = quotes && c == '"' && (place == InCell::begin || place == InCell::closing);
        return opens ? InCell::quoted : InCell::bare;
    }
};

struct RecordEnd {
    std::int64_t end;  // of the last whole record; 0: none ended
    InCell place;      // after the text
};

inline RecordEnd last_record_end(const Column<const Byte>& text, std::int64_t start, std::int64_t stop, const Cells& cells, InCell place) {
    RecordEnd found{0, place};
    for (std::int64_t k = start; k < stop; ++k) {
        const Byte c = text[static_cast<std::size_t>(k)];
        if (c == '\n' && found.place != InCell::quoted) found.end = k + 1;
        found.place = cells.after(c, found.place);
    }
    return found;
}

struct Records {
    Column<std::int64_t> starts, ends, lines;
};

// The records that are not blank; returns how many.
inline std::int64_t find_records(const Column<const Byte>& text, const Cells& cells, const Records& to) {
    std::size_t count = 0, begin = 0;
    std::int64_t line = 0, first = 0;
    const auto add = [&](std::size_t end) {
        to.starts[count] = static_cast<std::int64_t>(begin);
        to.ends[count] = static_cast<std::int64_t>(end);
        to.lines[count++] = first;
    };
    InCell place = InCell::begin;
    for (std::size_t k = 0; k < text.size(); ++k) {
        const Byte c = text[k];
        line += c == '\n';
        if (c == '\n' && place != InCell::quoted) {
            if (k > begin + 1 || (k == begin + 1 && text[begin] != '\r')) add(k + 1);
            begin = k + 1;
            first = line;
        }
        place = cells.after(c, place);
    }
    if (begin < text.size()) add(text.size());  // no newline at the end, or a quote that was never closed
    return static_cast<std::int64_t>(count);
}

}  // namespace littlestone::text
