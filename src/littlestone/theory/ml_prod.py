"""ML-Prod: L_i ≤ m_i + C_i + ln(n·(1+Δ))/η_i for every expert i, over the rounds it was awake (theory/regrets.py)."""

from littlestone.theory import regrets

ML_PROD = regrets.both(
    "ml-prod",
    "C_i + ln(n·(1+Δ))/η_i, as the run had them,",
    "u·C + ln(n·(1+Δ))·Σ u_i/η_i, as the run had them,",
    regrets.by_gain,
    regrets.GAILLARD,
)
FAMILY = regrets.family("ml_prod", ML_PROD, ("excess", "corrections", "slowness"), "Gaillard, Stoltz, van Erven 2014")
