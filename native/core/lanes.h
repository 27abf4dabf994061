// Four doubles that are added and multiplied together, lane by lane, in the same order on every machine.
// GCC and Clang keep them in vector registers; elsewhere they are an array.
#pragma once
#include <cstring>

namespace littlestone {

#if defined(__GNUC__) || defined(__clang__)
using Four = double __attribute__((vector_size(32)));
using FourFloats = float __attribute__((vector_size(16)));

inline Four four(double a, double b, double c, double d) { return Four{a, b, c, d}; }
inline Four four(const float* from) {
    FourFloats values;
    std::memcpy(&values, from, sizeof values);
    return __builtin_convertvector(values, Four);
}
#else
struct Four {
    double lane[4];
    double operator[](int k) const { return lane[k]; }
    Four& operator+=(const Four& other) {
        for (int k = 0; k < 4; ++k) lane[k] += other.lane[k];
        return *this;
    }
};
inline Four operator*(Four a, const Four& b) {
    for (int k = 0; k < 4; ++k) a.lane[k] *= b.lane[k];
    return a;
}
inline Four four(double a, double b, double c, double d) { return {{a, b, c, d}}; }
inline Four four(const float* from) { return {{from[0], from[1], from[2], from[3]}}; }
#endif

inline double total(const Four& sums) { return (sums[0] + sums[1]) + (sums[2] + sums[3]); }

}  // namespace littlestone
