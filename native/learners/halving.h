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
        const std::int64_t ones = said.with_words([&](auto now) { return pending ? drop_and_count(now) : count(now); });
        return {{answer(2 * ones >= tally[living])}, said, ones};
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
        if (pending) drop_and_count([](std::size_t) { return std::uint64_t{0}; });
    }

private:
    template <class Words>
    std::int64_t count(Words said) const {
        std::uint64_t ones = 0;
        for (std::size_t w = 0; w < alive.size(); ++w) ones += static_cast<std::uint64_t>(std::popcount(alive[w] & said(w)));
        return static_cast<std::int64_t>(ones);
    }
    template <class Words>
    std::int64_t drop_and_count(Words said) {
        pending = false;
        return last.with_words([&](auto before) {
            std::uint64_t ones = 0;
            for (std::size_t w = 0; w < alive.size(); ++w) {
                const std::uint64_t word = alive[w] & (before(w) ^ flip);
                alive[w] = word;
                ones += static_cast<std::uint64_t>(std::popcount(word & said(w)));
            }
            return static_cast<std::int64_t>(ones);
        });
    }
};

}  // namespace littlestone
