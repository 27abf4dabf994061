// Rules over experts, what is counted of tables of experts, and coins.
#include "../rules/adahedge.h"
#include "../rules/election.h"
#include "../rules/exp3.h"
#include "../rules/expert_tables.h"
#include "../rules/fixed_share.h"
#include "../rules/hedge.h"
#include "../rules/leaders.h"
#include "../rules/ml_poly.h"
#include "../rules/own_rates.h"
#include "../rules/play_advice.h"
#include "../rules/rule_of_rules.h"
#include "../rules/sleeping_adahedge.h"
#include "../rules/specialists.h"
#include "../rules/tracking.h"
#include "../rules/weighted_majority.h"
#include "arrays.h"
#include "parts.h"

namespace littlestone::bind {

namespace {

using Numbers = Column<double>;
using Truths = Column<const std::int32_t>;

void require_shape(bool fits) {
    if (!fits) throw nb::value_error("the arrays of a block of advice differ in length, or have another number of experts than the state");
}

template <class Number, class Outcome>
std::size_t play_block(AnyRule& rule, Matrix<const Number> table, Column<const Outcome> truths, Numbers mix, Column<std::int32_t> choices,
                       Optional<const float> weights) {
    const std::size_t rounds = truths.size();
    require_shape(table.columns == rule.experts() && table.rows == rounds && mix.size() == rounds);
    require_shape((choices.empty() || choices.size() == rounds) && (!weights || weights->empty() || weights->size() == rounds));
    const nb::gil_scoped_release unlocked;
    return rule.play(Rounds<Number, Outcome>{table, truths, weights.value_or(Column<const float>{})}, mix, choices);
}

std::size_t first_length(const Numbers& column, const auto&...) { return column.size(); }
std::size_t first_length(const auto&, const auto&... rest) { return first_length(rest...); }

template <class Rule, class Make, class... Own, std::size_t... place>
auto define_rule(nb::module_& module, const char* name, Make make, Rule (Make::*)(Own...) const, std::index_sequence<place...>) {
    return nb::class_<HeldRule<Rule>, AnyRule>(module, name)
        .def(
            "__init__", [make](HeldRule<Rule>* self, Own... own) { new (self) HeldRule<Rule>(make(own...), first_length(own...)); },
            nb::keep_alive<1, 2 + place>()...);
}

// Defines a Python class whose constructor takes what `make` does: parameters, then the columns of the state, of which the first has a
// number for each expert.
template <class Make>
auto define_rule(nb::module_& module, const char* name, Make make) {
    const auto call = &Make::operator();
    return [&]<class Rule, class... Own>(Rule (Make::*)(Own...) const) {
        return define_rule<Rule>(module, name, make, call, std::make_index_sequence<sizeof...(Own)>{});
    }(call);
}

ForecastLoss loss_of_kind(std::int64_t kind, double quantile) { return {static_cast<ForecastLoss::Kind>(kind), quantile}; }

template <class Rule>
void define_own_rates(nb::module_& module, const char* name) {
    define_rule(module, name,
                [](unsigned strict, std::int64_t loss, double quantile, double ln_n, std::int64_t seed, Numbers gains, Numbers corrections,
                   Numbers squares, Numbers sizes, Numbers slowness, Numbers counts) {
                    const std::size_t n = gains.size();
                    return Rule{{strict, loss_of_kind(loss, quantile), seed, counts, Scratch(n), Scratch(n)},
                                ln_n, gains, corrections, squares, sizes, slowness};
                })
        .def("trust", [](HeldRule<Rule>& held, Numbers weights) { held.rule().trust(weights); }, "Fill in the weights, up to a factor.");
}

template <class Rule>
void define_bandit(nb::module_& module, const char* name) {
    define_rule(module, name, [](unsigned strict, double eta, double spread, std::int64_t seed, Numbers estimates, Numbers w, Numbers counts) {
        return Rule{strict, eta, spread, seed, estimates, w, counts};
    });
}

void define_rules_by_losses(nb::module_& module) {
    define_rule(module, "Hedge", [](unsigned strict, double eta, double beta, double period, std::int64_t seed, Numbers losses, Numbers w,
                                    Numbers counts) { return Hedge{strict, eta, beta, period, seed, losses, w, counts}; });
    define_rule(module, "RandomizedWeightedMajority",
                [](unsigned strict, double beta, double eta, double period, std::int64_t seed, Numbers losses, Numbers w, Numbers counts) {
                    return RandomizedWeightedMajority{{strict, eta, beta, period, seed, losses, w, counts}};
                });
    define_rule(module, "WeightedMajority",
                [](unsigned strict, double beta, double eta, double period, bool always, Numbers costs, Numbers w, Numbers counts) {
                    return WeightedMajority{strict, beta, eta, period, always, costs, w, counts};
                })
        .def("settle", [](HeldRule<WeightedMajority>& held, Column<const float> row, double truth, Truth predicted) {
            held.rule().learn({row, row, truth}, predicted, weigh(held.rule().w, row).anyone_asleep());
        }, "Learn a row for which exact arithmetic has predicted.");
    define_rule(module, "FollowLeader", [](unsigned strict, Numbers losses, Numbers counts) { return FollowLeader{strict, losses, counts}; });
    define_rule(module, "PerturbedLeader", [](unsigned strict, double eta, Numbers losses, Numbers start, Numbers counts) {
        return PerturbedLeader{strict, eta, losses, start, counts};
    });
    define_rule(module, "FixedShare", [](unsigned strict, double eta, double beta, double alpha, bool always, std::int64_t seed, Numbers costs,
                                         Numbers w, Numbers counts) {
        return FixedShare{strict, eta, beta, alpha, always, seed, costs, w, counts};
    });
    define_rule(module, "Specialists", [](unsigned strict, double eta, double beta, double period, bool always, std::int64_t seed, Numbers w,
                                          Numbers costs, Numbers absent, Numbers spared, Numbers missed, Numbers counts) {
        return Specialists{strict, eta, beta, period, always, seed, w, costs, absent, spared, missed, counts};
    });
    define_rule(module, "AdaHedge", [](unsigned strict, double ln_n, std::int64_t seed, Numbers losses, Numbers counts) {
        return AdaHedge{strict, ln_n, seed, losses, counts};
    });
    define_rule(module, "SleepingAdaHedge", [](unsigned strict, double ln_n, std::int64_t seed, Numbers losses, Numbers behind, Numbers spared,
                                               Numbers counts) { return SleepingAdaHedge{strict, ln_n, seed, losses, behind, spared, counts}; });
    define_rule(module, "Tracking", [](unsigned strict, double ln_n, std::int64_t seed, Numbers losses, Numbers w, Numbers rules, Numbers counts) {
        return Tracking{strict, ln_n, seed, losses, w, rules, counts};
    });
    define_bandit<Exp3>(module, "Exp3");
    define_bandit<Exp3Ix>(module, "Exp3Ix");
}

void define_rules_by_regret(nb::module_& module) {
    define_rule(module, "MlPoly", [](unsigned strict, std::int64_t loss, double quantile, std::int64_t seed, Numbers regrets, Numbers squares,
                                     Numbers counts) {
        const std::size_t n = regrets.size();
        return MlPoly{{strict, loss_of_kind(loss, quantile), seed, counts, Scratch(n), Scratch(n)}, regrets, squares};
    }).def("trust", [](HeldRule<MlPoly>& held, Numbers weights) { held.rule().trust(weights); }, "Fill in the weights, up to a factor.");
    define_own_rates<Boa>(module, "Boa");
    define_own_rates<MlProd>(module, "MlProd");
    define_rule(module, "RuleOfRules",
                [](unsigned strict, std::int64_t loss, double quantile, double ln_n, double ln_k, std::int64_t seed, Numbers regrets,
                   Numbers squares, Matrix<double> gains, Matrix<double> corrections, Matrix<double> deviations, Matrix<double> sizes,
                   Matrix<double> slowness, Matrix<double> leads, Matrix<double> slopes, Cube<double> products, Matrix<double> about,
                   Matrix<double> apart, Numbers top_behind, Numbers counts) {
                    return RuleOfRules{strict, loss_of_kind(loss, quantile), ln_n, ln_k, seed, regrets, squares, gains, corrections, deviations,
                                       sizes, slowness, leads, slopes, products, about, apart, top_behind, counts};
                })
        .def("trust", [](HeldRule<RuleOfRules>& held, Numbers trust) { held.rule().trust_members(trust, {trust.data, trust.size()}); },
             "Fill in the trust in each member, up to a factor; it comes as zeros.")
        .def("weigh_members", [](HeldRule<RuleOfRules>& held, Column<const double> row, Matrix<double> weights) {
            RuleOfRules& rule = held.rule();
            rule.forecast(row);
            for (std::size_t k = 0; k < rule.members; ++k) std::copy_n(rule.weights_of(k).data, rule.experts, weights[k].data);
        }, "Fill in the weights that each member has on the experts in a round of this advice.");
}

void define_expert_tables(nb::module_& module) {
    const auto unlocked = nb::call_guard<nb::gil_scoped_release>();
    module.def("add_rows", [](Numbers lost, Column<std::int64_t> awake, Numbers beside, Matrix<const double> losses, Column<const double> own) {
        require_shape(losses.columns <= lost.size() && losses.rows == own.size());
        ExpertTotals{lost, awake, beside}.add(losses, own);
    }, unlocked, "Add to each expert's totals, over the rounds it was awake: its loss, their number, and what the rule lost on them.");
    module.def("add_cells", [](Numbers lost, Numbers wrong, Column<std::int64_t> awake, Numbers beside, Numbers whole, Matrix<const float> table,
                               Truths truth, Column<const double> own, Numbers mean, bool by_side) {
        require_shape(table.columns == lost.size() && table.rows == truth.size() && own.size() == truth.size() && mean.size() == truth.size());
        add_advice({lost, awake, beside}, wrong, whole, table, truth, own, mean, by_side);
    }, unlocked, "The same for advice as rules take it; and the mean of those awake.");
    module.def("count_losses", [](Numbers losses, Matrix<const float> table, Truths truth) {
        require_shape(table.columns == losses.size() && table.rows == truth.size());
        count_losses(losses, table, truth);
    }, unlocked, "Count what experts lose in the rounds whose truth is known.");
    module.def("loss_of_chosen", [](double total, Matrix<const float> table, Truths truth, Column<const std::int32_t> choices) {
        require_shape(table.rows == truth.size() && choices.size() == truth.size());
        return loss_of_chosen(total, table, truth, choices);
    }, unlocked, "Return what the chosen experts lost, added to a total.");
    module.def("means", &means<float>, unlocked);
    module.def("means", &means<double>, unlocked, "Fill in the mean of those awake in each row; NaN where nobody is.");
    module.def("spans", &spans, unlocked, "Fill in the least of those awake in each row, and how far the largest lies above it.");
    module.def("first_outside", &first_outside<float>, unlocked);
    module.def("first_outside", &first_outside<double>, unlocked,
               "Return the place, counted along the rows, of the first number outside a range or inside it; -1 where there is none.");
    module.def("empty_cells", &empty_cells<float>, unlocked);
    module.def("empty_cells", &empty_cells<double>, unlocked, "Return how many cells are NaN.");
}

// The rounds of a panel of several classes: fills in the elected class and the share of each, and learns from the labels.
void elect_block(unsigned strict, double ln_n, bool weighs, Matrix<const std::int32_t> votes, Truths labels, Optional<const float> weights, Numbers losses,
                 Numbers counts, Column<std::int32_t> elected, Matrix<double> shares, Column<std::int64_t> mistakes, Numbers loss, Numbers vote_mistakes) {
    require_shape(votes.rows == labels.size() && votes.columns == losses.size() && elected.size() == labels.size() && shares.rows == labels.size());
    const AdaHedge rule{strict, ln_n, 0, losses, counts};
    Election election{rule, weighs, mistakes, loss, vote_mistakes};
    for (std::size_t t = 0; t < labels.size(); ++t) {
        elected[t] = election.elect(votes[t].data, shares[t]);
        if (labels[t] >= 0) election.learn(votes[t].data, elected[t], labels[t], weights ? static_cast<double>((*weights)[t]) : 1.0);
    }
}

}  // namespace

void define_rules(nb::module_& module) {
    nb::class_<AnyRule>(module, "AnyRule")
        .def("play", &play_block<float, std::int32_t>, nb::arg("table"), nb::arg("truth"), nb::arg("mix"), nb::arg("choices"),
             nb::arg("weights") = nb::none())
        .def("play", &play_block<double, double>, nb::arg("table"), nb::arg("truth"), nb::arg("mix"), nb::arg("choices"),
             nb::arg("weights") = nb::none(), "Play a block of advice, or of forecasts; return the rounds before one it cannot take, or their number.")
        .def("mix", [](AnyRule& rule, AdviceRow row) {
            require_shape(row.size() == rule.experts());
            return rule.mix(row);
        }, nb::arg("row"), "Return the mixture of a row, NaN where the rule cannot take it; nothing changes.")
        .def("learn", [](AnyRule& rule, AdviceRow row, std::int32_t truth, float weight) {
            require_shape(row.size() == rule.experts());
            return rule.learn(row, truth, weight);
        }, nb::arg("row"), nb::arg("truth"), nb::arg("weight") = 1.0f, "Learn a row with its truth; return whether the rule can take it.");
    define_rules_by_losses(module);
    define_rules_by_regret(module);
    define_expert_tables(module);
    module.def("elect", &elect_block, nb::arg("strict"), nb::arg("ln_n"), nb::arg("weighs"), nb::arg("votes"), nb::arg("labels"),
               nb::arg("weights").none(), nb::arg("losses"), nb::arg("counts"), nb::arg("elected"), nb::arg("shares"), nb::arg("mistakes"),
               nb::arg("loss"), nb::arg("vote_mistakes"), nb::call_guard<nb::gil_scoped_release>());
    module.def("coin", nb::overload_cast<std::int64_t, std::int64_t>(&coin), "Return a number in [0, 1) that depends on a seed and a place alone.");
    module.def("coins", [](std::int64_t seed, Column<const std::int64_t> places, Numbers numbers) {
        for (std::size_t t = 0; t < places.size(); ++t) numbers[t] = coin(seed, places[t]);
    }, "Fill in the coins of many places.");
    module.def("log", &log_of, "Return the natural logarithm, the same on every machine.");
    module.def("share", [](Numbers w, AdviceRow row) { return weigh(w, row).share(); }, "Return the weighted mean of a row.");
    module.def("refresh", [](Numbers w, Numbers losses, double eta) { refresh(w, losses, eta, least(losses)); },
               "Make weights e^(-eta·loss), beside the least loss.");
    module.def("first_of_the_least", [](Numbers losses) { return first_at(losses, least(losses)); });
    module.def("expected_leader", &expected_leader, nb::call_guard<nb::gil_scoped_release>(),
               "Fill in what the perturbed leader says on average over all head starts.");
}

}  // namespace littlestone::bind
