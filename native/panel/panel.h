// A panel: a learner made of learners. Each member predicts, blends and forecaster hear their scores, and a rule over experts hears the votes
// of all; then everybody learns the label. It predicts the likelier label of its forecast, or that of its weighted majority.
//
// No member hears of the others, so in a block each plays a group of rows in its own loop before all of them are heard.
#pragma once
#include <array>
#include <memory>
#include "../play.h"
#include "../rules/any_rule.h"
#include "accounts.h"
#include "hearing.h"
#include "in_turns.h"

namespace littlestone {

// A member, and how it takes rows: where the numbers of all members lie side by side, indices are multiplied by the gap between features.
struct Seat {
    AnyLearner* learner;
    bool spaced;
    bool weighted;  // does it honour the weights of rounds?
};

class Panel final : public AnyLearner {
public:
    // `spaced` are the numbers that lie side by side, `gap` of them for each feature; empty, with a gap of 1, where none do.
    // `hearing` is nullptr where there are neither blends nor forecasts.
    Panel(std::vector<Seat> seats, Column<const double> spaced, std::size_t gap, Hearing* hearing, AnyRule& rule, Accounts accounts, bool weighs,
          bool by_forecast, std::size_t threads)
        : seats_(std::move(seats)), spaced_(spaced), gap_(gap), hearing_(hearing), rule_(rule), accounts_(accounts), weighs_(weighs),
          by_forecast_(by_forecast), threads_(threads) {}

    bool scored() const override { return true; }

    Prediction predict(const Row& x) override {
        const Row wide = widened(x, wide_);
        for (std::size_t k = 0; k < wide.size() && gap_ > 1; ++k)
            for (std::size_t j = 0; j < gap_; j += line) prefetch(spaced_.data + wide.indices[k] + j);
        for (std::size_t k = 0; k < seats_.size(); ++k) {
            const Prediction said = seats_[k].learner->predict(seats_[k].spaced ? wide : x);
            if (said.answer == Answer::undecided) return {Answer::undecided};
            note(k, said.answer == Answer::yes, said.score, votes_.data());
        }
        const double odds = hear(votes_.data());
        share_ = rule_.mix({votes_.data(), voters_});
        return decided(odds, share_);
    }
    // What weighs nothing teaches nothing.
    bool learn(const Row& x, bool label, double weight) override {
        if (!(weight > 0.0)) return true;
        if (hearing_) hearing_->learn(label, heeded(weight));
        rule_.learn({votes_.data(), voters_}, label ? 1 : 0, static_cast<float>(heeded(weight)));
        count(votes_.data(), label, share_, weight);
        const Row wide = widened(x, wide_);
        for (const Seat& seat : seats_) seat.learner->learn(seat.spaced ? wide : x, label, seat.weighted ? weight : 1.0);
        return true;
    }
    // What was answered, perhaps in another state, is nobody's business: all learn from what they say now.
    bool update(const Row& x, bool label, Answer, double weight) override {
        predict(x);
        return learn(x, label, weight);
    }
    bool has_room(const Row& x) const override {
        return std::all_of(seats_.begin(), seats_.end(), [&](const Seat& seat) { return seat.learner->has_room(x); });
    }

    std::size_t play(const Block& block, const Record& record) override {
        const std::size_t rows = block.rows(), groups = (rows + group_rows - 1) / group_rows;
        const auto features = static_cast<std::size_t>(block.starts.back() - block.starts.front());
        const auto cut = [&](std::size_t g) { groups_[g % groups_.size()].cut(block, g * group_rows, gap_, seats_.size()); };
        for (std::size_t g = 0; g < std::min(groups, groups_.size()); ++g) cut(g);
        InTurns(groups, seats_.size())
            .run(features * seats_.size() < worth_threads ? 1 : threads_,
                 [&](std::size_t k, std::size_t g) { play_seat(k, block, groups_[g % groups_.size()]); },
                 [&](std::size_t g) {
                     hear_group(block, groups_[g % groups_.size()], record);
                     if (g + groups_.size() < groups) cut(g + groups_.size());
                 });
        return rows;
    }

private:
    static constexpr std::size_t line = 8;  // doubles in a line of the cache
    static constexpr std::size_t group_rows = 512;
    static constexpr std::size_t worth_threads = 20'000;  // features times members

    // Rows that members play together, and what they say of them.
    struct Group {
        std::size_t first = 0, rows = 0;
        Block plain{};  // for members that honour no weights
        std::array<std::int64_t, group_rows + 1> starts;
        std::array<std::int32_t, group_rows> teaching;  // labels, of rounds that weigh something
        std::vector<std::uint32_t> wide;
        std::unique_ptr<bool[]> answers;  // a row for each member
        std::vector<double> marks;        // their scores

