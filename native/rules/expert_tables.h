// Tables of experts, row by row: sums in the order of the rounds, so that no result depends on how a table was cut.
#pragma once
#include "advice.h"

namespace littlestone {

// What is counted of each expert over the rounds it was awake: its loss, their number, and what the rule lost on them.
struct ExpertTotals {
    Column<double> lost;
    Column<std::int64_t> awake;
    Column<double> beside;

    // Adds rounds of losses. A round that does not count has NaN for the rule's loss.
    void add(Matrix<const double> losses, Column<const double> own) {
        for (std::size_t t = 0; t < losses.rows; ++t) {
            if (!is_awake(own[t])) continue;
            for (std::size_t i = 0; i < losses.columns; ++i) {
                const double x = losses[t][i];
                if (is_awake(x)) add(i, x, own[t]);
            }
        }
    }

    void add(std::size_t i, double loss, double own) {
        lost[i] += loss;
        awake[i] += 1;
        beside[i] += own;
    }
};

// The same for advice as rules take it, where what an expert loses is |a - y|; and the mean of those awake, NaN where nobody is.
// Rounds in which nobody sleeps go to `whole` (their number, what the rule lost) and not to every expert's totals beside its loss. By side,
// an expert is `wrong` where it stands on the other side of 1/2.
inline void add_advice(ExpertTotals totals, Column<double> wrong, Column<double> whole, Matrix<const float> table,
                       Column<const std::int32_t> truths, Column<const double> own, Column<double> mean, bool by_side) {
    const std::size_t n = totals.lost.size();
    Scratch ones(n);
    for (std::size_t i = 0; i < n; ++i) ones[i] = 1.0;
    for (std::size_t t = 0; t < truths.size(); ++t) {
        const AdviceRow row = table[t];
        const Weighed weighed = weigh(ones, row);
        mean[t] = weighed.total > 0.0 ? weighed.favour / weighed.total : std::numeric_limits<double>::quiet_NaN();
        if (truths[t] < 0) continue;
        const auto y = static_cast<double>(truths[t]);
        if (!weighed.anyone_asleep()) {
            whole[0] += 1.0;
            whole[1] += own[t];
            for (std::size_t i = 0; i < n; ++i) totals.lost[i] += std::abs(static_cast<double>(row[i]) - y);
        } else {
            for (std::size_t i = 0; i < n; ++i)
                if (is_awake(row[i])) totals.add(i, std::abs(static_cast<double>(row[i]) - y), own[t]);
        }
        if (by_side)
            for (std::size_t i = 0; i < n; ++i) wrong[i] += is_awake(row[i]) && (row[i] >= 0.5f) != (y == 1.0) ? 1.0 : 0.0;
    }
}

// Counts what experts lose in the rounds whose truth is known.
inline void count_losses(Column<double> losses, Matrix<const float> table, Column<const std::int32_t> truths) {
    for (std::size_t t = 0; t < truths.size(); ++t) {
        if (truths[t] < 0) continue;
        for (std::size_t i = 0; t + 1 < table.rows && i < losses.size(); i += 16) ask_for_row_behind(table[t], i);
        count_losses(losses, table[t], static_cast<double>(truths[t]));
    }
}

// What the chosen experts lost, added to what they had: one sum, however the rounds are cut.
inline double loss_of_chosen(double total, Matrix<const float> table, Column<const std::int32_t> truths, Column<const std::int32_t> choices) {
    for (std::size_t t = 0; t < truths.size(); ++t)
        if (truths[t] >= 0 && choices[t] >= 0) total += loss_of(table[t][static_cast<std::size_t>(choices[t])], static_cast<double>(truths[t]));
    return total;
}

// The mean of those awake in each row; NaN where nobody is.
template <class Number>
void means(Matrix<const Number> table, Column<double> mean) {
    for (std::size_t t = 0; t < table.rows; ++t) {
        double total = 0.0, count = 0.0;
        for (const Number x : table[t]) {
            if (!is_awake(x)) continue;
            total += static_cast<double>(x);
            count += 1.0;
        }
        mean[t] = count > 0.0 ? total / count : std::numeric_limits<double>::quiet_NaN();
    }
}

// The least of those awake in each row, and how far the largest lies above it; 0 and 0 where nobody is.
inline void spans(Matrix<const double> table, Column<double> low, Column<double> wide) {
    for (std::size_t t = 0; t < table.rows; ++t) {
        double least = infinity, most = -infinity;
        for (const double x : table[t]) {
            if (!is_awake(x)) continue;
            least = std::min(least, x);
            most = std::max(most, x);
        }
        low[t] = least <= most ? least : 0.0;
        wide[t] = least < most ? most - least : 0.0;
    }
}

// The place, counted along the rows, of the first number outside a range or, where `ends_alone`, at neither end of it; -1: there is none.
template <class Number>
std::int64_t first_outside(Matrix<const Number> table, double low, double high, bool ends_alone) {
    const auto is_bad = [=](Number x) { return (x < low) | (x > high) | (ends_alone & (low < x) & (x < high)); };
    for (std::size_t t = 0; t < table.rows; ++t) {
        const Column<const Number> row = table[t];
        int bad = 0;
        for (const Number x : row) bad += is_bad(x);  // no way out of this loop, so that it runs in vectors
        if (bad > 0) return static_cast<std::int64_t>(t * table.columns) + (std::find_if(row.begin(), row.end(), is_bad) - row.begin());
    }
    return -1;
}

template <class Number>
std::int64_t empty_cells(Matrix<const Number> table) {
    std::int64_t count = 0;
    for (std::size_t t = 0; t < table.rows; ++t)
        for (const Number x : table[t]) count += !is_awake(x);
    return count;
}

}  // namespace littlestone
