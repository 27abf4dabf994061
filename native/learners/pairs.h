// Pairs: the scaled rule of `normalized` over the features and the products of two of them, for rows of few features.
// z_i = x_i/s_i. A row of at most `most` features has, beside them, the products z_i·z_j of all pairs and the squares z_i² other than 1.
// Where the margin m = y·v·z is below 1, add z² of each to its G and move its v by ε·τ·y·z/√G, ε = η·√(k/Σ|z|²) over the k updates so far and
// τ = min(1, (1-m)/a) with a = Σ ε·z²/√G. The first `room` pairs that it learns from have weights.
#pragma once
#include <algorithm>
#include <cmath>
#include <vector>
#include "../core/features.h"
#include "../core/pairs.h"

namespace littlestone {

struct Pairs {
    static constexpr bool scored = true;

    double eta, rho;
    std::int64_t most, room;
    Column<double> weight, squares, scale;  // v, G, s of the features
    Column<double> extra;                   // v and G of the bias, k, Σ|z|²
    PairStore store;
    Column<std::int64_t> known;  // how many pairs
    Column<double> sums;         // the losses of the run, updates

    // Notes on the row that was predicted last.
    struct Feature {
        double column, z;
        std::uint64_t code;
    };
    std::vector<Feature> features;           // those that are not 0, where there are not too many
    std::vector<std::int64_t> numbers;       // of the pairs: where to look, then the number, or `unknown`
    std::vector<double> products, sizes, pulls;  // z of a pair, its G, and z/√G

    static std::size_t pairs_of(std::size_t count) { return count * (count + 1) / 2; }

    // Is there room for the pairs of one more row, whatever it holds?
    bool has_room(const Row&) const {
        const auto more = static_cast<std::int64_t>(pairs_of(static_cast<std::size_t>(most)));
        const auto all = static_cast<std::int64_t>(pairs_of(weight.size()));
        return 4 * std::min({room, known[0] + more, all}) <= static_cast<std::int64_t>(store.entries.size());
    }

    Prediction predict(const Row& x) {
        double s = rho * extra[0];
        features.clear();
        if (x.size() > static_cast<std::size_t>(most) && active(x) > static_cast<std::size_t>(most)) {
            numbers.clear();
            return by_score(alone(x, s));
        }
        for (std::size_t k = 0; k < x.size(); ++k) {
            const std::uint32_t i = x.indices[k];
            const double value = x.value(k);
            if (value == 0.0) continue;
            const double z = value / std::max(scale[i], std::abs(value));
            s += weight[i] * z;
            features.push_back({static_cast<double>(i), z, code_of(i)});
        }
        seek();
        if (!store.entries.empty()) {
            for (std::size_t m = 0; m < numbers.size(); ++m) {
                const double more = s + store.weight(std::max<std::int64_t>(numbers[m], 0)) * products[m];
                s = numbers[m] >= 0 ? more : s;  // no branch: nobody can foresee which pairs are known
            }
        }
        return by_score(s);
    }

    static std::size_t active(const Row& x) {
        std::size_t count = x.size();
        for (std::size_t k = 0; x.values && k < x.size(); ++k) count -= x.values[k] == 0.0f;
        return count;
    }
    // The score of a row that has too many features to pair, added to s.
    double alone(const Row& x, double s) const {
        for_each_feature(x, [&](auto place, auto value) {
            const auto part = read(weight, place) * (value / larger(read(scale, place), magnitude(value)));
            s = add_in_order(s, chosen(value != 0.0, part, -0.0));
        });
        return s;
    }

    // Calls each(number of the pair, first, second) for all pairs of the row; the square of a 1 is the feature itself, and left out.
    template <class Each>
    void for_each_pair(Each each) const {
        std::size_t m = 0;
        const Feature* const end = features.data() + features.size();
        for (const Feature* a = features.data(); a < end; ++a) {
            for (const Feature* b = std::abs(a->z) == 1.0 ? a + 1 : a; b < end; ++b) each(m++, *a, *b);
        }
    }