        void cut(const Block& block, std::size_t begin, std::size_t gap, std::size_t members) {
            first = begin;
            rows = std::min(group_rows, block.rows() - first);
            for (std::size_t t = 0; t <= rows; ++t) starts[t] = block.starts[first + t] - block.starts[first];
            for (std::size_t t = 0; t < rows; ++t)
                teaching[t] = block.weights && !(block.weights[first + t] > 0.0f) ? -1 : block.labels[first + t];
            const auto offset = static_cast<std::size_t>(block.starts[first]), size = static_cast<std::size_t>(starts[rows]);
            plain = {{starts.data(), rows + 1}, block.indices + offset, block.values ? block.values + offset : nullptr, teaching.data(), nullptr};
            if (gap > 1) widen({plain.indices, size}, gap, wide);
            if (!answers) answers.reset(new bool[members * group_rows]());
            marks.resize(members * group_rows);
        }
    };

    static void widen(std::span<const std::uint32_t> indices, std::size_t gap, std::vector<std::uint32_t>& wide) {
        if (wide.size() < indices.size()) wide.resize(indices.size());
        for (std::size_t k = 0; k < indices.size(); ++k) wide[k] = indices[k] * static_cast<std::uint32_t>(gap);
    }
    Row widened(const Row& x, std::vector<std::uint32_t>& wide) const {
        if (gap_ == 1) return x;
        widen(x.indices, gap_, wide);
        return {{wide.data(), x.size()}, x.values};
    }

    // A member without scores has its votes.
    void note(std::size_t k, bool vote, double score, float* votes) {
        votes[k] = vote ? 1.0f : 0.0f;
        scores_[k] = seats_[k].learner->scored() ? score : vote ? 1.0 : -1.0;
    }
    // What blends and forecaster make of the scores of a row; the blends' votes go behind the members'.
    double hear(float* votes) {
        if (!hearing_) return 0.0;
        const double odds = hearing_->hear(scores_.data());
        hearing_->vote([&](std::size_t b, bool vote) { votes[seats_.size() + b] = vote ? 1.0f : 0.0f; });
        return odds;
    }
    Prediction decided(double odds, double share) const {
        const double score = hearing_ && hearing_->forecasts() ? odds : 2.0 * share - 1.0;
        return {answer(by_forecast_ ? score >= 0.0 : share >= 0.5), score};
    }
    double heeded(double weight) const { return weighs_ ? weight : 1.0; }
    void count(const float* votes, bool label, double share, double weight) const {
        accounts_.count(label, share, heeded(weight), weight, [&](std::size_t k) { return votes[k] != 0.0f; });
    }

    void play_seat(std::size_t k, const Block& block, Group& group) const {
        const Seat& seat = seats_[k];
        Block rows = group.plain;
        if (seat.weighted && block.weights) {
            rows.labels = block.labels + group.first;
            rows.weights = block.weights + group.first;
        }
        if (seat.spaced && gap_ > 1) rows.indices = group.wide.data();
        seat.learner->play(rows, {&group.answers[k * group_rows], seat.learner->scored() ? &group.marks[k * group_rows] : nullptr, nullptr});
    }
    void hear_group(const Block& block, const Group& group, const Record& record) {
        const std::size_t rows = group.rows, first = group.first;
        const std::int32_t* const labels = group.teaching.data();
        for (std::size_t t = 0; t < rows; ++t) {
            float* const votes = &votes_[t * voters_];
            for (std::size_t k = 0; k < seats_.size(); ++k) note(k, group.answers[k * group_rows + t], group.marks[k * group_rows + t], votes);
            odds_[t] = hear(votes);
            if (hearing_ && labels[t] >= 0) hearing_->learn(labels[t] == 1, heeded(block.weight(first + t)));
        }
        const Column<const float> weights{block.weights ? block.weights + first : nullptr, weighs_ && block.weights ? rows : 0};
        const Matrix<const float> table{votes_.data(), rows, voters_, static_cast<std::ptrdiff_t>(voters_)};
        rule_.play(Advice{table, {labels, rows}, weights}, {shares_.data(), rows}, {});
        for (std::size_t t = 0; t < rows; ++t) {
            const Prediction said = decided(odds_[t], shares_[t]);
            record.predictions[first + t] = said.answer == Answer::yes;
            if (record.scores) record.scores[first + t] = said.score;
            if (labels[t] >= 0) count(&votes_[t * voters_], labels[t] == 1, shares_[t], block.weight(first + t));
        }
    }

    std::vector<Seat> seats_;
    Column<const double> spaced_;
    std::size_t gap_;
    Hearing* hearing_;
    AnyRule& rule_;
    Accounts accounts_;
    bool weighs_, by_forecast_;
    std::size_t threads_;
    std::size_t voters_ = accounts_.mistakes.size();
    // of the row that was predicted last, and of the group that is heard
    std::vector<std::uint32_t> wide_;
    std::vector<double> scores_ = std::vector<double>(seats_.size());
    std::vector<float> votes_ = std::vector<float>(voters_ * group_rows);
    double share_ = 0.5;
    std::array<double, group_rows> odds_{}, shares_{};
    std::array<Group, InTurns::ahead> groups_;
};

}  // namespace littlestone
