"""What goes with what: every kind of learner under every verb, and for what does not go the reason, which is one of mathematics; with a
learner for each key some things are not built, and it says so.

docs/composition.md is made of this, and tests/test_composition.py walks it. What is not refused here is done there, from Python and from
the command line. What is refused is refused with these words.
"""

from typing import NamedTuple

from littlestone.api.keyed import REFUSED_BY_KEY
from littlestone.api.sources import WEIGHTS_OF_RULES


class Verb(NamedTuple):
    """Something one does with a learner: in Python, on the command line for a stream, and there for a table of experts."""

    python: str
    command: str
    table: str


#: The kinds of learners, and one of each on the command line.
KINDS = {
    "a learner of two classes": "--learner perceptron",
    "a learner of your own": "--learner file.py::name",
    "one_vs_rest": "--learner one_vs_rest:learner=perceptron",
    "all_pairs": "--learner all_pairs:learner=perceptron",
    "multiclass_perceptron": "--learner multiclass_perceptron",
    "panel": "--learner panel",
    "panel of several classes": "--learner panel",
    "conservative": "--learner conservative:learner=arow",
    "a rule over experts": "--rule adahedge",
}
RULE = "a rule over experts"

VERBS = {
    "play": Verb("ls.play(learner, X, y)", "run STREAM", "experts TABLE"),
    "one event at a time": Verb("model.predict(x); model.update(x, y)", "run -", "experts TABLE --from MODEL"),
    "predict a batch": Verb("model.predict_many(X)", "predict MODEL STREAM", "predict MODEL TABLE"),
    "scores": Verb("model.predict_many(X, scores=True)", "predict MODEL STREAM --scores", "predict MODEL TABLE --scores"),
    "watch": Verb("ls.watch(model, X, y)", "watch MODEL STREAM", "watch MODEL TABLE"),
    "save": Verb("model.save(path)", "run STREAM --model OUT", "experts TABLE --model OUT"),
    "load": Verb("ls.load(path)", "predict MODEL STREAM", "predict MODEL TABLE"),
    "resume": Verb("ls.play(model, X, y)", "run STREAM --from MODEL", "experts TABLE --from MODEL"),
    "show": Verb("repr(model)", "show MODEL", "show MODEL"),
    "explain": Verb("model.explain(x)", "explain MODEL --stream STREAM --round N", "explain MODEL --stream TABLE --round N"),
    "diff": Verb("model.diff(other)", "diff MODEL MODEL", "diff MODEL MODEL"),
    "replay": Verb("model.replay(stream=X, y=y)", "replay MODEL --stream STREAM", "replay MODEL --stream TABLE"),
    "roll back": Verb("model.rollback(k, stream=X, y=y)", "rollback MODEL K -o OUT --stream STREAM", "rollback MODEL K -o OUT --stream T"),
    "forget": Verb("model.forget(k, stream=X, y=y)", "forget MODEL K --stream STREAM", "forget MODEL K --stream TABLE"),
    "certify": Verb("ls.certify(run, X, y)", "run STREAM --certificate OUT", "experts TABLE --certificate OUT"),
    "verify": Verb("ls.verify(cert, X, y, replay=False)", "verify CERT STREAM --no-replay", "verify CERT TABLE --no-replay"),
    "verify with replay": Verb("ls.verify(cert, X, y)", "verify CERT STREAM", "verify CERT TABLE"),
    "weights": Verb("ls.play(learner, X, y, sample_weight=w)", "run STREAM --weight COLUMN", "experts TABLE"),
    "several passes": Verb("ls.play(learner, X, y, passes=2)", "run STREAM --passes 2", "experts TABLE --passes 2"),
    "late labels by delay": Verb("ls.play(learner, X, y, delay=3)", "run STREAM --delay 3", "experts TABLE --delay 3"),
    "late labels by id": Verb("ls.play(learner, X, y, ids=names)", "run STREAM --id COLUMN", "experts TABLE --id COLUMN"),
    "alarm": Verb(
        'ls.play(learner, X, y, assume=..., alarm="stop")', "run STREAM --assume ... --alarm", "experts TABLE --assume expert:m=5 --alarm"
    ),
    "alarm of a change": Verb('ls.play(learner, X, y, alarm="stop")', "run STREAM --alarm", "experts TABLE --alarm"),
    "compare": Verb("ls.compare([learner, other], X, y)", "compare STREAM --learner A --learner B", "compare TABLE --rule A --rule B"),
}

