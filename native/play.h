// The online protocol over a block of rows, once for every learner of two classes:
// predict the row's label, then see the true one, then update. A row without a label is predicted and teaches nothing.
//
// A learner is a struct with
//   P predict(const Row&)                                                P is Prediction, or derives from it and carries more to update
//   bool update(const Row&, bool label, const P& predicted, double weight)      whether it updated; predicted.answer is what was answered
//   static constexpr bool scored                                        whether its predictions have a score; 1 is predicted where it is ≥ 0
// The score handed to update is that of the state as it is, the answer what was said of the row; where the label came late they differ.
#pragma once
#include <algorithm>
#include <cmath>
#include "core/row.h"

namespace littlestone {

// Rows of a block in compressed form: row t has the features from starts[t] to starts[t + 1].
struct Block {
    std::span<const std::int64_t> starts;
    const std::uint32_t* indices;
    const float* values;         // nullptr where every value is 1
    const std::int32_t* labels;  // 1, 0, or -1 where there is none
    const float* weights;        // nullptr where every round weighs 1

    std::size_t rows() const { return starts.size() - 1; }
    Row row(std::size_t t) const {
        const auto begin = static_cast<std::size_t>(starts[t]), end = static_cast<std::size_t>(starts[t + 1]);
        return {{indices + begin, end - begin}, values ? values + begin : nullptr};
    }
    double weight(std::size_t t) const { return weights ? static_cast<double>(weights[t]) : 1.0; }
};

// Where a pass writes what it did; scores and updates may be nullptr.
struct Record {
    bool* predictions;
    double* scores;
    bool* updates;
};

// Asks the memory for what a pass will read some rows from now, a cache line at a time; otherwise it would wait for each row.
template <class T>
void ask_ahead(const T* from, std::size_t n, std::size_t left) {
    constexpr std::size_t ahead = 2048 / sizeof(T), line = 64 / sizeof(T);
    for (std::size_t k = ahead; k < std::min(ahead + n, left); k += line) __builtin_prefetch(from + k);
}

// Plays one round; false, and nothing changed, where the learner could not decide.
template <class Learner>
bool play_round(Learner& learner, const Row& x, std::int32_t label, double weight, const Record& record, std::size_t t) {
    const auto predicted = learner.predict(x);
    if (predicted.answer == Answer::undecided) return false;
    record.predictions[t] = predicted.answer == Answer::yes;
    if (record.scores) record.scores[t] = predicted.score;
    if (label >= 0) {
        const bool updated = learner.update(x, label == 1, predicted, weight);
        if (record.updates) record.updates[t] = updated;
    }
    return true;
}

// Plays all rows; returns the row at which the learner could not decide, or rows().
template <class Learner>
std::size_t play(Learner& learner, const Block& block, const Record& record) {
    for (std::size_t t = 0; t < block.rows(); ++t) {
        const Row x = block.row(t);
        const auto left = static_cast<std::size_t>(block.starts.back() - block.starts[t]);
        ask_ahead(x.indices.data(), x.size(), left);
        if (x.values) ask_ahead(x.values, x.size(), left);
        if (!play_round(learner, x, block.labels[t], block.weight(t), record, t)) return t;
    }
    return block.rows();
}

// A learner of two classes behind one interface, for those that hold several kinds of them: panels, events, and Python.
class AnyLearner {
public:
    virtual ~AnyLearner() = default;
    virtual bool scored() const = 0;
    virtual std::size_t play(const Block& block, const Record& record) = 0;
    // The prediction for a row. It is kept, so that `learn` of the same row need not be told.
    virtual Prediction predict(const Row& x) = 0;
    // Learns the label of the row that was predicted last, in the state in which it was predicted; returns whether it updated.
    virtual bool learn(const Row& x, bool label, double weight) = 0;
    // Learns the label of any row to which `answered` was said, perhaps in another state.
    virtual bool update(const Row& x, bool label, Answer answered, double weight) = 0;
    // Is there room in the state for what this row will add? Only a learner that stores more than features ever says no.
    virtual bool has_room(const Row& x) const = 0;
};

template <class Learner>
class Held final : public AnyLearner {
public:
    explicit Held(Learner learner) : learner_(std::move(learner)) {}
    bool scored() const override { return Learner::scored; }
    std::size_t play(const Block& block, const Record& record) override { return littlestone::play(learner_, block, record); }
    Prediction predict(const Row& x) override { return predicted_ = learner_.predict(x); }
    bool learn(const Row& x, bool label, double weight) override { return learner_.update(x, label, predicted_, weight); }
    bool update(const Row& x, bool label, Answer answered, double weight) override {
        if constexpr (Learner::scored) {
            predicted_ = learner_.predict(x);
        } else {
            predicted_ = {};
        }
        predicted_.answer = answered;
        return learner_.update(x, label, predicted_, weight);
    }
    bool has_room([[maybe_unused]] const Row& x) const override {
        if constexpr (requires { learner_.has_room(x); }) {
            return learner_.has_room(x);
        } else {
            return true;
        }
    }

private:
    Learner learner_;
    decltype(learner_.predict(Row{})) predicted_{};
};

}  // namespace littlestone
