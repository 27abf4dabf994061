"""Typical use of our classifiers in scikit-learn; `make check` reads it with a strict type checker."""

from littlestone.adapters.sklearn import ArowClassifier, ExpertsClassifier, OnlineClassifier, PanelClassifier, PerceptronClassifier

MAILS = ["free prize offer", "minutes of the meeting", "free offer", "lunch at noon", "win a prize", "the meeting is moved"] * 20
LABELS = ["spam", "ham", "spam", "ham", "spam", "ham"] * 20


def rows() -> list[list[float]]:
    """The mails as counts of words."""
    words = sorted({word for mail in MAILS for word in mail.split()})
    return [[float(mail.split().count(word)) for word in words] for mail in MAILS]


def main() -> None:
    X = rows()
    arow = ArowClassifier(r="1/3", class_weight={"spam": 2.0}).fit(X, LABELS)
    mistakes: int = arow.mistakes_
    print(f"arow: {mistakes} mistakes, at most {min(claim.limit for claim in arow.bounds_ if claim.limit is not None)}")
    panel = PanelClassifier(n_iter=2).partial_fit(X[:60], LABELS[:60], classes=["ham", "spam"])
    print(f"panel: {panel.score(X, LABELS):.2f}, {panel.predict_proba(X[:1]).shape}")
    named = OnlineClassifier("perceptron", {"margin": 1}).set_params(certify=False).fit(X, LABELS)
    experts = ExpertsClassifier([("arow", ArowClassifier()), ("perceptron", PerceptronClassifier())], batch_size=10).fit(X, LABELS)
    bound: float | None = experts.bound_
    print(f"perceptron: {named.mistakes_} mistakes; experts: regret {experts.regret_:.2f}, at most {bound:.2f}")


if __name__ == "__main__":
    main()
