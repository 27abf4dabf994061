// Reads one event, a dict or a pair of arrays as Python has them, into a row of features. It asks CPython's public API alone.
//
// Whatever is not plain (a key or a number of another type, a number that is not finite, a column that is new, an empty row) is refused
// without a word: Python then converts the event and says what is wrong with it, if anything is.
#pragma once
#include <nanobind/nanobind.h>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>
#include "../core/row.h"
#include "../core/sort_row.h"

namespace littlestone {

namespace nb = nanobind;

// What a model counts, in the order in which its array has them: rounds with a label, mistakes, rounds without a label; the largest column
// that it has met, and whether it has met column 0.
enum Count : std::size_t { rounds, mistakes, unlabelled, top_column, met_zero };

// Which numbers a learner takes as the values of features: any, those from 0 to 1, or 1 alone.
enum class Domain { real, unit, boolean };

class RowReader {
public:
    // `names` maps names to columns, and is None where the keys of dicts are columns. Rows are `sorted` by column and without zeros, but for
    // models that were saved before rows were.
    RowReader(nb::object names, Domain domain, bool sorted, nb::object counts_array, Column<std::int64_t> counts)
        : names_(std::move(names)), domain_(domain), sorted_(sorted), counts_array_(std::move(counts_array)), counts_(counts) {}

    bool read(nb::handle x) {
        forget();
        if (PyDict_CheckExact(x.ptr())) return read_dict(x);
        return PyTuple_CheckExact(x.ptr()) && !named() && domain_ != Domain::boolean && read_pair(x);
    }

    // Whether x is a dict with the very keys and values that were read last.
    bool has_read(nb::handle x) const {
        if (!copy_.is_valid() || !PyDict_CheckExact(x.ptr()) || (named() && PyDict_Size(names_.ptr()) != first_new_)) return false;
        const nb::ft_object_guard guard(x);
        Py_ssize_t position = 0;
        PyObject *key = nullptr, *value = nullptr;
        std::size_t k = 0;
        for (; PyDict_Next(x.ptr(), &position, &key, &value); ++k) {
            if (k == items_.size() || items_[k].key != key || items_[k].value != value) return false;
        }
        return k == items_.size();
    }

    // Lets go of the dict that was read last.
    void forget() { copy_.reset(); }

    Row row() const { return {indices_, domain_ == Domain::boolean ? nullptr : values_.data()}; }

    // Gives the names that are new in the row the columns that the row has for them; throws where there is no memory for that.
    void keep_new_names() {
        for (std::size_t j = 0; j < new_names_.size(); ++j) {
            const std::int64_t column = first_new_ + static_cast<std::int64_t>(j);
            const nb::object number = nb::steal(PyLong_FromLongLong(column));
            if (!number.is_valid() || PyDict_SetItem(names_.ptr(), new_names_[j].key, number.ptr()) != 0) throw nb::python_error();
            counts_[top_column] = std::max(counts_[top_column], column);
        }
        new_names_.clear();
    }

    std::int64_t room = 0;  // how many names there may be

private:
    struct Item {
        PyObject *key, *value;
    };
    struct NewName {
        PyObject* key;
        std::size_t place;
    };

    bool named() const { return !names_.is_none(); }

    // A copy of the dict keeps the keys and values alive while they are read and until the label comes; it also brings them all into the
    // processor's cache. Their kinds run no code of a user's, so nothing can change under the reader.
    bool read_dict(nb::handle x) {
        nb::object copy = nb::steal(PyDict_Copy(x.ptr()));
        if (!copy.is_valid()) throw nb::python_error();
        forget();  // making an object may have run the garbage collector, and that any code, which may have read another event
        items_.clear();
        Py_ssize_t position = 0;
        PyObject *key = nullptr, *value = nullptr;  // apart: they are written one by one, and a processor waits to read both at once
        while (PyDict_Next(copy.ptr(), &position, &key, &value)) items_.push_back({key, value});

        features_.clear();
        new_names_.clear();
        first_new_ = named() ? PyDict_Size(names_.ptr()) : 0;
        if (first_new_ > counts_[top_column] + 1) return false;
        bool zero = named();
        for (const Item& read : items_) {
            float value = 0;
            std::int64_t column = 0;
            if (!read_value(read.value, value) || !is_key(read.key)) return false;
            if (sorted_ && value == 0) continue;
            PyObject* number = named() ? PyDict_GetItemWithError(names_.ptr(), read.key) : read.key;
            if (!number) {
                if (PyErr_Occurred()) throw nb::python_error();
                column = first_new_ + static_cast<std::int64_t>(new_names_.size());
                new_names_.push_back({read.key, features_.size()});
            } else if (!read_column(number, column)) {
                return false;
            }
            zero |= column == 0;
            features_.push_back(feature_word(static_cast<std::uint32_t>(column), value));
        }
        if (features_.empty() || (zero && !counts_[met_zero])) return false;
        if (!new_names_.empty() && !number_new_names()) return false;
        if (sorted_) sort_row(features_, spare_);
        indices_.resize(features_.size());
        values_.resize(features_.size());
        for (std::size_t k = 0; k < features_.size(); ++k) {
            indices_[k] = column_of(features_[k]);
            values_[k] = value_of(features_[k]);
        }
        copy_ = std::move(copy);
        return true;
    }

