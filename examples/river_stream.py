"""Typical use of our classifiers in River; `make check` reads it with a strict type checker."""

from river import evaluate, metrics, naive_bayes, preprocessing

from littlestone.adapters.river import Arow, Experts, Online, Panel

PRICES = [(1.0, "corner", "tea"), (3.0, "market", "coffee"), (2.5, "corner", "coffee"), (1.5, "market", "tea")] * 20


def events() -> list[tuple[dict[str, float | str], str]]:
    """What was sold where, and at which price; a text such as a shop becomes a feature of its own, `shop=corner`."""
    return [({"price": price, "shop": shop}, drink) for price, shop, drink in PRICES]


def main() -> None:
    arow = Arow(r="1/3")
    print(evaluate.progressive_val_score(events(), arow, metrics.Accuracy()), f"{arow.mistakes} mistakes in {arow.rounds} rounds")
    panel = Panel(members="perceptron:bias=1 arow:bias=1")
    print(evaluate.progressive_val_score(events(), panel, metrics.CrossEntropy(), delay=3))
    cheap = [({"price": price}, price < 2) for price, _, _ in PRICES]
    scaled = preprocessing.StandardScaler() | Online("perceptron", {"margin": 1})
    print(evaluate.progressive_val_score(cheap, scaled, metrics.F1() + metrics.Accuracy()))
    experts = Experts([Arow(), naive_bayes.GaussianNB()])
    for x, y in cheap:
        experts.learn_one(x, y)
    bound: float | None = experts.bound
    print(f"experts: regret {experts.regret:.2f}, at most {bound:.2f}")


if __name__ == "__main__":
    main()
