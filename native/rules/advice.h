// One round of advice: weights against a row of experts, NaN where one is asleep.
//
// Sums are taken in eight running sums and joined in pairs, on every machine; the rest goes expert by expert. Nothing here calls the
// system's exp or log: a run is the same everywhere.
#pragma once
#include <algorithm>
#include <limits>
#include <vector>
#include "../core/coin.h"
#include "../core/lanes8.h"
#include "../core/prefetch.h"
#include "../core/row.h"

namespace littlestone {

// What the experts say in a round: votes (0 or 1), probabilities of a 1, or losses; NaN while asleep.
using AdviceRow = Column<const float>;
using Weights = Column<double>;

inline constexpr double infinity = std::numeric_limits<double>::infinity();

// What a row may hold: a value outside [0, 1]; one that is neither 0 nor 1; an expert asleep.
enum Holds : unsigned { outside = 1, between = 2, asleep = 4 };

// What a rule cannot take: `outside` alone of probabilities and losses, `between` too of votes.
using Strictness = unsigned;
inline constexpr Strictness votes = outside | between;

// The weight of those awake, what of it is in favour of a 1, and what the row holds.
struct Weighed {
    double total = 0.0, favour = 0.0;
    unsigned holds = 0;

    // The weighted mean of the advice; 1/2 when nobody awake has any weight.
    double share() const { return total > 0.0 ? favour / total : 0.5; }
    bool anyone_asleep() const { return holds & asleep; }
    // Do all those awake weigh nothing beside the sleepers?
    bool faint() const { return anyone_asleep() && !(total > 1e-200); }
};

inline std::size_t in_eights(std::size_t n) { return n - n % lanes; }

template <class Number>
bool is_awake(Number advice) {
    return advice == advice;
}

template <class Number>
unsigned faults_of(Number a) {
    const bool is_outside = (a > 1) | (a < 0), is_between = a * a != a;
    return is_outside * outside | is_between * between;
}

// Asks the memory for the row behind the one that is read: a row is about a page, and no machine looks beyond one by itself.
inline void ask_for_row_behind(AdviceRow row, std::size_t i) {
    prefetch(reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(row.data) + (row.length + i) * sizeof(float)));
}

// Running sums over a row, eight experts at a time. `unusual` has the sign bit where a value may lie outside [0, 1], or is a zero with a
// sign; `odd` the bits in which a value differs from its square.
struct RunningSums {
    Eight total, favour;
    EightBits unusual, odd, sleepers;

    // Of experts who are all awake. Where somebody sleeps the sums are worth nothing, and `unusual` says so.
    void add(const Eight& weight, AdviceRow row, std::size_t i) {
        look(row, i);
        total = total + weight;
        favour = favour + weight * Eight::load(row.data + i);
    }

    void add_awake(const Eight& weight, AdviceRow row, std::size_t i) {
        look_at_awake(row, i);
        const Eight advice = Eight::load(row.data + i);
        const EightTruths awake = advice == advice;
        const Eight counted = select(awake, weight, 0.0);
        total = total + counted;
        favour = favour + counted * select(awake, advice, 0.0);
    }

    void look(AdviceRow row, std::size_t i) {
        each_of(row, i, [&](std::size_t k, vectors::Floats advice) { note(k, advice); });
    }

    bool any_unusual() const { return unusual.any() >> 31; }
    unsigned holds() const { return ((odd.any() << 1) ? between : 0u) | (sleepers.any() ? asleep : 0u); }

private:
    void look_at_awake(AdviceRow row, std::size_t i) {
        each_of(row, i, [&](std::size_t k, vectors::Floats advice) {
            const vectors::Floats counted = vectors::awake_or_zero(advice);
            sleepers.part[k] = sleepers.part[k] | (vectors::bits_of(advice) ^ vectors::bits_of(counted));
            note(k, counted);
        });
    }
    template <class F>
    static void each_of(AdviceRow row, std::size_t i, F f) {
        ask_for_row_behind(row, i);
        vectors::each_part<vectors::parts / 2>([&](std::size_t k) {
            vectors::Floats advice;
            std::memcpy(&advice, row.data + i + 2 * vectors::width * k, sizeof advice);
            f(k, advice);
        });
    }
    void note(std::size_t k, vectors::Floats advice) {
        const auto bits = vectors::bits_of(advice), squared = vectors::bits_of(advice * advice);
        const auto one = vectors::everywhere<vectors::Bits>(std::bit_cast<std::uint32_t>(1.0f));
        unusual.part[k] = unusual.part[k] | bits | (one - bits);
        odd.part[k] = odd.part[k] | (bits ^ squared);
    }
};

