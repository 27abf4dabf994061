// What bounds need to know of the rounds with a mistake.
#pragma once
#include <algorithm>
#include "../core/row.h"

namespace littlestone {

// Of the rounds with a mistake, c the weight of one: the largest c|x|², Σc²|x|², Σc and the largest c.
struct MistakeLengths {
    Column<double> numbers;

    void add(double weight, double square) const {
        numbers[0] = std::max(numbers[0], weight * square);
        numbers[1] += weight * weight * square;
        numbers[2] += weight;
        numbers[3] = std::max(numbers[3], weight);
    }
};

}  // namespace littlestone
