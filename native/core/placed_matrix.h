// A symmetric matrix over the features that came first, and the bias at place 0; each of them has a place, all others have none.
#pragma once
#include <vector>
#include "row.h"

namespace littlestone {

struct PlacedMatrix {
    Column<std::int32_t> place;  // of a feature, or 0
    Column<double> entries;      // row by row
    Column<std::int64_t> owner;  // the feature that stands at a place

    std::size_t size() const { return owner.size(); }
    double* row(std::size_t j) const { return entries.data + j * size(); }
    std::size_t place_of(std::uint32_t i) const { return static_cast<std::size_t>(place[i]); }

    void give_place(std::uint32_t i, std::size_t j, double diagonal) const {
        place[i] = static_cast<std::int32_t>(j);
        owner[j] = i;
        row(j)[j] = diagonal;
    }

    // product = P·x over the first `taken` places, ρ the value of the bias. It goes by rows of P, which is symmetric.
    void multiply(const Row& x, double rho, std::size_t taken, double* product) const {
        for (std::size_t j = 0; j < taken; ++j) product[j] = rho > 0.0 ? row(0)[j] * rho : 0.0;
        for (std::size_t k = 0; k < x.size(); ++k) {
            const std::size_t p = place_of(x.indices[k]);
            const double value = x.value(k), *line = row(p);
            if (p == 0 || value == 0.0) continue;
            for (std::size_t j = 0; j < taken; ++j) product[j] += line[j] * value;
        }
    }
    // start + Σ product·x over the features that have a place.
    double along(const Row& x, const double* product, double start) const {
        for (std::size_t k = 0; k < x.size(); ++k) {
            const std::size_t p = place_of(x.indices[k]);
            if (p > 0) start += product[p] * x.value(k);
        }
        return start;
    }
    // P -= u·uᵀ/q over the first `taken` places.
    void take_outer(const double* u, double q, std::size_t taken) const {
        for (std::size_t j = 0; j < taken; ++j) {
            if (u[j] == 0.0) continue;
            const double shrink = u[j] / q;
            double* line = row(j);
            for (std::size_t k = 0; k < taken; ++k) line[k] -= shrink * u[k];
        }
    }
};

}  // namespace littlestone
