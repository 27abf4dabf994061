// The largest set of points on which every labelling is some concept's, by a search that goes through the points in their order.
// `labels[x][c]` is what concept c says of point x. At depth k there are k points and 2^k parts of the concepts, one for each labelling, kept
// side by side. Only a later point that parts each of them in two can be added, now or further down; a part of s concepts can be halved
// log2 s times at most.
#pragma once
#include <algorithm>
#include <optional>
#include <vector>
#include "../core/row.h"

namespace littlestone {

using Labels = Matrix<const std::uint8_t>;

struct Parts {
    std::vector<std::size_t> concepts;  // those of one part after those of another
    std::vector<std::size_t> starts;

    // Does a point part every part in two?
    bool all_parted(const Column<const std::uint8_t>& said) const {
        for (std::size_t p = 0; p + 1 < starts.size(); ++p) {
            const std::uint8_t first = said[concepts[starts[p]]];
            const auto begin = concepts.begin() + static_cast<std::ptrdiff_t>(starts[p]), end = concepts.begin() + static_cast<std::ptrdiff_t>(starts[p + 1]);
            if (std::all_of(begin, end, [&](std::size_t c) { return said[c] == first; })) return false;
        }
        return true;
    }
    // Every part parted by a point; and how large the smallest is that comes of it.
    Parts refined(const Column<const std::uint8_t>& said, std::size_t& smallest) const {
        Parts finer{{}, {0}};
        finer.concepts.reserve(concepts.size());
        smallest = concepts.size();
        for (std::size_t p = 0; p + 1 < starts.size(); ++p) {
            for (const bool label : {false, true}) {
                for (std::size_t k = starts[p]; k < starts[p + 1]; ++k) {
                    if ((said[concepts[k]] == 1) == label) finer.concepts.push_back(concepts[k]);
                }
                smallest = std::min(smallest, finer.concepts.size() - finer.starts.back());
                finer.starts.push_back(finer.concepts.size());
            }
        }
        return finer;
    }
};

// At most `limit` points; nothing where more than `effort` sets of points would have to be looked at.
inline std::optional<std::vector<std::size_t>> shattered(const Labels& labels, std::size_t limit, std::int64_t effort) {
    struct Depth {
        Parts parts;
        std::vector<std::size_t> points;  // that may be added
        std::size_t next = 0;
    };
    std::vector<Depth> depths(1);
    Parts& all = depths[0].parts;
    for (std::size_t c = 0; c < labels.columns; ++c) all.concepts.push_back(c);
    all.starts = {0, labels.columns};
    for (std::size_t x = 0; x < labels.size(); ++x) {
        if (all.all_parted(labels[x])) depths[0].points.push_back(x);
    }
    std::vector<std::size_t> chosen, best;
    while (best.size() < limit && !depths.empty()) {
        Depth& now = depths.back();
        const std::size_t k = depths.size() - 1;
        if (k + now.points.size() - now.next <= best.size()) {  // too few points are left
            depths.pop_back();
            continue;
        }
        chosen.resize(k);
        chosen.push_back(now.points[now.next++]);
        if (--effort < 0) return std::nullopt;
        if (k + 1 > best.size()) best = chosen;
        if (best.size() == limit) break;
        std::size_t smallest = 0;
        Depth deeper{now.parts.refined(labels[chosen[k]], smallest), {}};
        std::size_t room = 0;
        while (smallest >> (room + 1)) ++room;
        if (k + 1 + room <= best.size()) continue;
        for (std::size_t i = now.next; i < now.points.size(); ++i) {
            if (deeper.parts.all_parted(labels[now.points[i]])) deeper.points.push_back(now.points[i]);
        }
        depths.push_back(std::move(deeper));
    }
    return best;
}

}  // namespace littlestone
