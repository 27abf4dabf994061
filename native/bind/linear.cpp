// The learners that add to a weight vector, and those that predict by probabilities or by pairs of features.
#include "learner.h"
#include "../learners/adaptive.h"
#include "../learners/alma.h"
#include "../learners/arow.h"
#include "../learners/arow_full.h"
#include "../learners/coin_betting.h"
#include "../learners/naive_bayes.h"
#include "../learners/normalized.h"
#include "../learners/pairs.h"
#include "../learners/passive_aggressive.h"
#include "../learners/pnorm.h"
#include "../learners/second_order.h"
#include "../learners/selective.h"
#include "../learners/shifting.h"
#include "parts.h"

namespace littlestone::bind {

namespace {

using Doubles = Column<double>;
using Places = Column<std::int32_t>;
using Words = Column<std::int64_t>;

}  // namespace

void define_linear(nb::module_& module) {
    define_learner(module, "Alma", [](double edge, double rho2, Doubles v, Doubles b, Doubles z) { return Alma{edge, rho2, v, b, z}; });
    define_learner(module, "Shifting", [](double lam, double rho2, Doubles v, Doubles b, Doubles z) { return Shifting{lam, rho2, v, b, z}; });
    define_learner(module, "Adaptive", [](double eta, double rho, Doubles w, Doubles G, Doubles top, Doubles b, Doubles bias_G, Doubles bias_top,
                                          Doubles sums) { return Adaptive{eta, rho, w, G, top, b, bias_G, bias_top, sums}; });
    define_learner(module, "Arow", [](double r, double rho, Doubles mu, Doubles sigma, Doubles extra, Doubles sums) {
        return Arow{r, rho, mu, sigma, extra, sums};
    });
    define_learner(module, "ArowFull", [](double r, double rho, Doubles mu, Doubles sigma, Doubles scale, Places place, Doubles P, Words owner,
                                          Doubles extra, Doubles sums) {
        return ArowFull{r, rho, mu, sigma, scale, {place, P, owner}, extra, sums};
    });
    define_learner(module, "SecondOrder", [](double a, double rho, Doubles w, Doubles v, Doubles d, Places place, Doubles P, Words owner,
                                             Doubles extra, Doubles sums) {
        return SecondOrder{a, rho, w, v, d, {place, P, owner}, extra, sums};
    });
    define_learner(module, "PassiveAggressive", [](double rho2, double C, Truth second, Doubles w, Doubles b, Doubles sums) {
        return PassiveAggressive{rho2, C, second, w, b, sums};
    });
    define_learner(module, "PNorm", [](std::int64_t p, double far, Doubles theta, Doubles w, Doubles scale) {
        return PNorm{p, far, theta, w, scale};
    });
    define_learner(module, "Selective", [](double price, double rho2, std::int64_t seed, Doubles w, Doubles ever, Doubles z) {
        return Selective{price, rho2, seed, w, ever, z};
    });
    define_learner(module, "CoinBetting", [](double wealth, double rho, Doubles w, Doubles scale, Doubles peak, Doubles Z, Doubles G, Doubles V,
                                             Doubles extra, Doubles sums) {
        return CoinBetting{wealth, rho, w, scale, peak, Z, G, V, extra, sums};
    });
    define_learner(module, "Normalized", [](double eta, double rho, Truth squared, Doubles v, Doubles G, Doubles scale, Doubles extra, Doubles sums) {
        return Normalized{eta, rho, squared, v, G, scale, extra, sums};
    });
    define_learner(module, "NaiveBayes", [](double alpha, Doubles ones, Doubles zeros, Doubles less_ones, Doubles less_zeros, Doubles totals,
                                            Doubles sums) { return NaiveBayes{alpha, ones, zeros, less_ones, less_zeros, totals, sums}; });
    define_learner(module, "Pairs", [](double eta, double rho, std::int64_t most, std::int64_t room, Doubles v, Doubles G, Doubles scale,
                                       Doubles extra, Places table, Doubles pairs, Words tally, Doubles sums) {
        return Pairs{eta, rho, most, room, v, G, scale, extra, {table, pairs}, tally, sums, {}, {}, {}, {}, {}};
    });
}

}  // namespace littlestone::bind
