"""What stands in tests/golden is what happens today: predictions, states and limits. Models load and go on, certificates verify.

`tests/golden/make.py` has the streams, the table of cases, and how results are written. A golden file is written anew only where a result
is meant to change.
"""

import json
import sys
from fractions import Fraction
from functools import cache
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import numpy as np
import pytest

import littlestone as ls

GOLDEN = Path(__file__).parent / "golden"


def module(path):
    """A Python file as a module; tests are no package, so it cannot be imported by its name."""
    spec = spec_from_file_location("littlestone_golden_make", path)
    loaded = module_from_spec(spec)
    sys.modules[spec.name] = loaded
    spec.loader.exec_module(loaded)
    return loaded


make = module(GOLDEN / "make.py")
NAMES = sorted(make.TWO | make.SEVERAL | make.ADVISED)
CASES = [case for name in NAMES for case in make.cases(name)]
CLOSE = 1e-12


@cache
def golden(path):
    return json.loads((GOLDEN / path).read_text("utf-8"))


def as_read(value):
    """As it comes back from a file."""
    return json.loads(json.dumps(value))


def compare(before, today, close=0.0, path="result"):
    """The same in every place; doubles, and fractions written as text, within a relative distance."""
    assert type(before) is type(today), f"{path}: was {before!r}, is {today!r}"
    if isinstance(before, dict):
        assert before.keys() == today.keys(), f"{path}: keys were {sorted(before)}, are {sorted(today)}"
        for key in before:
            compare(before[key], today[key], close, f"{path}, {key}")
    elif isinstance(before, list):
        assert len(before) == len(today), f"{path}: was {before!r}, is {today!r}"
        for k, pair in enumerate(zip(before, today, strict=True)):
            compare(*pair, close, f"{path}, {k}")
    elif before != today:
        arrays = [make.array_of(text) if isinstance(text, str) else None for text in (before, today)]
        if arrays[0] is not None and arrays[1] is not None:
            compare_arrays(*arrays, close, path)
        else:
            assert near(number_of(before), number_of(today), close), f"{path}: was {before!r}, is {today!r}"


def compare_arrays(before, today, close, path):
    assert (before.dtype, before.shape) == (today.dtype, today.shape), f"{path}: was {before!r}, is {today!r}"
    same = before == today if before.dtype.kind != "f" else np.isclose(before, today, close, close, equal_nan=True)
    assert same.all(), f"{path}: was {before!r}, is {today!r}"


def number_of(text):
    """A double, also as text, or a fraction as text; None of anything else. Whole numbers are none: they must be the same everywhere."""
    if isinstance(text, float):
        return text
    try:
        return float.fromhex(text) if "0x" in text else Fraction(text)
    except (TypeError, ValueError):
        return None


def near(before, today, close):
    return before is not None and today is not None and abs(before - today) <= close * max(1, abs(before), abs(today))


def split(record):
    """The bounds of a record, and the rest of it."""
    return record.get("bounds", {}), {key: value for key, value in record.items() if key != "bounds"}


# ---------------------------------------------------------------------------------------------------------------------------- runs


def test_every_name_of_the_catalogue_is_here():
    learns = make.catalogue()
    assert sorted(learns) == NAMES
    kinds = {"two classes": make.TWO, "several classes": make.SEVERAL, "advice": make.ADVISED}
    assert all(name in kinds[learns[name]] for name in learns)
    assert {case.name for case in make.FILED} == set(make.TWO)
    assert {case.rule.partition(":")[0] for case in make.TABLED} == set(make.ADVISED)
    assert sorted(path.stem for path in make.RUNS.iterdir()) == NAMES
    for name in NAMES:
        assert list(golden(f"runs/{name}.json")) == [case.text for case in make.cases(name)], name


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.name}: {case.text}")
def test_runs(case):
    limits, rest = split(golden(f"runs/{case.name}.json")[case.text])
    limits_today, rest_today = split(as_read(make.record(case)))
    compare(rest, rest_today, CLOSE if case.name in make.ROUNDED else 0.0)
    compare(limits, limits_today, CLOSE if case.name in make.ROUNDED_LIMITS else 0.0, "bounds")


USUAL = [case for name in make.TWO for case in make.cases(name) if case.settings == make.TWO[name][0][0]]


