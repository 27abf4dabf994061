// How a learner becomes a Python class: built from parameters and state, whose arrays it borrows and keeps alive, and played by the methods
// that `AnyLearner`, or `AnyClassLearner`, has in Python.
#pragma once
#include <array>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/variant.h>
#include <utility>
#include <variant>
#include "../play.h"
#include "arrays.h"

namespace littlestone::bind {

template <class Holder, class Class, class Make, class Learner, class... Own, std::size_t... place>
void add_constructor(Class& learner, Make make, Learner (Make::*)(Own...) const, std::index_sequence<place...>) {
    learner.def(
        "__init__", [make](Holder* self, Own... own) { new (self) Holder(make(own...)); }, nb::keep_alive<1, 2 + place>()...);
}

// What a learner is made of, where many keys share the arrays of their states: parameters are the same for all; of an array that grows with
// features each key has a stretch, of any other a row.
template <class T>
struct Shared {
    using Arrays = T;
    static T of(const Arrays& parameter, std::size_t, std::size_t, std::size_t) { return parameter; }
};

template <class T>
    requires(!std::is_const_v<T>)
struct Shared<Column<T>> {
    using Arrays = std::variant<Column<T>, Matrix<T>>;
    static Column<T> of(const Arrays& arrays, std::size_t key, std::size_t begin, std::size_t length) {
        if (const auto* whole = std::get_if<Column<T>>(&arrays)) return {whole->data + begin, length};
        return std::get<Matrix<T>>(arrays)[key];
    }
};

// Adds the pass over the rounds of many keys, each of which has a visit: rows starts[v] to starts[v + 1] are those of keys[v], whose features
// lie from begins[key] on. It returns the visit and the row in it before which a learner stopped, or the number of visits and 0.
template <class Class, class Make, class Learner, class... Own>
void add_play_keys(Class& learner, Make make, Learner (Make::*)(Own...) const) {
    using Places = Column<const std::int64_t>;
    learner.def_static(
        "play_keys",
        [make](typename Shared<Own>::Arrays... own, std::size_t first, Places keys, Places starts, Places begins, Places lengths, Places indptr,
               Column<const std::uint32_t> indices, Optional<const float> values, Column<const std::int32_t> labels,
               Optional<const float> weights, Column<bool> predictions, Optional<double> scores, Optional<bool> updates) {
            const nb::gil_scoped_release unlocked;
            for (std::size_t v = first; v < keys.size(); ++v) {
                const auto key = static_cast<std::size_t>(keys[v]), begin = static_cast<std::size_t>(begins[key]);
                const auto a = static_cast<std::size_t>(starts[v]), rows = static_cast<std::size_t>(starts[v + 1]) - a;
                Learner alone = make(Shared<Own>::of(own, key, begin, static_cast<std::size_t>(lengths[key]))...);
                const Block block{{indptr.data + a, rows + 1}, indices.data, data_or_null(values), labels.data + a,
                                  weights ? weights->data + a : nullptr};
                const Record record{predictions.data + a, scores ? scores->data + a : nullptr, updates ? updates->data + a : nullptr};
                const std::size_t played = play(alone, block, record);
                if (played < rows) return std::pair{v, played};
            }
            return std::pair{keys.size(), std::size_t{0}};
        },
        ((void)sizeof(Own), nb::arg())..., nb::arg("first"), nb::arg("keys"), nb::arg("starts"), nb::arg("begins"), nb::arg("lengths"),
        nb::arg("indptr"), nb::arg("indices"), nb::arg("values").none(), nb::arg("labels"), nb::arg("weights").none(), nb::arg("predictions"),
        nb::arg("scores").none(), nb::arg("updates").none());
}

// Defines a Python class whose constructor takes what `make` does, parameters and columns of the state, and returns the learner.
template <class Make>
void define_learner(nb::module_& module, const char* name, Make make) {
    [&]<class Learner, class... Own>(Learner (Make::*call)(Own...) const) {
        nb::class_<Held<Learner>, AnyLearner> learner(module, name);
        add_constructor<Held<Learner>>(learner, make, call, std::make_index_sequence<sizeof...(Own)>{});
        add_play_keys(learner, make, call);
        learner.def_ro_static("has_score", &Learner::scored);
    }(&Make::operator());
}

template <class Make>
void define_class_learner(nb::module_& module, const char* name, Make make) {
    [&]<class Learner, class... Own>(Learner (Make::*call)(Own...) const) {
        nb::class_<HeldClass<Learner>, AnyClassLearner> learner(module, name);
        add_constructor<HeldClass<Learner>>(learner, make, call, std::make_index_sequence<sizeof...(Own)>{});
    }(&Make::operator());
}

}  // namespace littlestone::bind