    bool is_key(PyObject* key) const { return named() ? PyUnicode_CheckExact(key) : PyLong_CheckExact(key); }

    // A column that the model has met.
    bool read_column(PyObject* number, std::int64_t& column) const {
        int overflow = 0;
        column = PyLong_AsLongLongAndOverflow(number, &overflow);
        return overflow == 0 && column >= 0 && column <= counts_[top_column];
    }

    bool read_value(PyObject* number, float& value) const {
        double exact = 0;
        if (PyFloat_CheckExact(number)) {
            exact = PyFloat_AsDouble(number);
        } else if (PyLong_CheckExact(number)) {
            constexpr long long largest = 1LL << 53;  // up to which every whole number is a double
            int overflow = 0;
            const long long whole = PyLong_AsLongLongAndOverflow(number, &overflow);
            if (overflow != 0 || whole < -largest || whole > largest) return false;
            exact = static_cast<double>(whole);
        } else {
            return false;
        }
        value = static_cast<float>(exact);
        return domain_ == Domain::boolean ? exact == 1 : takes(value);
    }

    bool takes(float value) const { return std::isfinite(value) && (domain_ != Domain::unit || (value >= 0 && value <= 1)); }

    // Numbers the new names of a row behind the known ones, in the order of their code points, which is that of their bytes in UTF-8.
    bool number_new_names() {
        if (first_new_ + static_cast<std::int64_t>(new_names_.size()) > room) return false;
        if (!sorted_) return true;
        std::sort(new_names_.begin(), new_names_.end(), [](const NewName& a, const NewName& b) { return PyUnicode_Compare(a.key, b.key) < 0; });
        for (std::size_t j = 0; j < new_names_.size(); ++j) {
            std::uint64_t& feature = features_[new_names_[j].place];
            feature = feature_word(static_cast<std::uint32_t>(first_new_) + static_cast<std::uint32_t>(j), value_of(feature));
        }
        return true;
    }

    // A flat array of NumPy's own whose numbers lie side by side, as the buffer protocol shows it; empty where it is anything else.
    class FlatArray {
    public:
        FlatArray(nb::handle array, const char* formats) {
            if (PyObject_GetBuffer(array.ptr(), &buffer_, PyBUF_ND | PyBUF_FORMAT) != 0) {
                PyErr_Clear();
                return;
            }
            open_ = true;
            const char* format = buffer_.format ? buffer_.format : "B";
            const bool fits = buffer_.ndim == 1 && buffer_.itemsize == 4 && std::strchr(formats, format[0]) && format[0] && !format[1];
            if (fits) size = static_cast<std::size_t>(buffer_.shape[0]);
        }
        FlatArray(const FlatArray&) = delete;
        ~FlatArray() {
            if (open_) PyBuffer_Release(&buffer_);
        }
        const void* data() const { return buffer_.buf; }
        std::size_t size = 0;

    private:
        Py_buffer buffer_{};
        bool open_ = false;
    };

    bool read_pair(nb::handle x) {
        if (PyTuple_Size(x.ptr()) != 2) return false;
        const nb::handle columns = PyTuple_GetItem(x.ptr(), 0), numbers = PyTuple_GetItem(x.ptr(), 1);
        // only NumPy's own arrays, of whose type the counts are: those of other types may run code of a user's when they are looked at
        if (Py_TYPE(columns.ptr()) != Py_TYPE(counts_array_.ptr()) || Py_TYPE(numbers.ptr()) != Py_TYPE(counts_array_.ptr())) return false;
        const FlatArray indices(columns, "IL"), values(numbers, "f");
        if (indices.size == 0 || indices.size != values.size) return false;
        indices_.resize(indices.size);
        values_.resize(values.size);
        std::memcpy(indices_.data(), indices.data(), 4 * indices.size);
        std::memcpy(values_.data(), values.data(), 4 * values.size);
        new_names_.clear();
        for (std::size_t k = 0; k < indices_.size(); ++k) {
            if (!takes(values_[k]) || values_[k] == 0 || (k > 0 && indices_[k] <= indices_[k - 1])) return false;
        }
        return indices_.back() <= counts_[top_column] && (indices_.front() != 0 || counts_[met_zero]);
    }

    nb::object names_;
    Domain domain_;
    bool sorted_;
    nb::object counts_array_;
    Column<std::int64_t> counts_;
    nb::object copy_;             // of the dict that was read last, until its round ends
    std::vector<Item> items_;     // of that copy, in its order
    std::vector<NewName> new_names_;
    std::int64_t first_new_ = 0;  // the column of the first of them
    std::vector<std::uint64_t> features_, spare_;  // the row before it is laid out in columns and values
    std::vector<std::uint32_t> indices_;
    std::vector<float> values_;
};

}  // namespace littlestone
