// The memorizer: predict the label that this very instance had when it was last mistaken, else 0.
#pragma once
#include "../core/instances.h"

namespace littlestone {

struct Memorizer {
    static constexpr bool scored = false;

    Instances instances;
    Column<std::int8_t> labels;
    Column<std::int64_t> tally;  // instances remembered

    Prediction predict(const Row& x) const {
        const std::int64_t r = instances.find(x);
        return {answer(r >= 0 && labels[static_cast<std::size_t>(r)] == 1)};
    }
    bool update(const Row& x, bool label, Prediction predicted, double) {
        if (predicted.answer == answer(label)) return false;
        std::int64_t r = instances.find(x);
        if (r < 0) {
            r = tally[0]++;
            instances.keep(static_cast<std::size_t>(r), x);
        }
        labels[static_cast<std::size_t>(r)] = label;
        return true;
    }
    bool has_room(const Row& x) const { return instances.has_room(static_cast<std::size_t>(tally[0]), x); }
};

}  // namespace littlestone
