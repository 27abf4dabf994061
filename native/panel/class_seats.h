// The members of a panel of several classes that tell two classes apart: each has a learner for every class, against the rest.
#pragma once
#include <atomic>
#include <memory>
#include "../play.h"
#include "in_turns.h"

namespace littlestone {

class ClassSeats {
public:
    struct Seat {
        std::vector<AnyLearner*> learners;  // of a class that has not come yet, and of each class
        bool weighted;                      // do they honour the weights of rounds?
    };
    explicit ClassSeats(std::vector<Seat> seats) : seats_(std::move(seats)) {}

    std::size_t size() const { return seats_.size(); }
    bool has_room(const Row& x) const {
        for (const Seat& seat : seats_)
            if (!std::all_of(seat.learners.begin(), seat.learners.end(), [&](const AnyLearner* learner) { return learner->has_room(x); })) return false;
        return true;
    }

    // Each plays the block, that of a class that has not come yet only where there is something to learn. `teaching` are the labels of
    // rounds that weigh something; `marks` takes the scores, a row for each class of each member. Returns whether all could go on.
    bool play(const Block& block, const std::int32_t* teaching, bool learns, Cube<double> marks, std::size_t threads) const {
        const std::size_t classes = seats_.empty() ? 0 : seats_[0].learners.size(), players = seats_.size() * classes;
        const auto features = static_cast<std::size_t>(block.starts.back() - block.starts.front());
        std::atomic<bool> all{true};
        const auto play_one = [&](std::size_t player, Notes& notes) {
            const std::size_t k = player / classes, c = player % classes;
            if (c == 0 && !learns) return;
            if (!notes.play(seats_[k], c, block, teaching, c == 0 ? nullptr : marks[k][c - 1].data)) all = false;
        };
        if (features * players < worth_threads) threads = 1;
        if (threads == 1) {
            Notes notes(block.rows());
            for (std::size_t player = 0; player < players; ++player) play_one(player, notes);
        } else {
            InTurns(1, players).run(threads, [&](std::size_t player, std::size_t) {
                Notes notes(block.rows());
                play_one(player, notes);
            }, [](std::size_t) {});
        }
        return all;
    }

private:
    // Room for the labels that one class has, for its answers, and for scores that nobody asks for.
    struct Notes {
        explicit Notes(std::size_t rows) : codes(rows), answers(new bool[rows]), unasked(rows) {}
        std::vector<std::int32_t> codes;
        std::unique_ptr<bool[]> answers;
        std::vector<double> unasked;

        // The learner of class c - 1 plays the block; a learner without scores has its votes.
        bool play(const Seat& seat, std::size_t c, Block block, const std::int32_t* teaching, double* scores) {
            const std::int32_t* const labels = seat.weighted ? block.labels : teaching;
            for (std::size_t t = 0; t < codes.size(); ++t) codes[t] = labels[t] < 0 ? -1 : labels[t] == static_cast<std::int32_t>(c) - 1;
            block.labels = codes.data();
            if (!seat.weighted) block.weights = nullptr;
            if (!scores) scores = unasked.data();
            AnyLearner& learner = *seat.learners[c];
            const std::size_t played = learner.play(block, {answers.get(), learner.scored() ? scores : nullptr, nullptr});
            for (std::size_t t = 0; t < codes.size() && !learner.scored(); ++t) scores[t] = answers[t] ? 1.0 : -1.0;
            return played == codes.size();
        }
    };

    static constexpr std::size_t worth_threads = 20'000;  // features times learners
    std::vector<Seat> seats_;
};

}  // namespace littlestone
