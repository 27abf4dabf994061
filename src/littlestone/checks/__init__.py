"""The contract, clause by clause. Shipped, so that a learner of your own can be run through it (needs `littlestone[checks]`).

>>> import littlestone as ls
>>> from littlestone.checks import yield_checks
>>> sum(1 for check in yield_checks(ls.winnow(n=6))) > 12
True
"""

try:
    import hypothesis as _hypothesis  # noqa: F401
except ImportError:
    raise ImportError("littlestone.checks draws its streams with Hypothesis: install the extra 'checks', or hypothesis itself") from None

from littlestone.checks.class_learners import yield_class_checks
from littlestone.checks.learners import check_learner, yield_checks
from littlestone.checks.rules import check_rule, yield_rule_checks

__all__ = ["check_learner", "check_rule", "yield_checks", "yield_class_checks", "yield_rule_checks"]
