// Coin betting: logistic regression without a rate. Each feature bets on the next gradient with what its earlier bets have won.
// s_i is the largest |x_i| and L_i the largest |g| so far, c_i = s_i·L_i. Of Z_i = -Σg·x_i, G_i = Σ|g·x_i| and what coin i owns, V_i, comes
// its weight w_i = V_i·Z_i/(c_i·(c_i + G_i)). The score is wealth·w·x/a, a the mean over the labelled rounds of Σ(x_i/s_i)².
#pragma once
#include <algorithm>
#include <cmath>
#include "../core/log_loss.h"
#include "../core/row.h"

namespace littlestone {

struct CoinBetting {
    static constexpr bool scored = true;

    double wealth, rho;
    Column<double> weight;  // w, made of the others and kept, because most rounds only read it
    Column<double> scale, peak, pulls, distance, owned;  // s, L, Z, G, V
    Column<double> extra;   // w, L, Z, G, V of the bias; labelled rounds, and their Σ(x_i/s_i)²
    Column<double> losses;  // see `count_loss`

    struct Seen : Prediction {
        double length2;  // Σ(x_i/s_i)² of the row
    };

    static double bet(double V, double c, double G, double Z) { return V / (c * (c + G)) * Z; }

    Seen predict(const Row& x) const {
        double s = 0.0, length2 = 0.0;
        for (std::size_t k = 0; k < x.size(); ++k) {
            const std::uint32_t i = x.indices[k];
            const double value = x.value(k), size = std::abs(value), known = scale[i];
            if (size < known) {
                const double z = value / known;
                length2 += z * z;
                s += weight[i] * value;
            } else if (size == known) {
                length2 += size > 0.0 ? 1.0 : 0.0;
                s += weight[i] * value;
            } else {  // the largest value so far
                length2 += 1.0;
                if (known > 0.0) s += bet(owned[i], peak[i] * size, distance[i], pulls[i]) * value;
            }
        }
        if (rho > 0.0) {
            length2 += 1.0;
            s += extra[0] * rho;
        }
        const double total = extra[6] + length2;
        if (total > 0.0) s = wealth * s / (total / (extra[5] + 1.0));
        return {by_score(s), length2};
    }

    bool update(const Row& x, bool label, const Seen& predicted, double round_weight) {
        if (round_weight == 0.0) return true;
        const auto [right, wrong] = chances(predicted.score, label);
        count_loss(losses, right, round_weight);
        extra[5] += 1.0;
        extra[6] += predicted.length2;
        const double force = round_weight * wrong, pull = label ? force : -force;
        if (force == 0.0) return true;  // the weight was next to nothing
        for (std::size_t k = 0; k < x.size(); ++k) {
            const double value = x.value(k);
            if (value != 0.0) toss(x.indices[k], value, force, pull * value);
        }
        if (rho > 0.0) {
            if (force > extra[1]) extra[1] = std::max(1.0, force);
            const double c = extra[1] * rho, p = pull * rho;
            extra[4] += p * bet(extra[4], c, extra[3], extra[2]);
            extra[2] += p;
            extra[3] += std::abs(p);
            extra[0] = bet(extra[4], c, extra[3], extra[2]);
        }
        return true;
    }
    void toss(std::uint32_t i, double value, double force, double p) {
        double staked = weight[i];
        const double size = std::abs(value);
        if (size > scale[i] || force > peak[i]) {
            scale[i] = std::max(scale[i], size);
            if (force > peak[i]) peak[i] = std::max(1.0, force);
            staked = bet(owned[i], peak[i] * scale[i], distance[i], pulls[i]);
        }
        owned[i] += p * staked;
        pulls[i] += p;
        distance[i] += std::abs(p);
        weight[i] = bet(owned[i], peak[i] * scale[i], distance[i], pulls[i]);
    }
};

}  // namespace littlestone
