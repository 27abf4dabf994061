// The events of one model in one call each: read, predicted, counted, learned from and entered into the ledger.
//
// An event that is not plain changes nothing here, and the answer is None or False: Python then plays it. The model's lock is held from
// beginning to end, and nothing in between runs code in Python, so no handler of a signal comes there: an event has happened or has not.
#pragma once
#include "../play.h"
#include "row_reader.h"

namespace littlestone {

// Rounds that updated, as a ledger takes them over later: of each its number, label, prediction and length, and all their rows in a line.
// The arrays are those of `LedgerPage` in protocol/ledger.py.
struct LedgerPage {
    enum Head : std::size_t { entries, features, most_entries, most_features };
    static constexpr std::size_t entry_length = 4;

    Column<std::int64_t> head;
    Column<std::int64_t> rounds;  // `entry_length` numbers each
    Column<std::uint32_t> indices;
    Column<float> values;

    bool has_room(std::size_t length) const {
        return head[entries] < head[most_entries] && head[features] + static_cast<std::int64_t>(length) <= head[most_features];
    }
    void enter(std::int64_t round, bool label, bool predicted, const Row& row) const {
        const auto entry = entry_length * static_cast<std::size_t>(head[entries]), first = static_cast<std::size_t>(head[features]);
        const auto length = static_cast<std::int64_t>(row.size());
        std::int64_t k = 0;
        for (const std::int64_t number : {round, std::int64_t{label}, std::int64_t{predicted}, length}) rounds[entry + k++] = number;
        std::copy(row.indices.begin(), row.indices.end(), indices.data + first);
        if (row.values) std::copy_n(row.values, row.size(), values.data + first);
        ++head[entries];
        head[features] += length;
    }
};

// The model's lock, one of Python's own, held for the length of a block of code.
class HeldLock {
public:
    HeldLock(nb::handle acquire, nb::handle release) : release_(release) { acquire(); }
    HeldLock(const HeldLock&) = delete;
    ~HeldLock() {
        nb::object released = nb::steal(PyObject_CallNoArgs(release_.ptr()));
        if (!released.is_valid()) PyErr_WriteUnraisable(release_.ptr());
    }

private:
    nb::handle release_;
};

class FastPath {
public:
    FastPath(AnyLearner& learner, RowReader reader, Column<std::int64_t> counts, bool conservative, nb::object negative, nb::object positive,
             nb::handle lock)
        : learner_(learner), reader_(std::move(reader)), counts_(counts), conservative_(conservative),
          answers_{std::move(negative), std::move(positive)}, acquire_(lock.attr("acquire")), release_(lock.attr("release")) {}

    void set_room(std::int64_t names) { reader_.room = names; }
    void set_page(LedgerPage page) { page_ = page; }

    // Takes no event from now on: the model's arrays are about to change, and a thread may be waiting for the lock to play an event here.
    void close() { closed_ = true; }

    // The answer for x; None where x is not plain.
    nb::object predict(nb::handle x) {
        const HeldLock held(acquire_, release_);
        return foretell(x) ? answers_[predicted_] : nb::none();
    }

    // Learns the label of x; False where the event is not plain.
    bool update(nb::handle x, nb::handle y, nb::handle weight) {
        if (!is_usual(y, weight)) return false;
        const HeldLock held(acquire_, release_);
        if (!foretell(x)) return false;
        return learn(y.is(Py_True));
    }

    // Both in one call: the answer before it is learned from, or None.
    nb::object observe(nb::handle x, nb::handle y, nb::handle weight) {
        if (!is_usual(y, weight)) return nb::none();
        const HeldLock held(acquire_, release_);
        if (!foretell(x)) return nb::none();
        nb::object answer = answers_[predicted_];
        return learn(y.is(Py_True)) ? answer : nb::none();
    }

private:
    static bool is_usual(nb::handle y, nb::handle weight) {
        return (y.is(Py_True) || y.is(Py_False)) && PyFloat_CheckExact(weight.ptr()) && PyFloat_AsDouble(weight.ptr()) == 1.0;
    }

    std::int64_t rows() const { return counts_[rounds] + counts_[unlabelled]; }

    // Predicts x, unless it was predicted just now, and neither it nor the model has changed since.
    bool foretell(nb::handle x) {
        if (closed_) return false;
        if (predicted_at_ == rows() && reader_.has_read(x)) return true;
        const bool plain = reader_.read(x) && !closed_;
        predicted_at_ = -1;
        if (!plain || !learner_.has_room(reader_.row())) return false;
        const Answer answer = learner_.predict(reader_.row()).answer;
        if (answer == Answer::undecided) return false;
        predicted_ = answer == Answer::yes;
        predicted_at_ = rows();
        return true;
    }

    // Counts the round whose row was read last, and learns from its label.
    bool learn(bool label) {
        const Row row = reader_.row();
        const bool wrong = label != predicted_, asks = wrong || !conservative_;
        if (asks && (!learner_.has_room(row) || (page_.head.data && !page_.has_room(row.size())))) return false;
        reader_.keep_new_names();
        predicted_at_ = -1;
        counts_[rounds] += 1;
        counts_[mistakes] += wrong;
        if (asks) {
            const bool updated = learner_.learn(row, label, 1.0);
            if (page_.head.data && (wrong || updated)) page_.enter(rows(), label, predicted_, row);
        }
        reader_.forget();
        return true;
    }

    AnyLearner& learner_;
    RowReader reader_;
    Column<std::int64_t> counts_;
    bool conservative_;  // does the learner update on mistakes alone?
    nb::object answers_[2];
    nb::object acquire_, release_;  // of the model's lock
    LedgerPage page_{};
    std::int64_t predicted_at_ = -1;  // after how many rounds the row that was read last was predicted, -1: it was not, or was learned from
    bool predicted_ = false;
    bool closed_ = false;
};

}  // namespace littlestone