// What the running sums say, with the last experts, who make no eight.
inline Weighed finished(const RunningSums& sums, Weights w, AdviceRow row) {
    Weighed weighed{total(sums.total), total(sums.favour), sums.holds()};
    if (sums.any_unusual())
        for (const float a : row) weighed.holds |= ((a > 1) | (a < 0)) * outside;
    for (std::size_t i = in_eights(w.size()); i < w.size(); ++i) {
        const float a = row[i];
        if (is_awake(a)) {
            weighed.total += w[i];
            weighed.favour += w[i] * static_cast<double>(a);
            weighed.holds |= faults_of(a);
        } else {
            weighed.holds |= asleep;
        }
    }
    return weighed;
}

// Weighs those awake.
inline Weighed weigh(Weights w, AdviceRow row) {
    RunningSums sums;
    for (std::size_t i = 0; i < in_eights(w.size()); i += lanes) sums.add_awake(Eight::load(w.data + i), row, i);
    return finished(sums, w, row);
}

// Σw, asleep or not, in the same order.
inline double total_of(Weights w) {
    Eight sums;
    const std::size_t whole = in_eights(w.size());
    for (std::size_t i = 0; i < whole; i += lanes) sums = sums + Eight::load(w.data + i);
    double sum = total(sums);
    for (std::size_t i = whole; i < w.size(); ++i) sum += w[i];
    return sum;
}

// ---- e^x and logarithms from +, -, ×, ÷ and fma alone ----

// e^x, and 0 below e^-600: of the leader's weight that is no weight, long before doubles lose their digits.
inline constexpr double faintest = -600.0;
template <class Real>
Real exp_of(const Real& x) {
    constexpr double log2_e = 1.4426950408889634, ln2_high = 6.93147180369123816490e-01, ln2_low = 1.90821492927058770002e-10;
    constexpr double magic = 6755399441055744.0;  // 1.5·2^52: adding it leaves the nearest whole number in the last bits
    const auto sum = [](const Real& a, const Real& b, const Real& c) { return fma(a, b, c); };
    const Real t = sum(x, log2_e, magic), k = magic - t;
    const Real r = sum(k, ln2_low, sum(k, ln2_high, x)), s = r * r, q = s * s;
    const Real low = sum(sum(r, 1.0 / 6, 1.0 / 2), s, 1.0 + r);
    const Real middle = sum(sum(r, 1.0 / 5040, 1.0 / 720), s, sum(r, 1.0 / 120, 1.0 / 24));
    const Real high = sum(sum(r, 1.0 / 39916800, 1.0 / 3628800), s, sum(r, 1.0 / 362880, 1.0 / 40320));
    const Real p = sum(sum(sum(sum(r, 1.0 / 6227020800.0, 1.0 / 479001600), q, high), q, middle), q, low);
    return select(Real(faintest) < x, p * shifted_bits(t, 52, std::bit_cast<std::uint64_t>(1.0)), 0.0);
}

// ln((1+s)/(1-s)) for |s| ≤ 0.172: twice the series of artanh.
inline double near_log(double s) {
    const double q = s * s;
    double p = 0.0;
    for (int j = 21; j > 0; j -= 2) p = p * q + 1.0 / j;
    return 2.0 * s * p;
}

// The natural logarithm; x > 0 and not denormal.
inline double log_of(double x) {
    constexpr double ln2_high = 6.93147180369123816490e-01, ln2_low = 1.90821492927058770002e-10;
    const auto bits = std::bit_cast<std::int64_t>(x);
    std::int64_t k = (bits >> 52) - 1023;
    double m = std::bit_cast<double>((bits & 0x000FFFFFFFFFFFFF) | std::bit_cast<std::int64_t>(1.0));
    if (m > 1.4142135623730951) {
        m *= 0.5;
        ++k;
    }
    const auto halvings = static_cast<double>(k);
    return halvings * ln2_high + (near_log((m - 1.0) / (m + 1.0)) + halvings * ln2_low);
}

