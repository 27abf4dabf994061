// One round of the online protocol, once for every learner, of two classes or of several:
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
#include <span>
#include "core/row.h"

namespace littlestone {

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

template <class Learner>
void begin(Learner& learner) {
    if constexpr (requires { learner.begin(); }) learner.begin();
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

}  // namespace littlestone
