// The online protocol over a block of advice, once for every rule over experts: mix what the experts say, note whom the rule follows, see
// the truth, learn. A round without a truth is predicted and teaches nothing.
//
// A rule is a struct with
//   M predict(row)                         M is Mixture, or derives from it; changes nothing of the state
//   std::int32_t choose(row, const M&)     the expert it follows or draws, -1 where nobody is awake
//   void update(const Round&, const M&)
//   void look(row)                         where it learns from a row and weighs the next in one pass: a row that is next otherwise
//   void keep(const M&)                    where it has something to keep of what it worked out for a prediction
//   Column<double> counts                  the last column of its state
#pragma once
#include <stdexcept>
#include "advice.h"
#include "any_rule.h"

namespace littlestone {

inline bool is_known(std::int32_t truth) { return truth >= 0; }
inline bool is_known(double outcome) { return outcome == outcome; }

template <class Rule, class Number>
void look(Rule& rule, Column<const Number> row) {
    if constexpr (requires { rule.look(row); }) rule.look(row);
}

// Plays all rounds; returns the round before which the rule stopped because it cannot take the row, or their number. `choices` may be empty.
template <class Rule, class Number, class Outcome>
std::size_t play(Rule& rule, const Rounds<Number, Outcome>& rounds, Column<double> mix, Column<std::int32_t> choices) {
    if (rounds.size() > 0) look(rule, rounds.table[0]);
    for (std::size_t t = 0; t < rounds.size(); ++t) {
        const auto row = rounds.table[t], following = rounds.table[std::min(t + 1, rounds.size() - 1)];
        const auto said = rule.predict(row);
        if (said.refused) return t;
        if constexpr (requires { rule.keep(said); }) rule.keep(said);
        mix[t] = said.mix;
        if (!choices.empty()) choices[t] = rule.choose(row, said);
        if (is_known(rounds.truths[t])) {
            rule.update(Round<Number>{row, following, static_cast<double>(rounds.truths[t]), rounds.weight(t)}, said);
        } else {
            look(rule, following);
        }
    }
    return rounds.size();
}

template <class Rule>
class HeldRule final : public AnyRule {
public:
    HeldRule(Rule rule, std::size_t experts) : rule_(std::move(rule)), experts_(experts) {}
    std::size_t play(const Advice& advice, Column<double> mix, Column<std::int32_t> choices) override {
        return littlestone::play(rule_, advice, mix, choices);
    }
    std::size_t play(const Forecasts& forecasts, Column<double> mix, Column<std::int32_t> choices) override {
        if constexpr (requires { rule_.predict(forecasts.table[0]); }) {
            return littlestone::play(rule_, forecasts, mix, choices);
        } else {
            throw std::invalid_argument("this rule is told no forecasts");
        }
    }
    double mix(AdviceRow row) override {
        look(rule_, row);
        const auto said = rule_.predict(row);
        return said.refused ? std::numeric_limits<double>::quiet_NaN() : said.mix;
    }
    bool learn(AdviceRow row, std::int32_t truth, float weight) override {
        double mix = 0.0;
        const Advice advice{{row.data, 1, row.length, 0}, {&truth, 1}, {&weight, 1}};
        return littlestone::play(rule_, advice, {&mix, 1}, {}) == 1;
    }
    std::size_t experts() const override { return experts_; }
    Rule& rule() { return rule_; }

private:
    Rule rule_;
    std::size_t experts_;
};

}  // namespace littlestone