    // Notes the number and the product of every pair. First all of them are asked for: they are scattered in memory, and waiting for one
    // after the other would take most of the time.
    void seek() {
        std::size_t ones = 0;
        for (const Feature& feature : features) ones += std::abs(feature.z) == 1.0;
        const std::size_t count = pairs_of(features.size()) - ones;
        numbers.resize(count);
        if (products.size() < count) {
            products.resize(count);
            sizes.resize(count);
            pulls.resize(count);
        }
        const PairStore held = store;  // a copy, which no write to the notes can change
        const std::size_t places = held.places();
        const bool tagged = held.is_tagged();
        std::int64_t* const number = numbers.data();
        double* const product = products.data();
        if (tagged) {
            for_each_pair([=](std::size_t m, const Feature& a, const Feature& b) {
                const std::size_t place = PairStore::first_place(a.code + b.code, places);
                prefetch(held.table.data + place);
                number[m] = static_cast<std::int64_t>(place);
            });
            for_each_pair([=](std::size_t m, const Feature& a, const Feature& b) {
                number[m] = held.likely(static_cast<std::size_t>(number[m]), a.code + b.code);
            });
        }
        for_each_pair([=](std::size_t m, const Feature& a, const Feature& b) {
            const double low = std::min(a.column, b.column), high = std::max(a.column, b.column);
            product[m] = a.z * b.z;
            const bool sure = tagged && (number[m] == PairStore::unknown || (number[m] >= 0 && held.is_pair(number[m], low, high)));
            if (!sure) number[m] = held.find(a.code + b.code, low, high);
        });
    }

    bool update(const Row& x, bool label, Prediction predicted, double round_weight) {
        const double sign = label ? 1.0 : -1.0, loss = 1.0 - sign * predicted.score;
        if (!(loss > 0.0) || !(round_weight > 0.0)) return false;
        sums[0] += round_weight * loss;
        sums[1] += 1.0;
        double length2 = rho * rho, slope = 0.0;  // Σz² and Σz²/√G
        extra[1] += (round_weight * rho) * (round_weight * rho);
        if (extra[1] > 0.0) slope += rho * (rho / std::sqrt(extra[1]));
        for (std::size_t k = 0; k < x.size(); ++k) {
            const std::uint32_t i = x.indices[k];
            const double value = x.value(k);
            if (value == 0.0) continue;
            scale[i] = std::max(scale[i], std::abs(value));
            const double z = value / scale[i];
            length2 += z * z;
            squares[i] += (round_weight * z) * (round_weight * z);
            if (squares[i] > 0.0) slope += z * (z / std::sqrt(squares[i]));
        }
        if (known[0] < room) meet();
        const std::size_t numbered = take_in_pairs(round_weight);
        double more = 0.0, steeper = 0.0;
        for (std::size_t m = 0; m < numbered; ++m) {
            more += products[m] * products[m];
            steeper += products[m] * pulls[m];
        }
        length2 += more;
        slope += steeper;
        if (!(length2 > 0.0) || !(slope > 0.0)) return true;  // a row of nothing teaches nothing
        extra[2] += 1.0;
        extra[3] += length2;
        const double rate = eta * std::sqrt(extra[2] / extra[3]);
        const double step = sign * (rate * std::min(round_weight, loss / (rate * slope)));
        if (extra[1] > 0.0) extra[0] += step * (rho / std::sqrt(extra[1]));
        for (std::size_t k = 0; k < x.size(); ++k) {
            const std::uint32_t i = x.indices[k];
            const double value = x.value(k);
            if (value != 0.0 && squares[i] > 0.0) weight[i] += step * ((value / scale[i]) / std::sqrt(squares[i]));
        }
        for (std::size_t m = 0; m < numbered; ++m) store.weight(numbers[m]) += step * pulls[m];
        return true;
    }

    // Every pair that is new gets the next number, while there is room.
    void meet() {
        for_each_pair([&](std::size_t m, const Feature& a, const Feature& b) {
            if (numbers[m] >= 0 || known[0] >= room) return;
            numbers[m] = known[0]++;
            store.enter(a.code + b.code, numbers[m], std::min(a.column, b.column), std::max(a.column, b.column));
        });
    }

    // Adds to G of every pair that has a number, and notes z/√G of each; those come first in the notes, and their number is returned.
    std::size_t take_in_pairs(double g) {
        std::size_t numbered = 0;
        for (std::size_t m = 0; m < numbers.size(); ++m) {
            const std::int64_t r = numbers[m];
            const double product = products[m];
            numbers[numbered] = r;
            products[numbered] = product;
            numbered += r >= 0;
        }
        for (std::size_t m = 0; m < numbered; ++m) sizes[m] = store.squares(numbers[m]);
        for (std::size_t m = 0; m < numbered; ++m) {  // a short loop over few arrays, which runs in vectors
            sizes[m] += (g * products[m]) * (g * products[m]);
            pulls[m] = sizes[m] > 0.0 ? products[m] / std::sqrt(sizes[m]) : 0.0;  // the square of something tiny may be 0
        }
        for (std::size_t m = 0; m < numbered; ++m) store.squares(numbers[m]) = sizes[m];
        return numbered;
    }
};

}  // namespace littlestone
