// How a learner of two classes becomes a Python class: built from parameters and state, whose arrays it borrows and keeps alive, and
// played by the methods that `AnyLearner` has in Python.
#pragma once
#include <array>
#include <utility>
#include "../play.h"
#include "arrays.h"

namespace littlestone::bind {

template <class Learner, class Make, class... Own, std::size_t... place>
void define_learner(nb::module_& module, const char* name, Make make, Learner (Make::*)(Own...) const, std::index_sequence<place...>) {
    nb::class_<Held<Learner>, AnyLearner>(module, name)
        .def(
            "__init__", [make](Held<Learner>* self, Own... own) { new (self) Held<Learner>(make(own...)); },
            nb::keep_alive<1, 2 + place>()...)
        .def_ro_static("has_score", &Learner::scored);
}

// Defines a Python class whose constructor takes what `make` does, parameters and columns of the state, and returns the learner.
template <class Make>
void define_learner(nb::module_& module, const char* name, Make make) {
    const auto call = &Make::operator();
    [&]<class Learner, class... Own>(Learner (Make::*)(Own...) const) {
        define_learner<Learner>(module, name, make, call, std::make_index_sequence<sizeof...(Own)>{});
    }(call);
}

}  // namespace littlestone::bind