@pytest.mark.parametrize("case", USUAL, ids=lambda case: f"{case.name}: {case.text}")
def test_one_event_at_a_time_and_cut_into_blocks(case):
    before = golden(f"runs/{case.name}.json")[case.text]
    if "refused" in before:
        return
    stream, close = make.MADE[case.stream], CLOSE if case.name in make.ROUNDED else 0.0
    model = make.learner_of(case.name, case.settings).start()
    weights = stream.weights or [1.0] * len(stream.rows)
    rounds = zip(stream.instances(), stream.labels, weights, strict=True)
    assert make.bits(model.observe(x, y, *([] if stream.weights is None else [c])) for x, y, c in rounds) == before["predictions"]
    assert (model.rounds, model.mistakes) == (before["rounds"], before["mistakes"])
    learner = make.learner_of(case.name, case.settings)
    run = ls.play(learner, stream.instances(), stream.labels, sample_weight=stream.weights, block_rows=7)
    assert make.bits(run.predictions) == before["predictions"]
    compare(before["state"], make.state(run.state), close)


@pytest.mark.parametrize("name", make.ADVISED)
def test_one_row_of_advice_at_a_time(name):
    for kind in ("vote", "probability"):
        before, advice = golden(f"runs/{name}.json")[f"as usual on {kind}"], make.ADVICE[kind]
        if "refused" in before:
            continue
        model = getattr(ls, name)(advice=kind).start()
        assert make.bits(model.observe(row, y) for row, y in zip(advice.table, advice.truth, strict=True)) == before["predictions"]
        compare(before["state"], make.state(model.state), CLOSE)


# --------------------------------------------------------------------------------------------------------- certificates and models


def test_streams_are_those_of_the_golden_files():
    files = make.stream_files()
    assert sorted(path.name for path in make.STREAMS.iterdir()) == sorted(files)
    for name, text in files.items():
        assert (make.STREAMS / name).read_text("utf-8") == text, name


CERTIFIED = [(case.slug, case.file) for case in (*make.FILED, *make.TABLED) if getattr(case, "certified", True)]
CERTIFIED += [(path.stem, "drift.libsvm") for path in sorted(make.CERTIFICATES.glob("drift-*.json"))]
CERTIFIED += list(make.BEFORE.items())


def test_every_certificate_and_every_model_is_looked_at():
    assert sorted(path.stem for path in make.CERTIFICATES.iterdir()) == sorted(slug for slug, _ in CERTIFIED)
    events = [f"events-{name}" for name in make.BY_EVENTS]
    assert sorted(path.stem for path in make.MODELS.iterdir()) == sorted([*(case.slug for case in make.FILED), *events])
    assert sum(slug.startswith("drift") for slug, _ in CERTIFIED) > 1


@pytest.mark.parametrize(("slug", "file"), CERTIFIED, ids=[slug for slug, _ in CERTIFIED])
def test_golden_certificates_verify(slug, file):
    verdict = ls.verify(make.CERTIFICATES / f"{slug}.json", make.STREAMS / file, replay=True)
    assert verdict.replayed
    assert not verdict.unchecked
    assert not verdict.aside


@pytest.mark.parametrize(("slug", "file"), CERTIFIED[::12], ids=[slug for slug, _ in CERTIFIED[::12]])
def test_the_command_verifies_them_too(slug, file):
    verdict = json.loads(make.command("verify", make.CERTIFICATES / f"{slug}.json", make.STREAMS / file, "--replay", "--json"))
    assert verdict["verified"] and verdict["replayed"]


def test_a_golden_certificate_is_not_true_of_another_stream():
    with pytest.raises(ls.Refused):
        ls.verify(make.CERTIFICATES / "perceptron-gaps-vw.json", make.STREAMS / "weighted.vw", replay=True)


@cache
def filed_run(slug):
    return make.filed_run(next(case for case in make.FILED if case.slug == slug))


def certified(content, names=None):
    """What a certificate says, without its witnesses: a search that is done better, or by another solver, may name others.

    With `names`, what it says of these theorems: a certificate of today may state more than the golden one, and in another order.
    """
    kept = {key: content[key] for key in ("about", "learner", "stream", "counts", "mistakes", "updates", "assume", "risk")}
    records = [record for record in content["bounds"] if names is None or record["name"] in names]
    return kept | {"bounds": sorted([one["name"], one["kind"], one["limit"], one["observed"], one["holds"]] for one in records)}