#: Refused, each with the reason that the user reads.
REFUSED = {(RULE, "weights"): WEIGHTS_OF_RULES}

#: What a cell needs beyond the learner; it is done all the same.
REMARKS = {
    ("a learner of your own", "load"): "with `learner=`, or `--learner file.py::name`: no code is run because a file asks for it",
    ("a learner of your own", "verify with replay"): "with `learner=`, or `--learner file.py::name`; without it the answer is "
    "“consistent”, not “verified” (exit code 3)",
    ("panel", "replay"): "takes the stream again, as for every learner that updates on every round and keeps no ledger",
    ("panel of several classes", "replay"): "takes the stream again, for the same reason",
    (RULE, "replay"): "takes the table again, for the same reason",
    (RULE, "late labels by delay"): "not for a rule that sees only one loss a round (exp3, exp3_ix): when the truth comes it would have "
    "chosen another expert",
    (RULE, "late labels by id"): "of votes and probabilities: what a forecast loses is made of its truth, row by row. A certificate of a "
    "file is “consistent”: which row a truth belongs to is taken as stated; of an array with `ids=` it is “verified”",
    (RULE, "resume"): "without bounds and certificate: the theorems are about a run from the first round and from even weights, and what "
    "the rule lost in earlier rounds is not in its state. Played together (`experts OLD NEW`), the rounds have both",
    (
        "panel",
        "verify with replay",
    ): "“consistent” where a member is your own, whose votes are taken as stated; and, under late labels and in "
    "a reduction, where one is made for a class of concepts (an agnostic `halving`), which no text names",
    ("panel of several classes", "verify with replay"): "“consistent” in the same two cases",
}

#: What goes with a learner for each key.
BY_KEY = (
    "A learner for each key (`ls.play(learner, X, y, key=...)`, `run STREAM --key COLUMN`, [docs/keys.md](keys.md)) goes with every kind "
    "but a rule over experts, and is played, predicted with, saved, loaded, resumed, shown, weighted, certified and verified. Events, "
    "explanations and differences are of one key's model (`model.key(NAME)`), and what is refused of all is done with the rounds of one "
    "(`open_stream(path, key=COLUMN, only=KEY)`, `run STREAM --key COLUMN=KEY`). Mathematics forbids none of it: it is not "
    "built, and the reasons say what stands in the way."
)


def page() -> str:
    """docs/composition.md."""
    lines = [
        "# What goes with what",
        "",
        "Whatever one kind of learner can do, every kind can, in Python and on the command line, or mathematics forbids it; "
        "[by key](#by-key) some of it is not built.",
        "This page is made by `python scripts/composition.py`, and `tests/test_composition.py` does everything it says.",
        "",
        "| verb | Python | command line | table of experts |",
        "|---|---|---|---|",
        *(f"| {name} | `{verb.python}` | `{verb.command}` | `{verb.table}` |" for name, verb in VERBS.items()),
        "",
        "| | " + " | ".join(KINDS) + " |",
        "|---|" + "---|" * len(KINDS),
        *(f"| {verb} | " + " | ".join(cell(kind, verb) for kind in KINDS) + " |" for verb in VERBS),
        "",
        "## Refused, and why",
        "",
        *(f"- **{kind}, {verb}**: {reason}." for (kind, verb), reason in REFUSED.items()),
        "",
        "## Done, with a remark",
        "",
        *(f"- **{kind}, {verb}**: {remark}." for (kind, verb), remark in REMARKS.items()),
        "",
        "## By key",
        "",
        BY_KEY,
        "",
        *(f"- **{name}**: refused; {reason}." for name, reason in REFUSED_BY_KEY.items()),
        "",
    ]
    return "\n".join(lines)


def cell(kind: str, verb: str) -> str:
    return "refused" if (kind, verb) in REFUSED else "yes, see below" if (kind, verb) in REMARKS else "yes"