// ln(1-z) for 0 ≤ z < 1, good for small z too.
inline double log_less(double z) { return z < 0.25 ? near_log(-z / (2.0 - z)) : log_of(1.0 - z); }

// ln(1+x) for x ≥ -1/2, good for small x too.
inline double log_more(double x) { return std::abs(x) > 0.25 ? log_of(1.0 + x) : near_log(x / (2.0 + x)); }

// Where more of the weight was wrong, 1 - f has too few digits to tell how much was right.
inline constexpr double nearly_all = 1.0 - 1e-6;

// -(1/η)·ln(1 - f(1-e^-η)), the loss that mixing votes allows, for f up to `nearly_all`; at η = ∞, 0.
inline double mix_loss_of_votes(double eta, double f) {
    return eta < infinity ? -log_less(f * (1.0 - exp_of(-eta))) / eta : 0.0;
}

// ---- losses, and weights made of them ----

// |a - y|, and 0 of an expert asleep; in doubles, where it is exact or nearly so.
template <class Real>
[[gnu::always_inline]] inline Real loss_of(const Real& a, double y) {
    const Real loss = magnitude(a - y);
    return select(Real(0.0) < loss, loss, 0.0);
}
inline double loss_of(float a, double y) { return loss_of(static_cast<double>(a), y); }

inline double least(Column<double> losses) {
    Eight low = losses[0];
    const std::size_t whole = in_eights(losses.size());
    for (std::size_t i = 0; i < whole; i += lanes) {
        const Eight some = Eight::load(losses.data + i);
        low = select(some < low, some, low);
    }
    double lowest = joined(low, [](double a, double b) { return std::min(a, b); });
    for (std::size_t i = whole; i < losses.size(); ++i) lowest = std::min(lowest, losses[i]);
    return lowest;
}

inline std::size_t first_at(Column<double> losses, double lowest) {
    const double* found = std::find(losses.begin(), losses.end(), lowest);
    return found == losses.end() ? 0 : static_cast<std::size_t>(found - losses.begin());
}

inline double least_awake(Column<double> losses, AdviceRow row) {
    double lowest = infinity;
    for (std::size_t i = 0; i < losses.size(); ++i)
        if (is_awake(row[i])) lowest = std::min(lowest, losses[i]);
    return lowest;
}

// w_i = e^(-η(L_i - base)).
inline void refresh(Weights w, Column<double> losses, double eta, double base) {
    for_each_lane(w.size(), [=]<class Real>(std::size_t i) {
        store(w.data + i, exp_of<Real>(-eta * (load<Real>(losses.data + i) - base)));
    });
}

// The same, where most may be so far behind that they weigh nothing: then nothing but that is worked out.
inline void refresh_near(Weights w, Column<double> losses, double eta, double base) {
    constexpr std::size_t neighbours = 128;
    for (std::size_t start = 0; start < w.size(); start += neighbours) {
        const std::size_t n = std::min(neighbours, w.size() - start);
        const Column<double> some{losses.data + start, n};
        const Weights theirs{w.data + start, n};
        if (-eta * (least(some) - base) > faintest) {
            refresh(theirs, some, eta, base);
        } else {
            std::fill(theirs.begin(), theirs.end(), 0.0);
        }
    }
}

// The weights e^(-η(L_i - base)), none above 1; at η = ∞ the leaders share them.
inline void measure(Weights w, Column<double> losses, double eta, double base) {
    if (eta < infinity) {
        for_each_lane(w.size(), [=]<class Real>(std::size_t i) {
            const Real x = -eta * (load<Real>(losses.data + i) - base);
            store(w.data + i, exp_of<Real>(select(x < Real(0.0), x, 0.0)));
        });
    } else {
        for (std::size_t i = 0; i < w.size(); ++i) w[i] = losses[i] <= base ? 1.0 : 0.0;
    }
}

