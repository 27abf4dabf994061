"""ML-Poly: L_i ≤ m_i + √(Φ·(E + V_i)) for every expert i, over the rounds it was awake (theory/regrets.py)."""

from littlestone.theory import regrets

ML_POLY = regrets.both(
    "ml-poly",
    "√(Φ·(E + V_i)), Φ = the run's potential,",
    "√(Φ·(E + u·V)), Φ = the run's potential,",
    regrets.by_excess,
    regrets.GAILLARD,
)
FAMILY = regrets.family(
    "ml_poly", ML_POLY, ("potential", "widest", "squares"), "Gaillard, Stoltz, van Erven 2014; Cesa-Bianchi, Lugosi 2003"
)
