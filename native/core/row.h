// What the loops read and write: rows of features, and the columns of a learner's state. Neither owns its memory.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

namespace littlestone {

// A row: column indices, and their values. A boolean row carries no values; every value is then 1.
struct Row {
    std::span<const std::uint32_t> indices;
    const float* values = nullptr;

    std::size_t size() const { return indices.size(); }
    double value(std::size_t k) const { return values ? static_cast<double>(values[k]) : 1.0; }
};

// What a learner answers. Where doubles cannot decide, Python settles the row in exact arithmetic.
enum class Answer : std::uint8_t { no = 0, yes = 1, undecided = 2 };

inline Answer answer(bool yes) { return yes ? Answer::yes : Answer::no; }

// An answer, and how far it was from the other one; learners that predict without a score leave it 0.
struct Prediction {
    Answer answer;
    double score = 0.0;
};

// The prediction of a learner that says 1 where its score is not negative.
inline Prediction by_score(double score) { return {answer(score >= 0.0), score}; }

// A column of the state, one entry a feature (or of a few numbers). The row's indices were compared with its length before the loop.
template <class T>
struct Column {
    T* data = nullptr;
    std::size_t length = 0;

    T& operator[](std::size_t index) const {
#ifdef LITTLESTONE_CHECKED
        if (index >= length) std::abort();
#endif
        return data[index];
    }
    std::size_t size() const { return length; }
    bool empty() const { return length == 0; }
    T* begin() const { return data; }
    T* end() const { return data + length; }
};

// Rows of equal length; the entries of one row lie side by side.
template <class T>
struct Matrix {
    T* data = nullptr;
    std::size_t rows = 0, columns = 0;
    std::ptrdiff_t stride = 0;  // entries from one row to the next

    Column<T> operator[](std::size_t row) const {
#ifdef LITTLESTONE_CHECKED
        if (row >= rows) std::abort();
#endif
        return {data + static_cast<std::ptrdiff_t>(row) * stride, columns};
    }
    std::size_t size() const { return rows; }
};

// Matrices of equal shape, one after the other.
template <class T>
struct Cube {
    T* data = nullptr;
    std::size_t count = 0, rows = 0, columns = 0;

    Matrix<T> operator[](std::size_t k) const {
#ifdef LITTLESTONE_CHECKED
        if (k >= count) std::abort();
#endif
        return {data + k * rows * columns, rows, columns, static_cast<std::ptrdiff_t>(columns)};
    }
};

}  // namespace littlestone
