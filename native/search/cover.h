// Which columns to choose, greedily and by local search, so that few rows are left wanting.
//
// Row i has weight m_i and holds c_i of the chosen columns. A positive row wants k of them, and costs m_i for each that it lacks; any other
// row costs m_i for each that it holds from the k-th on. A chosen column costs its price. So what column j is worth beyond its price is
// v_j = Σ φ_i(c_i without j) - price_j over its rows, φ_i = m_i where a positive row holds fewer than k others, -m_i where another row holds
// k-1 or more. No v_j grows when columns are added. `values` is v, kept up to date: a row changes it for its columns only when c_i passes k,
// twice at most while columns are only added.
#pragma once
#include "../core/row.h"

namespace littlestone {

struct Cover {
    Column<const std::int64_t> row_starts;
    Column<const std::int32_t> columns;  // of each row
    Column<const std::int64_t> column_starts;
    Column<const std::int32_t> rows;  // of each column
    Column<const bool> positive;
    Column<const std::int64_t> weights;
    std::int64_t k;
    Column<std::int64_t> values;
    Column<bool> chosen;
    Column<std::int64_t> held;

    // Adds to `values`, minus the prices at first, what each column is worth while nothing is chosen.
    void appraise() const {
        for (std::size_t i = 0; i < positive.size(); ++i) {
            const std::int64_t v = worth(i, 0);
            if (v != 0) {
                each_column(i, [&](std::size_t j) { values[j] += v; });
            }
        }
    }
    // Chooses the column that is worth most, while one is worth more than its price; returns the entries that were read.
    std::int64_t greedy() const {
        for (std::int64_t work = 0;;) {
            const std::size_t j = best_outside(none());
            work += static_cast<std::int64_t>(values.size());
            if (j == none() || values[j] <= 0) return work;
            work += flip(j);
        }
    }
    // Drops what is not worth its price, exchanges one column for a better one, chooses again; until nothing helps or the budget is spent.
    std::int64_t improve(std::int64_t budget) const {
        std::int64_t work = 0;
        for (bool better = true; better && work < budget;) {
            better = false;
            for (std::size_t j = 0; j < values.size() && work < budget; ++j) {
                if (!chosen[j]) continue;
                const std::int64_t worth_of_j = values[j];
                work += flip(j);
                if (worth_of_j <= 0) {
                    better |= worth_of_j < 0;
                    continue;
                }
                const std::size_t other = best_outside(j);
                work += static_cast<std::int64_t>(values.size());
                const bool exchange = other != none() && values[other] > worth_of_j;
                work += flip(exchange ? other : j);
                better |= exchange;
            }
            if (better) work += greedy();
        }
        return work;
    }

private:
    std::size_t none() const { return values.size(); }

    // φ: what one more column is worth to a row that holds so many.
    std::int64_t worth(std::size_t i, std::int64_t others) const {
        if (positive[i]) return others < k ? weights[i] : 0;
        return others >= k - 1 ? -weights[i] : 0;
    }
    template <class Visit>
    std::int64_t each_column(std::size_t i, Visit visit) const {
        const auto begin = static_cast<std::size_t>(row_starts[i]), end = static_cast<std::size_t>(row_starts[i + 1]);
        for (std::size_t p = begin; p < end; ++p) visit(static_cast<std::size_t>(columns[p]));
        return static_cast<std::int64_t>(end - begin);
    }
    // Chooses column j, or drops it; returns the entries that were read.
    std::int64_t flip(std::size_t j) const {
        const std::int64_t step = chosen[j] ? -1 : 1;
        std::int64_t work = 0;
        for (auto q = static_cast<std::size_t>(column_starts[j]); q < static_cast<std::size_t>(column_starts[j + 1]); ++q) {
            const auto i = static_cast<std::size_t>(rows[q]);
            const std::int64_t before = held[i], after = before + step;
            held[i] = after;
            const std::int64_t outside = worth(i, after) - worth(i, before), inside = worth(i, after - 1) - worth(i, before - 1);
            ++work;
            if (outside == 0 && inside == 0) continue;
            work += each_column(i, [&](std::size_t other) {
                if (other != j) values[other] += chosen[other] ? inside : outside;
            });
        }
        chosen[j] = !chosen[j];
        return work;
    }
    std::size_t best_outside(std::size_t banned) const {
        std::size_t best = none();
        for (std::size_t j = 0; j < values.size(); ++j) {
            if (!chosen[j] && j != banned && (best == none() || values[j] > values[best])) best = j;
        }
        return best;
    }
};

}  // namespace littlestone
