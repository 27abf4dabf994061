// Halving: predict 1 when at least half of the living concepts say 1, then drop those that were wrong: after every round, or after mistakes.
// A round that drops concepts leaves that to the pass over the concepts which the next prediction needs anyway.
#pragma once
#include "../core/concepts.h"

namespace littlestone {

struct Halving {
    static constexpr bool scored = false;
    enum { living, mistakes, emptied };  // the places in the tally

    struct Predicted : Prediction {
        Answers said;
        std::int64_t ones = 0;  // how many living concepts say 1
    };

    Concepts concepts;
    bool always;
    Column<std::uint64_t> alive;
    Column<std::int64_t> tally;
    bool pending = false;  // whether concepts are still to be dropped: those that did not say `flip` of the last instance
    Answers last{};
    std::uint64_t flip = 0;

    void begin() { tally[emptied] = 0; }

    Predicted predict(const Row& x) {
        const Answers said = concepts.answers(x);
        int ones = 0;
        if (pending) {
            for (std::size_t w = 0; w < alive.size(); ++w) {
                alive[w] &= last[w] ^ flip;
                ones += std::popcount(alive[w] & said[w]);
            }
            pending = false;
        } else {
            for (std::size_t w = 0; w < alive.size(); ++w) ones += std::popcount(alive[w] & said[w]);
        }
        return {{answer(2 * std::int64_t{ones} >= tally[living])}, said, ones};
    }
    bool update(const Row&, bool label, const Predicted& predicted, double) {
        const bool wrong = predicted.answer != answer(label);
        tally[emptied] = 0;
        if (!wrong && !always) return false;
        const std::int64_t right = label ? predicted.ones : tally[living] - predicted.ones;
        tally[emptied] = right == 0;
        if (right > 0 && (wrong || right < tally[living])) {
            tally[living] = right;
            tally[mistakes] += wrong;
            pending = true;
            last = predicted.said;
            flip = label ? 0 : ~std::uint64_t{0};
        }
        return true;
    }
    // No concept agrees with the label: nothing was dropped, and the stream goes on no further.
    bool broken() const { return tally[emptied] != 0; }

    void finish() {
        if (!pending) return;
        for (std::size_t w = 0; w < alive.size(); ++w) alive[w] &= last[w] ^ flip;
        pending = false;
    }
};

}  // namespace littlestone
