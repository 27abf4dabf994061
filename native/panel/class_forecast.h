// The forecasts of a panel of several classes (reference/class_forecast.py): a mixture of what each blend gives the classes, its scores times
// a slope that it learns. A class that has not come yet has a share of 1/(rounds + 2).
#pragma once
#include "forecast.h"

namespace littlestone {

struct ClassForecaster {
    Column<const double> prior;
    double flat;  // the least slope
    Column<double> slopes;
    Column<double> curvatures;  // what the steps of the slopes are divided by
    Column<double> trust;
    Column<double> products;  // of the probabilities that labels had, with their halvings: of each, and of the mixture
    Column<std::int64_t> halvings;
    Column<std::int64_t> counts;  // rounds, mistakes of the likeliest class
    std::size_t classes;

    std::size_t size = slopes.size();
    std::vector<double> own = std::vector<double>(size * classes), mixed = std::vector<double>(classes);
    double fresh = 0.0;    // the share of a class that has not come yet
    std::size_t best = 0;  // the likeliest class

    // `blend-each` stands last among the blends, and is the first to forecast.
    const double* scores_of(std::size_t i, Matrix<double> odds) const { return odds[i > 0 ? i - 1 : size - 1].data; }

    // The logarithm of the odds of each known class, from what the blends make of them. Returns the likeliest, -1 where none is known.
    std::int32_t forecast(std::size_t known, Matrix<double> odds, double* chances) {
        fresh = 1.0 / (static_cast<double>(counts[0]) + 2.0);
        std::fill(mixed.begin(), mixed.end(), 0.0);
        for (std::size_t i = 0; i < size; ++i) {
            const double* u = scores_of(i, odds);
            double* const p = &own[i * classes];
            double top = known > 0 ? slopes[i] * u[0] : 0.0, total = 0.0;
            for (std::size_t c = 0; c < known; ++c) top = std::max(top, slopes[i] * u[c]);
            for (std::size_t c = 0; c < known; ++c) {
                p[c] = exp(-std::min(top - slopes[i] * u[c], far_odds));
                total += p[c];
            }
            for (std::size_t c = 0; c < known; ++c) {
                p[c] /= total;
                mixed[c] += trust[i] * p[c];
            }
        }
        best = 0;
        for (std::size_t c = 0; c < known; ++c) {
            const double p = (1.0 - fresh) * mixed[c];
            chances[c] = log(p / (1.0 - p));
            if (mixed[c] > mixed[best]) best = c;
        }
        return known > 0 ? static_cast<std::int32_t>(best) : -1;
    }
    // The label of the round that was forecast last.
    void learn(std::size_t y, std::size_t known, Matrix<double> odds) {
        double total = 0.0;
        for (std::size_t i = 0; i < size; ++i) total += trust[i];
        const double right = y < known ? (1.0 - fresh) * mixed[y] : fresh * total;
        counts[0] += 1;
        counts[1] += y >= known || best != y;
        const double share = 1.0 / (static_cast<double>(counts[0]) + hold), kept = (1.0 - share) / right;
        for (std::size_t i = 0; i < size; ++i) {
            const double p = y < known ? (1.0 - fresh) * own[i * classes + y] : fresh;
            trust[i] = kept * trust[i] * p + share * prior[i];
            products[i] *= p;
        }
        products[size] *= right;
        for (std::size_t i = 0; i <= size; ++i) {
            while (products[i] < small_product) {
                products[i] *= product_scale;
                halvings[i] += static_cast<std::int64_t>(product_bits);
            }
        }
        for (std::size_t i = 0; i < size && y < known; ++i) turn(i, &own[i * classes], scores_of(i, odds), known, y);
    }

private:
    // A step of a slope.
    void turn(std::size_t i, const double* p, const double* u, std::size_t known, std::size_t y) const {
        double mean = 0.0, spread = 0.0;
        for (std::size_t c = 0; c < known; ++c) mean += p[c] * u[c];
        for (std::size_t c = 0; c < known; ++c) spread += p[c] * (u[c] - mean) * (u[c] - mean);
        curvatures[i] += spread;
        slopes[i] = std::max(slopes[i] + (u[y] - mean) / curvatures[i], flat);
    }
};

}  // namespace littlestone