// Has a whole number of periods passed?
inline bool is_due(double rounds, double period) { return static_cast<std::int64_t>(rounds) % static_cast<std::int64_t>(period) == 0; }

inline void count_losses(Column<double> losses, AdviceRow row, double y) {
    for_each_lane(losses.size(), [=]<class Real>(std::size_t i) {
        store(losses.data + i, load<Real>(losses.data + i) + loss_of(load<Real>(row.data + i), y));
    });
}

// ---- learning: change weights for a row, and weigh the row that follows meanwhile; weights are brought once a round ----

// Changes a weight and a loss for each expert's advice: change(advice, weight, loss) of doubles, or of eight at a time.
template <class Change>
Weighed learn_and_weigh(Weights w, Column<double> losses, AdviceRow row, AdviceRow following, Change change) {
    RunningSums sums;
    const std::size_t whole = in_eights(w.size());
    for (std::size_t i = 0; i < whole; i += lanes) {
        Eight weight = Eight::load(w.data + i), loss = Eight::load(losses.data + i);
        change(Eight::load(row.data + i), weight, loss);
        weight.store(w.data + i);
        loss.store(losses.data + i);
        sums.add(weight, following, i);
    }
    for (std::size_t i = whole; i < w.size(); ++i) change(static_cast<double>(row[i]), w[i], losses[i]);
    return sums.any_unusual() ? weigh(w, following) : finished(sums, w, following);
}

// A wrong vote costs 1, and multiplies its weight by β. NaN equals nothing, so a sleeper is not wrong.
inline Weighed punish_votes(Weights w, Column<double> losses, AdviceRow row, AdviceRow following, double y,
                            double beta) {
    return learn_and_weigh(w, losses, row, following, [wrong = 1.0 - y, beta](auto a, auto& weight, auto& loss) {
        const auto is_wrong = a == wrong;
        loss = loss + select(is_wrong, 1.0, 0.0);
        weight = weight * select(is_wrong, beta, 1.0);
    });
}

// The same; then of every weight this part is kept, and all get the same gift.
inline Weighed punish_and_share(Weights w, Column<double> losses, AdviceRow row, AdviceRow following, double y,
                                double beta, double keep, double gift) {
    return learn_and_weigh(w, losses, row, following, [wrong = 1.0 - y, beta, keep, gift](auto a, auto& weight, auto& loss) {
        const auto is_wrong = a == wrong;
        loss = loss + select(is_wrong, 1.0, 0.0);
        weight = keep * (weight * select(is_wrong, beta, 1.0)) + gift;
    });
}

// e^(x·loss) for -1/16 ≤ x ≤ 0 and losses up to 1, as a polynomial in the loss; 1 where nothing is lost.
struct ExpOfLoss {
    double a, b, c, d, e, f;

    explicit ExpOfLoss(double x) {
        // (e^x - 1)/x by the polynomial through six of Chebyshev's points: e^x to 4·10⁻¹⁶
        constexpr double near[] = {0.9999999999999943,   0.49999999999350087, 0.16666666545281716,
                                   0.041666583704695295, 0.00833076766263903, 0.0013522257934224311};
        const double xx = x * x;
        a = x * near[0];
        b = xx * near[1];
        c = xx * x * near[2];
        d = xx * xx * near[3];
        e = xx * xx * x * near[4];
        f = xx * xx * xx * near[5];
    }

    template <class Real>
    Real operator()(const Real& loss) const {
        Real p = fma(loss, Real(f), Real(e));
        p = fma(loss, p, Real(d));
        p = fma(loss, p, Real(c));
        p = fma(loss, p, Real(b));
        return fma(loss, fma(loss, p, Real(a)), Real(1.0));
    }
};

// Advice a costs |a - y|, and a loss multiplies its weight by e^(-η·loss).
inline Weighed punish(Weights w, Column<double> losses, AdviceRow row, AdviceRow following, double y,
                      double eta) {
    const auto learn = [=](auto factor) {
        return learn_and_weigh(w, losses, row, following, [y, factor](auto a, auto& weight, auto& sum) {
            const auto loss = loss_of(a, y);
            sum = sum + loss;
            weight = weight * factor(loss);
        });
    };
    if (eta <= 1.0 / 16) return learn(ExpOfLoss(-eta));
    if (eta > 4.0) return learn([eta](auto loss) { return exp_of(-eta * loss); });
    return learn([part = ExpOfLoss(-eta / 64.0)](auto loss) {  // e^(-η) = (e^(-η/64))^64
        auto p = part(loss);
        p = p * p;
        p = p * p;
        p = p * p;
        p = p * p;
        p = p * p;
        return p * p;
    });
}

