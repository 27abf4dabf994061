// The cheapest sequence of experts, by dynamic programming: `losses` has a row for each round, NaN where an expert sleeps.
// Whoever changes experts before round t changes from the same one, the cheapest so far. So one note for each t (and each number of changes)
// says whom the change left and which note that one's own last change was; a path is read back from the last round by its notes.
#pragma once
#include <algorithm>
#include <limits>
#include <vector>
#include "../core/row.h"

namespace littlestone {

// The cheapest way so far to each expert, and the note of its last change, -1 where it never changed.
struct Ways {
    std::vector<double> spent;
    std::vector<std::int64_t> last_note;

    explicit Ways(std::size_t experts) : spent(experts, 0.0), last_note(experts, -1) {}

    std::size_t cheapest() const { return static_cast<std::size_t>(std::min_element(spent.begin(), spent.end()) - spent.begin()); }

    // Adds a round's losses; whoever sleeps cannot be followed through it.
    void charge(const Column<const double>& row) {
        for (std::size_t i = 0; i < spent.size(); ++i) spent[i] = row[i] == row[i] ? spent[i] + row[i] : std::numeric_limits<double>::infinity();
    }
    // Where it is cheaper to come from elsewhere, at this cost and by the change with this note.
    void change(double cost, std::int64_t note) {
        for (std::size_t i = 0; i < spent.size(); ++i) {
            if (cost < spent[i]) {
                spent[i] = cost;
                last_note[i] = note;
            }
        }
    }
};

// The changes: whom each left, and which note the one it left had.
struct Notes {
    std::size_t width;  // notes of a round
    std::vector<std::int32_t> whom;
    std::vector<std::int64_t> before;

    Notes(std::size_t rounds, std::size_t notes) : width(notes), whom(rounds * notes, 0), before(rounds * notes, -1) {}

    void write(std::size_t note, const Ways& ways, std::size_t left) {
        whom[note] = static_cast<std::int32_t>(left);
        before[note] = ways.last_note[left];
    }
    // Writes the path that ends with the cheapest expert; returns its cost.
    double read_back(const Ways& ways, const Column<std::int32_t>& path) const {
        const std::size_t best = ways.cheapest();
        auto last = static_cast<std::int32_t>(best);
        std::size_t end = path.size();
        for (std::int64_t note = ways.last_note[best]; note >= 0;) {
            const auto place = static_cast<std::size_t>(note), start = place / width;
            std::fill(path.begin() + start, path.begin() + end, last);
            end = start;
            last = whom[place];
            note = before[place];
        }
        std::fill(path.begin(), path.begin() + end, last);
        return ways.spent[best];
    }
};

// For each number of changes from 0 to `most`, the cheapest path with no more than so many, and its loss (∞ where there is none).
inline void paths_with_changes(Matrix<const double> losses, std::size_t most, Matrix<std::int32_t> paths, Column<double> costs) {
    const std::size_t width = most + 1;
    std::vector<Ways> ways(width, Ways(losses.columns));
    Notes notes(losses.size(), width);
    for (std::size_t t = 0; t < losses.size(); ++t) {
        for (std::size_t s = most; t > 0 && s > 0; --s) {
            const std::size_t left = ways[s - 1].cheapest(), note = t * width + s;
            notes.write(note, ways[s - 1], left);
            ways[s].change(ways[s - 1].spent[left], static_cast<std::int64_t>(note));
        }
        for (Ways& way : ways) way.charge(losses[t]);
    }
    for (std::size_t s = 0; s < width; ++s) costs[s] = notes.read_back(ways[s], paths[s]);
}

// The path with the least loss + price·changes; returns what that is.
inline double path_at_a_price(Matrix<const double> losses, double price, Column<std::int32_t> path) {
    Ways ways(losses.columns);
    Notes notes(losses.size(), 1);
    for (std::size_t t = 0; t < losses.size(); ++t) {
        if (t > 0) {
            const std::size_t left = ways.cheapest();
            const double least = ways.spent[left] + price;
            notes.write(t, ways, left);
            ways.change(least, static_cast<std::int64_t>(t));
        }
        ways.charge(losses[t]);
    }
    return notes.read_back(ways, path);
}

}  // namespace littlestone
