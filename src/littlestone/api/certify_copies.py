"""The certificate of a run whose alarms began copies: one of each copy's rounds, and what the rule made of their answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from littlestone.errors import require
from littlestone.protocol import CopiesRun
from littlestone.theory.copies_certificate import CopiesCertificate, sealed_copies

OF_ADVICE = "a certificate of copies is of learners over features; of a rule over advice certify each copy: run.copies[0].run"
WHOLE = "this run left out rows, or went on from a model: a certificate of its copies needs all rows from the first"


def certify_copies(run: CopiesRun, labels: Callable[[], np.ndarray], certify_one: Callable[[Any], Any], iid: Any) -> CopiesCertificate:
    """The certificate; `labels` gives the label codes of all rows, -1 where there is none, and `certify_one` that of a copy's run."""
    require(run.learner.kind != "advice", OF_ADVICE)
    require(not run.first.run.resumed and not run.first.first_round, WHOLE)
    require(run.speakers is not None, "this run kept no predictions, so its mistakes cannot be told: play it with ls.play")
    ends = [segment.first_round + segment.rounds + segment.unlabelled for segment in run.segments]
    parts = [certify_one(copy.run) for copy in run.copies]
    if len(parts) > len(ends):  # an alarm in the last row began a copy that played nothing
        parts = parts[: len(ends)]
    return sealed_copies(parts, ends, (labels() >= 0).tolist(), iid)
