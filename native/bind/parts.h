// The parts of the module, each defined in the file of its name.
#pragma once
#include <nanobind/nanobind.h>

namespace littlestone::bind {

void define_learners(nanobind::module_& module);
void define_linear(nanobind::module_& module);
void define_combinatorial(nanobind::module_& module);
void define_classes(nanobind::module_& module);
void define_rules(nanobind::module_& module);
void define_panel(nanobind::module_& module);
void define_class_panel(nanobind::module_& module);
void define_text(nanobind::module_& module);
void define_blocks(nanobind::module_& module);
void define_search(nanobind::module_& module);
void define_events(nanobind::module_& module);

}  // namespace littlestone::bind
