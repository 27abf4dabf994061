// The module that Python imports: who built it, from which sources, and what it can play.
#include "parts.h"
#include "source_digest.h"

#ifdef __FAST_MATH__
#error "littlestone needs exact floating point: build without -ffast-math"
#endif

#if defined(LITTLESTONE_BESIDE_AVX2)
#include <cpuid.h>

// Whether this processor has AVX2, FMA and the bit instructions that came with them, and the system keeps its registers; asked of the
// module that runs everywhere, where the other one was built beside it. The compiler's own question, __builtin_cpu_supports, needs a
// library that not every compiler links into a shared object.
static bool prefers_avx2() {
    unsigned a = 0, b = 0, c = 0, d = 0;
    constexpr unsigned saved_by_system = 1u << 27, fma = 1u << 12, avx2_bmi_bmi2 = 1u << 5 | 1u << 3 | 1u << 8, both_register_sets = 6;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & saved_by_system) || !(c & fma)) return false;
    unsigned enabled = 0, upper = 0;
    __asm__("xgetbv" : "=a"(enabled), "=d"(upper) : "c"(0));
    if ((enabled & both_register_sets) != both_register_sets) return false;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & avx2_bmi_bmi2) == avx2_bmi_bmi2;
}
#else
static bool prefers_avx2() { return false; }
#endif

NB_MODULE(LITTLESTONE_MODULE, module) {
    nanobind::set_leak_warnings(false);  // a model may live as long as the process: in a thread, in a cycle, in another module
    module.def("prefers_avx2", prefers_avx2);
    module.def("compiler", [] { return LITTLESTONE_COMPILER; });
    module.def("source_digest", [] { return LITTLESTONE_SOURCE_DIGEST; });
    littlestone::bind::define_learners(module);
    littlestone::bind::define_linear(module);
    littlestone::bind::define_combinatorial(module);
    littlestone::bind::define_classes(module);
    littlestone::bind::define_rules(module);
    littlestone::bind::define_panel(module);
    littlestone::bind::define_class_panel(module);
    littlestone::bind::define_text(module);
    littlestone::bind::define_blocks(module);
    littlestone::bind::define_search(module);
    littlestone::bind::define_events(module);
}
