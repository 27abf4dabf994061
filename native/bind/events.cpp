// The fast path of a model's events, built from what Python owns of the model.
#include "arrays.h"
#include "../events/fast_path.h"
#include "parts.h"

namespace littlestone::bind {

void define_events(nb::module_& module) {
    nb::enum_<Domain>(module, "Domain").value("real", Domain::real).value("unit", Domain::unit).value("boolean", Domain::boolean);
    nb::class_<FastPath>(module, "FastPath", "The events of one model in one call each; those that are not plain are answered by None or False.")
        .def(
            "__init__",
            [](FastPath* self, AnyLearner& learner, nb::object names, Domain domain, bool sorted, nb::object counts, bool conservative,
               nb::tuple answers, nb::object lock) {
                const auto numbers = nb::cast<Column<std::int64_t>>(counts, false);
                if (numbers.size() <= met_zero || answers.size() != 2) throw nb::value_error("expected five counts and two answers");
                RowReader reader(std::move(names), domain, sorted, std::move(counts), numbers);
                new (self) FastPath(learner, std::move(reader), numbers, conservative, answers[0], answers[1], lock);
            },
            nb::arg("learner"), nb::arg("names").none(), nb::arg("domain"), nb::arg("sorted"), nb::arg("counts"), nb::arg("conservative"),
            nb::arg("answers"), nb::arg("lock"), nb::keep_alive<1, 2>())
        .def("close", &FastPath::close, "Take no event from now on.")
        .def("set_room", &FastPath::set_room, nb::arg("names"), "Let there be no more than so many names of features.")
        .def(
            "set_page",
            [](FastPath& self, Column<std::int64_t> head, Column<std::int64_t> rounds, Column<std::uint32_t> indices, Column<float> values) {
                self.set_page({head, rounds, indices, values});
            },
            nb::arg("head"), nb::arg("rounds"), nb::arg("indices"), nb::arg("values"), nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(),
            nb::keep_alive<1, 4>(), nb::keep_alive<1, 5>(), "Enter the rounds that update into a page of a ledger.")
        .def("predict", &FastPath::predict, nb::arg("x").none(), "Return the answer for x, or None where x is not plain.")
        .def("update", &FastPath::update, nb::arg("x").none(), nb::arg("y").none(), nb::arg("weight").none(),
             "Learn the label of x; return False, and change nothing, where the event is not plain.")
        .def("observe", &FastPath::observe, nb::arg("x").none(), nb::arg("y").none(), nb::arg("weight").none(),
             "Predict x, and then learn its label; return the answer, or None, and change nothing, where the event is not plain.");
}

}  // namespace littlestone::bind
