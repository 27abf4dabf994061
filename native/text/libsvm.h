// Lines of libsvm text, `label index:value index:value ... # comment`: what nearly all have.
#pragma once
#include <limits>
#include "lines.h"
#include "numbers.h"

namespace littlestone::text {

// Parses lines; returns the place after them, or where a line begins that plain Python judges.
inline const Byte* parse_libsvm(const Lines& text, Progress& progress, const Rows& to) {
    const Byte* p = text.begin;
    auto row = static_cast<std::size_t>(progress.rows);
    NumberFeatures features(to.indices.data, to.values.data, static_cast<std::size_t>(to.indptr[row]));
    for (std::int64_t& line = progress.lines; p < text.stop; ++line) {
        const Byte* const begin = p;
        while (is_blank(*p)) ++p;
        if (*p != '\n' && *p != '#') {
            Number label = number(p);
            bool sure = label.after != nullptr;
            if (sure && *label.after == ':') {
                label.value = std::numeric_limits<double>::quiet_NaN();  // the line begins with a feature
            } else if (sure) {
                p = label.after;
                sure = *p == '\n' || is_blank(*p);
            }
            while (sure) {
                while (is_blank(*p)) ++p;
                if (*p == '\n' || *p == '#') break;
                const Byte* const place = p;
                p = features.add_usual(p, false);
                if (p > place) continue;
                const Index index = index_at(p);
                sure = *index.after == ':' && index.after > p && index.value <= largest_index;
                if (!sure) break;
                const Number value = value_at(index.after + 1);
                sure = value.after != nullptr && *value.after != '|';
                if (!sure) break;
                features.add(index.value, value.value);
                p = value.after;
            }
            if (!sure) {
                features.shrink(static_cast<std::size_t>(to.indptr[row]));
                p = begin;
                break;
            }
            to.labels[row] = label.value;
            to.lines[row] = line;
            to.indptr[++row] = static_cast<std::int64_t>(features.size());
        }
        while (*p != '\n') ++p;
        ++p;
    }
    features.convert();
    progress.rows = static_cast<std::int64_t>(row);
    return p;
}

}  // namespace littlestone::text
