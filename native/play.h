// The pass over a block of rows, and a learner of two classes behind one interface.
#pragma once
#include <algorithm>
#include <type_traits>
#include <utility>
#include "core/prefetch.h"
#include "feed.h"
#include "round.h"

namespace littlestone {

// Rows of a block in compressed form: row t has the features from starts[t] to starts[t + 1].
struct Block {
    std::span<const std::int64_t> starts;
    const std::uint32_t* indices;
    const float* values;         // nullptr where every value is 1
    const std::int32_t* labels;  // of two classes 1 or 0, of several the number of the class; -1 where there is none
    const float* weights;        // nullptr where every round weighs 1

    std::size_t rows() const { return starts.size() - 1; }
    Row row(std::size_t t) const {
        const auto begin = static_cast<std::size_t>(starts[t]), end = static_cast<std::size_t>(starts[t + 1]);
        return {{indices + begin, end - begin}, values ? values + begin : nullptr};
    }
    double weight(std::size_t t) const { return weights ? static_cast<double>(weights[t]) : 1.0; }
};

// Asks the memory for what a pass will read some rows from now, a cache line at a time; otherwise it would wait for each row.
template <class T>
void ask_ahead(const T* from, std::size_t n, std::size_t left) {
    constexpr std::size_t ahead = 2048 / sizeof(T), line = 64 / sizeof(T);
    for (std::size_t k = ahead; k < std::min(ahead + n, left); k += line) prefetch(from + k);
}

// Plays all rows; returns the row at which the learner stopped, or rows().
template <class Learner, class Record>
std::size_t play(Learner& learner, const Block& block, const Record& record) {
    begin(learner);
    std::size_t t = 0;
    for (; t < block.rows(); ++t) {
        const Row x = block.row(t);
        const auto left = static_cast<std::size_t>(block.starts.back() - block.starts[t]);
        ask_ahead(x.indices.data(), x.size(), left);
        if (x.values) ask_ahead(x.values, x.size(), left);
        if (!play_round(learner, x, block.labels[t], block.weight(t), record, t)) break;
    }
    finish(learner);
    return t;
}

// A learner of two classes behind one interface, for those that hold several kinds of them: panels, events, and Python.
class AnyLearner {
public:
    virtual ~AnyLearner() = default;
    virtual bool scored() const = 0;
    virtual std::size_t play(const Block& block, const Record& record) = 0;
    // Plays rows that lie in somebody else's memory, and returns how many; see feed.h. A learner that plays blocks alone plays none.
    virtual std::size_t feed(const LentRows&, RowCopy&, const Record&, const MistakeLengths*) { return 0; }
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
    using Predicted = decltype(std::declval<Learner&>().predict(Row{}));

public:
    explicit Held(Learner learner) : learner_(std::move(learner)) {}
    bool scored() const override { return Learner::scored; }
    std::size_t play(const Block& block, const Record& record) override { return littlestone::play(learner_, block, record); }
    std::size_t feed(const LentRows& lent, RowCopy& copy, const Record& record, const MistakeLengths* lengths) override {
        return littlestone::feed(learner_, lent, copy, record, lengths);
    }
    Prediction predict(const Row& x) override { return predicted_ = learner_.predict(x); }
    bool learn(const Row& x, bool label, double weight) override { return teach(x, label, weight); }
    bool update(const Row& x, bool label, Answer answered, double weight) override {
        if constexpr (Learner::scored || !std::is_same_v<Predicted, Prediction>) {
            predicted_ = learner_.predict(x);
        } else {
            predicted_ = {};
        }
        predicted_.answer = answered;
        return teach(x, label, weight);
    }
    bool has_room([[maybe_unused]] const Row& x) const override {
        if constexpr (requires { learner_.has_room(x); }) {
            return learner_.has_room(x);
        } else {
            return true;
        }
    }

private:
    bool teach(const Row& x, bool label, double weight) {
        const bool updated = learner_.update(x, label, predicted_, weight);
        finish(learner_);
        return updated;
    }

    Learner learner_;
    Predicted predicted_{};
};

// A learner of several classes behind one interface. Room for the class that is registered next is made in Python.
class AnyClassLearner {
public:
    virtual ~AnyClassLearner() = default;
    virtual std::size_t play(const Block& block, const ClassRecord& record) = 0;
    virtual ClassPrediction predict(const Row& x) = 0;
    virtual bool learn(const Row& x, std::int32_t label, double weight) = 0;
    virtual bool update(const Row& x, std::int32_t label, std::int32_t answered, double weight) = 0;
};

template <class Learner>
class HeldClass final : public AnyClassLearner {
    using Predicted = decltype(std::declval<Learner&>().predict(Row{}));

public:
    explicit HeldClass(Learner learner) : learner_(std::move(learner)) {}
    std::size_t play(const Block& block, const ClassRecord& record) override { return littlestone::play(learner_, block, record); }
    ClassPrediction predict(const Row& x) override { return predicted_ = learner_.predict(x); }
    bool learn(const Row& x, std::int32_t label, double weight) override { return learner_.update(x, label, predicted_, weight); }
    bool update(const Row& x, std::int32_t label, std::int32_t answered, double weight) override {
        if constexpr (!std::is_same_v<Predicted, ClassPrediction>) predicted_ = learner_.predict(x);
        predicted_.answer = answered;
        return learner_.update(x, label, predicted_, weight);
    }

private:
    Learner learner_;
    Predicted predicted_{};
};

}  // namespace littlestone
