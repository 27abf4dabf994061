// How a learner becomes a Python class: built from parameters and state, whose arrays it borrows and keeps alive, and played by the methods
// that `AnyLearner`, or `AnyClassLearner`, has in Python.
#pragma once
#include <array>
#include <utility>
#include "../play.h"
#include "arrays.h"

namespace littlestone::bind {

template <class Holder, class Class, class Make, class Learner, class... Own, std::size_t... place>
void add_constructor(Class& learner, Make make, Learner (Make::*)(Own...) const, std::index_sequence<place...>) {
    learner.def(
        "__init__", [make](Holder* self, Own... own) { new (self) Holder(make(own...)); }, nb::keep_alive<1, 2 + place>()...);
}

// Defines a Python class whose constructor takes what `make` does, parameters and columns of the state, and returns the learner.
template <class Make>
void define_learner(nb::module_& module, const char* name, Make make) {
    [&]<class Learner, class... Own>(Learner (Make::*call)(Own...) const) {
        nb::class_<Held<Learner>, AnyLearner> learner(module, name);
        add_constructor<Held<Learner>>(learner, make, call, std::make_index_sequence<sizeof...(Own)>{});
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
