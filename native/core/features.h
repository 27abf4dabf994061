// A loop over the features of a row that takes four at a time, and those left over one by one, with one body for both.
#pragma once
#include "lanes.h"
#include "row.h"

namespace littlestone {

// Where four features of a row have their entries in a column. No feature stands twice in a row, so they are four different ones.
struct FourPlaces {
    const std::uint32_t* at;
};

inline Four read(const Column<double>& from, FourPlaces places) {
    return four(from[places.at[0]], from[places.at[1]], from[places.at[2]], from[places.at[3]]);
}
inline double read(const Column<double>& from, std::uint32_t place) { return from[place]; }

inline void write(const Column<double>& to, FourPlaces places, const Four& numbers) {
    for (int k = 0; k < 4; ++k) to[places.at[k]] = numbers[k];
}
inline void write(const Column<double>& to, std::uint32_t place, double number) { to[place] = number; }

// Calls each(places, values) with four features, as long as there are so many, then with one at a time.
template <class Each>
void for_each_feature(const Row& x, Each each) {
    std::size_t k = 0;
    for (; k + 4 <= x.size(); k += 4) each(FourPlaces{x.indices.data() + k}, x.values ? four(x.values + k) : four(1.0));
    for (; k < x.size(); ++k) each(x.indices[k], x.value(k));
}

}  // namespace littlestone
