// BOA (Wintenberger 2017) and ML-Prod (Gaillard, Stoltz, van Erven 2014): exponential weights η_i·e^(η_i·X_i), each expert with a rate of its
// own. In BOA an expert gains r - η_i·r² in a round, r what the rule lost beyond it, and η_i = min(1/(2B), √(ln n/V_i)): V_i the sum of the
// r², B the largest |r| of all. In ML-Prod it gains ln(1 + η_i·r)/η_i, and B_i is the largest |r| of this expert.
#pragma once
#include "regrets.h"

namespace littlestone {

template <bool products>
struct OwnRates : ByRegret<OwnRates<products>> {
    double ln_n;
    Column<double> gains, corrections, squares, sizes, slowness;  // counts: rounds learnt, has anyone slept, B, Δ

    void trust(Weights weights) { learned().trust(weights); }
    template <class Number>
    void trust_awake(Weights weights, Column<const Number> row) {
        learned().trust_awake(weights, row);
    }
    void learn(Column<double> round, double widest) { learned().learn(round, widest); }

private:
    Gains learned() { return {products, ln_n, gains, corrections, squares, sizes, slowness, this->counts[2], this->counts[3]}; }
};

using Boa = OwnRates<false>;
using MlProd = OwnRates<true>;

}  // namespace littlestone