def compare_certificates(before, today):
    compare(certified(before), certified(as_read(today), {record["name"] for record in before["bounds"]}), 1e-6)


def without_chain(content):
    """Leave out a panel's chain; its limit."""
    chains = [bound for bound in content["bounds"] if bound[0] == "panel-chain"]
    content["bounds"] = [bound for bound in content["bounds"] if bound not in chains]
    return [limit for _, _, limit, *_ in chains]


@pytest.mark.parametrize("case", [case for case in make.FILED if case.certified], ids=lambda case: case.text)
def test_certificates_of_today_say_the_same(case):
    before, today = golden(f"certificates/{case.slug}.json"), as_read(make.certificate_of(case, filed_run(case.slug)).content)
    assert today["stream"].pop("row_version") == 2 and "row_version" not in before["stream"]
    before, today = certified(before), certified(today, {record["name"] for record in before["bounds"]})
    if case.slug == "pairs-weighted-csv":  # five pairs have room: those of the features that come first in their row
        before["bounds"] = today["bounds"] = []
    chain, chain_today = without_chain(before), without_chain(today)
    assert len(chain_today) == len(chain), "a chain rests on a bound that compares, and once rested on accounts of the fewest mistakes"
    compare(before, today, 1e-6)


@pytest.mark.parametrize("case", make.FILED, ids=lambda case: case.text)
def test_golden_models_load_predict_and_go_on(case, tmp_path):
    path, close = make.MODELS / f"{case.slug}.littlestone", CLOSE if case.name in make.ROUNDED else 0.0
    before = golden("files.json")[case.slug]
    going = make.of_model(path, case.file, tmp_path / "going.littlestone")
    compare(before | {"after": {}}, as_read(going) | {"after": {}}, close)
    (limits, after), (limits_today, after_today) = split(before["after"]), split(as_read(going["after"]))
    compare(after, after_today, close, "after going on")
    compare(limits, limits_today, CLOSE, "bounds after going on")
    model = ls.load(path)
    run = ls.play(model.blank(), make.opened(case.file), ledger=True)  # which takes rows in the order in which they are written
    compare(make.state(model.state), make.state(run.model.state), close, "state of the file, and of a run today")
    assert run.model.ledger is None if model.ledger is None else model.ledger.rounds.tolist() == run.model.ledger.rounds.tolist()
    if model.ledger is not None:
        compare(make.state(model.state), make.state(model.replay().state), close, "state of the file, and of its ledger played again")


@pytest.mark.parametrize("name", make.BY_EVENTS)
def test_models_made_one_event_at_a_time(name):
    before, close = golden("events.json")[name], CLOSE if name in make.ROUNDED else 0.0
    kept = ls.load(make.MODELS / f"events-{name}.littlestone")
    for model in (kept, make.by_events(kept.blank())):
        compare(before, as_read(make.of_events(model)), close)


# ------------------------------------------------------------------------------------------------- tables of experts, and commands


@pytest.mark.parametrize("case", make.TABLED, ids=lambda case: case.text)
def test_tables_of_experts(case):
    run = make.tabled_run(case)
    compare(golden("tables.json")[case.slug], as_read(make.of_table(run)), CLOSE)
    compare_certificates(golden(f"certificates/{case.slug}.json"), ls.certify(run).content)


def without(value, keys):
    """The same without what a later version added: these keys, and the bound that every run of two classes has since then."""
    if isinstance(value, dict):
        return {key: without(inner, keys) for key, inner in value.items() if key not in keys}
    if not isinstance(value, list):
        return value
    return [without(inner, keys) for inner in value if not (isinstance(inner, dict) and inner.get("name") == "floor")]


LATER_KEYS = (
    *("compares", "comparator_loss", "price", "average_precision", "brier", "calibration", "weighted_baselines"),
    *("rmse", "mae", "label_by", "vote_mistakes"),
)


@pytest.mark.parametrize("name", make.COMMANDS)
def test_commands(name):
    compare(
        golden("commands.json")[name],
        without(
            as_read(make.of_command(name)),
            LATER_KEYS,
        ),
        CLOSE,
    )
