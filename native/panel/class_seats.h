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
        const std::size_t rows = block.rows(), classes = seats_.empty() ? 0 : seats_[0].learners.size();
        const std::size_t features = static_cast<std::size_t>(block.starts.back() - block.starts.front()), players = seats_.size() * classes;
        std::atomic<bool> all{true};
        const auto play_one = [&](std::size_t player, std::size_t) {
            const Seat& seat = seats_[player / classes];
            const std::size_t c = player % classes;
            if (c == 0 && !learns) return;
            Block own = block;
            const std::int32_t* const labels = seat.weighted ? block.labels : teaching;
            if (!seat.weighted) own.weights = nullptr;
            std::vector<std::int32_t> codes(rows);
            for (std::size_t t = 0; t < rows; ++t) codes[t] = labels[t] < 0 ? -1 : labels[t] == static_cast<std::int32_t>(c) - 1;
            own.labels = codes.data();
            const std::unique_ptr<bool[]> answers(new bool[rows]);
            std::vector<double> nobody(c == 0 ? rows : 0);
            double* const scores = c == 0 ? nobody.data() : marks[player / classes][c - 1].data;
            AnyLearner& learner = *seat.learners[c];
            if (learner.play(own, {answers.get(), learner.scored() ? scores : nullptr, nullptr}) < rows) all = false;
            for (std::size_t t = 0; t < rows && !learner.scored(); ++t) scores[t] = answers[t] ? 1.0 : -1.0;  // it has its votes
        };
        if (features * players < worth_threads) threads = 1;
        InTurns(1, players).run(threads, play_one, [](std::size_t) {});
        return all;
    }

private:
    static constexpr std::size_t worth_threads = 20'000;  // features times learners
    std::vector<Seat> seats_;
};

}  // namespace littlestone
