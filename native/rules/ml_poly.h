// ML-Poly (Gaillard, Stoltz, van Erven 2014): trust an expert by how much better than the rule it was, divided by how much the two differed.
// The weight of expert i is (R_i)₊/(E + V_i): R_i what the rule lost beyond it, V_i the sum of the squares of that, round by round, E the
// largest square so far. Experts behind the rule have none; where nobody is ahead all count alike.
#pragma once
#include "regrets.h"

namespace littlestone {

struct MlPoly : ByRegret<MlPoly> {
    Column<double> regrets, squares;  // counts: rounds learnt, has anyone slept, E, Φ

    void trust(Weights weights) { excess().trust(weights); }
    void learn(Column<double> round, double) { excess().learn(round); }

private:
    Excess excess() { return {regrets, squares, counts[2], counts[3]}; }
};

}  // namespace littlestone
