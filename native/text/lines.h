// What the parsers of lines fill: the arrays of a block, and how far they have come.
#pragma once
#include "../core/bytes.h"
#include "../core/row.h"

namespace littlestone::text {

struct Progress {
    std::int64_t rows = 0, lines = 0;
    std::int64_t labels = 0;    // different labels, of a format that counts them
    std::int64_t weighted = 0;  // rows with a weight that is not 1
    std::int64_t tagged = 0;    // rows with a tag
    std::int64_t valued = 0;    // values that are not 1
    std::int64_t waiting = 0;   // names that have no column yet
};

struct Rows {
    Column<double> labels;
    Column<std::int64_t> lines, indptr;
    Column<std::uint32_t> indices;
    Column<float> values;

    // A row takes at least two bytes, and so does a feature.
    bool have_room(const Progress& progress, std::size_t bytes) const {
        const auto rows = static_cast<std::size_t>(progress.rows);
        if (progress.rows < 0 || rows >= indptr.size() || indptr[rows] < 0) return false;
        const std::size_t end = rows + bytes / 2, features = static_cast<std::size_t>(indptr[rows]) + bytes / 2;
        return end < labels.size() && end < lines.size() && end + 1 < indptr.size() && features < indices.size() && features < values.size();
    }
};

// Whole lines of a text, the last one with its newline, and the bytes that may be read behind them.
struct Lines {
    const Byte *begin, *stop;
};

}  // namespace littlestone::text
