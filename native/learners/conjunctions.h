// Conjunctions: begin with all 2n literals, and predict 1 when every living literal is true. A missed 1 removes those that are false on it.
// A row costs its own features only: seen_i counts the missed 1s with feature i on, out of F. x_i lives iff it was on in all, ¬x_i iff in none.
#pragma once
#include "../core/row.h"

namespace littlestone {

struct Conjunctions {
    static constexpr bool scored = false;

    Column<std::int32_t> seen;
    Column<std::int32_t> tally;  // F, the missed 1s, and how many x_i live

    std::int32_t living(const Row& x) const {
        std::int32_t count = 0;
        for (const std::uint32_t i : x.indices) count += seen[i] == tally[0];
        return count;
    }
    Prediction predict(const Row& x) const {
        if (tally[0] == 0) return {Answer::no};  // every x_i lives, and so does its opposite
        for (const std::uint32_t i : x.indices) {
            if (seen[i] == 0) return {Answer::no};
        }
        return {answer(living(x) == tally[1])};
    }
    bool update(const Row& x, bool label, Prediction predicted, double) {
        if (predicted.answer == answer(label)) return false;
        if (label) {
            tally[1] = living(x);
            ++tally[0];
            for (const std::uint32_t i : x.indices) ++seen[i];
        }
        return true;
    }
};

}  // namespace littlestone
