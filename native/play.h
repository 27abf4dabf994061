// The online protocol over a block of rows, once for every learner, of two classes or of several:
// predict the row's label, then see the true one, then update. A row without a label is predicted and teaches nothing.
//
// A learner of two classes is a struct with
//   P predict(const Row&)                                                P is Prediction, or derives from it and carries more to update
//   bool update(const Row&, bool label, const P& predicted, double weight)      whether it updated; predicted.answer is what was answered
//   static constexpr bool scored                                        whether its predictions have a score; 1 is predicted where it is ≥ 0
// The score handed to update is that of the state as it is, the answer what was said of the row; where the label came late they differ.
// One of several classes has a label of std::int32_t, and P is ClassPrediction or derives from it. Either may have, besides,
//   void begin(), void finish()                                         called before a pass and after it: what a pass may leave undone in between
//   bool broken()                                                       asked after each label: true where it can go on no further
//   bool has_room(const Row&)                                           whether the state has room for what the row would add to it
#pragma once
#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>
#include "core/row.h"

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

// Where a pass over two classes writes what it did; scores and updates may be nullptr.
struct Record {
    bool* predictions;
    double* scores;
    bool* updates;

    static bool label(std::int32_t code) { return code == 1; }
    void note(std::size_t t, const Prediction& predicted) const {
        predictions[t] = predicted.answer == Answer::yes;
        if (scores) scores[t] = predicted.score;
    }
    void note_update(std::size_t t, bool updated) const {
        if (updates) updates[t] = updated;
    }
};

// The class that was predicted, -1 before any was seen, and the score of each class seen so far, which the learner keeps until it predicts again.
struct ClassPrediction {
    std::int32_t answer;
    std::span<const double> scores;
};

inline bool is_undecided(const Prediction& predicted) { return predicted.answer == Answer::undecided; }
inline bool is_undecided(const ClassPrediction&) { return false; }

// Where a pass over several classes writes what it did; of scores, a row for each round, only the classes known by then, or none at all.
struct ClassRecord {
    std::int32_t* predictions;
    Matrix<double> scores;

    static std::int32_t label(std::int32_t code) { return code; }
    void note(std::size_t t, const ClassPrediction& predicted) const {
        predictions[t] = predicted.answer;
        if (scores.data) std::copy(predicted.scores.begin(), predicted.scores.end(), scores[t].begin());
    }
    void note_update(std::size_t, bool) const {}
};

// Asks the memory for what a pass will read some rows from now, a cache line at a time; otherwise it would wait for each row.
template <class T>
void ask_ahead(const T* from, std::size_t n, std::size_t left) {
    constexpr std::size_t ahead = 2048 / sizeof(T), line = 64 / sizeof(T);
    for (std::size_t k = ahead; k < std::min(ahead + n, left); k += line) __builtin_prefetch(from + k);
}

template <class Learner>
void finish(Learner& learner) {
    if constexpr (requires { learner.finish(); }) learner.finish();
}

// Plays one round; false where the learner could not decide, and then nothing changed, or where it can go on no further.
template <class Learner, class Record>
bool play_round(Learner& learner, const Row& x, std::int32_t label, double weight, const Record& record, std::size_t t) {
    const auto predicted = learner.predict(x);
    if (is_undecided(predicted)) return false;
    record.note(t, predicted);
    if (label >= 0) {
        record.note_update(t, learner.update(x, Record::label(label), predicted, weight));
        if constexpr (requires { learner.broken(); }) return !learner.broken();
    }
    return true;
}

// Plays all rows; returns the row at which the learner stopped, or rows().
template <class Learner, class Record>
std::size_t play(Learner& learner, const Block& block, const Record& record) {
    if constexpr (requires { learner.begin(); }) learner.begin();
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
