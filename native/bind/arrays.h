// NumPy arrays as the loops take them. An array of another dtype, rank or layout is a TypeError before any loop begins: none is ever
// converted, since what a loop writes into a copy would be lost.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <optional>
#include "../core/row.h"

namespace littlestone::bind {

namespace nb = nanobind;

// The truth of a label: True, False, or a number of NumPy's own that stands for one of them.
struct Truth {
    bool value = false;
    operator bool() const { return value; }
};

template <class T>
using Optional = std::optional<Column<T>>;

template <class T>
T* data_or_null(const Optional<T>& column) {
    return column ? column->data : nullptr;
}

inline Row row_of(const Column<const std::uint32_t>& indices, const Optional<const float>& values, std::size_t lo, std::size_t hi) {
    if (lo > hi || hi > indices.size() || (values && hi > values->size())) throw nb::index_error("a row reaches beyond its arrays");
    return {{indices.data + lo, hi - lo}, values ? values->data + lo : nullptr};
}

}  // namespace littlestone::bind

namespace nanobind::detail {

template <class T>
struct type_caster<littlestone::Column<T>> {
    using Array = ndarray<T, numpy, ndim<1>, c_contig, device::cpu>;
    NB_TYPE_CASTER(littlestone::Column<T>, make_caster<Array>::Name)

    bool from_python(handle source, std::uint32_t flags, cleanup_list* cleanup) noexcept {
        make_caster<Array> array;
        if (!array.from_python(source, flags & ~static_cast<std::uint32_t>(cast_flags::convert), cleanup)) return false;
        value = {array.value.data(), array.value.size()};
        return true;
    }
};

template <class T>
struct type_caster<littlestone::Matrix<T>> {
    using Array = ndarray<T, numpy, ndim<2>, device::cpu>;
    NB_TYPE_CASTER(littlestone::Matrix<T>, make_caster<Array>::Name)

    bool from_python(handle source, std::uint32_t flags, cleanup_list* cleanup) noexcept {
        make_caster<Array> array;
        if (!array.from_python(source, flags & ~static_cast<std::uint32_t>(cast_flags::convert), cleanup)) return false;
        const auto rows = array.value.shape(0), columns = array.value.shape(1);
        if (rows > 0 && columns > 1 && array.value.stride(1) != 1) return false;
        value = {array.value.data(), rows, columns, static_cast<std::ptrdiff_t>(array.value.stride(0))};
        return true;
    }
};

template <class T>
struct type_caster<littlestone::Cube<T>> {
    using Array = ndarray<T, numpy, ndim<3>, c_contig, device::cpu>;
    NB_TYPE_CASTER(littlestone::Cube<T>, make_caster<Array>::Name)

    bool from_python(handle source, std::uint32_t flags, cleanup_list* cleanup) noexcept {
        make_caster<Array> array;
        if (!array.from_python(source, flags & ~static_cast<std::uint32_t>(cast_flags::convert), cleanup)) return false;
        value = {array.value.data(), array.value.shape(0), array.value.shape(1), array.value.shape(2)};
        return true;
    }
};

template <>
struct type_caster<littlestone::bind::Truth> {
    NB_TYPE_CASTER(littlestone::bind::Truth, const_name("bool"))

    bool from_python(handle source, std::uint32_t, cleanup_list*) noexcept {
        const int truth = PyObject_IsTrue(source.ptr());
        if (truth < 0) {
            PyErr_Clear();
            return false;
        }
        value.value = truth == 1;
        return true;
    }
};

}  // namespace nanobind::detail