// Punishes as the advice asks for: votes are right or wrong.
inline Weighed punish(Strictness strict, Weights w, Column<double> losses, AdviceRow row, AdviceRow following,
                      double y, double eta, double beta) {
    return strict == votes ? punish_votes(w, losses, row, following, y, beta) : punish(w, losses, row, following, y, eta);
}

// Does the wrong share tell what those awake will weigh? Of votes it does, unless β is so small that the rest would be lost.
inline bool tells_what_is_left(double beta, Strictness strict) { return strict == votes && beta > 1e-3; }

// What those awake weigh once wrong votes are punished.
inline double left_of(const Weighed& weighed, double y, double beta) {
    return weighed.total - (1.0 - beta) * (y == 1.0 ? weighed.total - weighed.favour : weighed.favour);
}

// ---- draws ----

// The expert awake at which the running total of weights passes u of the whole; chunk by chunk, then inside one. -1 when all sleep.
inline std::int32_t pick(Weights w, AdviceRow row, double total, double u) {
    constexpr std::size_t chunk = 128;
    const double goal = u * total;
    double passed = 0.0;
    std::size_t start = 0;
    for (; start + chunk < w.size(); start += chunk) {
        RunningSums sums;
        for (std::size_t i = start; i < start + chunk; i += lanes) sums.add_awake(Eight::load(w.data + i), row, i);
        const double part = littlestone::total(sums.total);
        if (passed + part > goal) break;
        passed += part;
    }
    std::int32_t last = -1;
    for (std::size_t i = start; i < w.size(); ++i) {
        if (!is_awake(row[i]) || !(w[i] > 0.0)) continue;
        last = static_cast<std::int32_t>(i);
        passed += w[i];
        if (passed > goal) return last;
    }
    if (last >= 0) return last;
    for (std::size_t i = w.size(); i-- > 0;)  // rounding carried the total past every weight: the last one awake
        if (is_awake(row[i])) return static_cast<std::int32_t>(i);
    return -1;
}

// ---- what every rule has ----

// A round as a rule learns from it. What follows is its own row where no other does.
template <class Number>
struct Round {
    Column<const Number> row, following;
    double truth;
    double weight = 1.0;
};

// What a rule says of a row: the mixture, and the weights and sums behind it; or that it cannot say anything.
struct Mixture {
    double mix = 0.5;
    Weighed weighed{};
    Weights weights{};
    bool refused = false;

    bool anyone_asleep() const { return weighed.anyone_asleep(); }
};

// The mixture by weights e^(-η·loss). Where those awake weigh nothing beside the sleepers, theirs are measured from the best of them.
inline Mixture mixed(Strictness strict, Weights w, Weighed weighed, AdviceRow row, Column<double> losses, double eta, Weights spare) {
    if (weighed.holds & strict) return {.refused = true};
    if (weighed.faint()) {
        w = spare;
        measure(w, losses, eta, least_awake(losses, row));
        weighed = weigh(w, row);
    }
    return {weighed.share(), weighed, w};
}

// Every rule's counts begin with the rounds learnt, and with 1 once an expert has slept.
inline void count_round(Column<double> counts, bool anyone_asleep) {
    counts[0] += 1.0;
    if (anyone_asleep) counts[1] = 1.0;
}

// The number of this round's coin.
inline double coin(std::int64_t seed, Column<double> counts) { return coin(seed, static_cast<std::int64_t>(counts[0])); }

// Room that a rule works in, apart from its state.
class Scratch {
public:
    explicit Scratch(std::size_t n) : numbers_(n) {}
    operator Column<double>() { return {numbers_.data(), numbers_.size()}; }
    double& operator[](std::size_t k) { return numbers_[k]; }

private:
    std::vector<double> numbers_;
};

}  // namespace littlestone
