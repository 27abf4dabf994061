"""What a model file says of a model, and the model made of it: a head of plain values, and arrays. Every part is checked."""

from collections.abc import Sequence
from dataclasses import asdict
from itertools import chain, islice
from math import isfinite
from typing import Any

import numpy as np

from littlestone.errors import require
from littlestone.models.describe import TYPES, described
from littlestone.protocol import (
    AdviceModel,
    ClassLearner,
    ClassMap,
    ClassModel,
    ClassRunnerCounts,
    Learner,
    Ledger,
    Model,
    Opening,
    Rule,
    RunnerCounts,
)
from littlestone.protocol.class_costs import LeastCost
from littlestone.protocol.learner import LARGEST_INDEX, fields
from littlestone.protocol.ledger import LedgerStart
from littlestone.protocol.operating import Operating
from littlestone.protocol.serving import Served
from littlestone.rounds.reading import ROW_VERSION

Arrays = dict[str, np.ndarray]


def kind_of(head: dict[str, Any]) -> str:
    """What kind of model it is; the first version had but one."""
    kind = "two classes" if head["version"] == 1 else head["kind"]
    require(kind in TYPES, f"kind={kind!r} is none of {', '.join(TYPES)}")
    return kind


def arrays_of(model: Any) -> Arrays:
    """Its state and its ledger."""
    arrays = {f"state/{name}": array for name, array in model.arrays().items()}
    for name, array in arrays.items():
        bad = array.dtype.kind == "f" and not np.isfinite(array).all()
        require(not bad, f"{model.learner!r}: its {name} holds numbers that are not finite, and cannot be saved")
    ledger = model.ledger
    if ledger is not None:
        arrays |= {f"ledger/{name}": getattr(ledger, name) for name in _rows(ledger.several)}
        if ledger.values is not None:
            arrays["ledger/values"] = ledger.values
        if ledger.snapshot is not None:
            arrays |= {f"snapshot/{name}": array for name, array in model.at(ledger.snapshot).arrays().items()}
            arrays["snapshot/met"] = ledger.snapshot.met
    return arrays


def head_of(model: Any) -> dict[str, Any]:
    """All the rest. A model of two classes has what the first version had, and no more."""
    accounts = {name: value for name, value in asdict(model.accounts).items() if name != "labels" or value} if model.measured() else None
    head = {"learner": described(model.learner), "n": model.learner.n}
    counts = {"rounds": model.rounds, "mistakes": model.mistakes, "unlabelled": model.unlabelled}
    rest = {"reading": model.reading, "accounts": accounts, "state": list(model.arrays()), "ledger": model.ledger is not None}
    if model.ledger is not None and model.ledger.snapshot is not None:
        begins = model.ledger.snapshot
        rest["snapshot"] = {"round": begins.round, "mistakes": begins.mistakes, "unlabelled": begins.unlabelled, "classes": begins.classes}
    if model.waiting:
        rest["waiting"] = [_served_as_json(id, served) for id, served in model.waiting.items()]
    if model.operating is not None:
        rest["operating"] = model.operating.kept()
    if model.which_copy is not None:
        rest["which_copy"] = model.which_copy
    if model.kind == "advice":
        awake = {} if model.awake == () else {"awake": None if model.awake is None else list(model.awake)}
        return {"kind": model.kind, **head, **counts, "loss": model.loss, "experts": list(model.experts), **awake, **rest}
    features = {
        "largest_index": model._top,
        "index_zero": model._zero,
        "named": model.named,
        "features": list(model.features) if model.named else None,
        **({"row_version": ROW_VERSION} if model.sorts else {}),
    }
    classes = {} if model.kind == "two classes" else {"classes": [_label(model, label) for label in model.classes]}
    kind = {"kind": model.kind} if classes or model.waiting or "snapshot" in rest else {}
    return {**kind, **classes, **head, "counted": model.counted, **counts, **features, **rest}


def _which_copy(stated: Any) -> dict[str, int]:
    """What a file says of the copy that its model is."""
    keys = ("copy", "first_round", "alarms")
    whole = isinstance(stated, dict) and set(stated) == set(keys) and all(type(stated[key]) is int for key in keys)
    sound = whole and 1 <= stated["copy"] <= stated["alarms"] + 1 and stated["first_round"] >= 0
    require(sound, f"which_copy={stated!r}: expected an object of the numbers copy, first_round and alarms")
    return stated


def _label(model: Model, label: Any) -> Any:
    """A label that JSON keeps exactly, with its type."""
    kept = isinstance(label, str | bool | int) or (isinstance(label, float) and isfinite(label))
    require(kept, f"{model.learner.name}: the label {label!r} cannot be written to a file; expected text, a finite number, True or False")
    return label


def _served_as_json(id: str, served: Served) -> dict[str, Any]:
    """A prediction that waits for its label: its row by names or columns, or of advice, and what was predicted."""
    x, memo = served.x, served.memo
    if isinstance(x, dict):
        row: dict[str, Any] = {"names": list(x), "values": [float(value) for value in x.values()]}
    elif isinstance(x, tuple):
        row = {"columns": x[0].tolist(), "values": None if x[1] is None else x[1].tolist()}
    else:
        row = {"advice": [None if value != value else value for value in x.tolist()]}
    votes = [[list(member), bool(vote)] for member, vote in memo.items()] if isinstance(memo, dict) else memo
    return {"id": id, **row, "yhat": None if served.yhat != served.yhat else served.yhat, "memo": votes}


def _served(plain: dict[str, Any], model: Any) -> Served:
    """The same again. What a row holds is checked when its label comes, as that of any other event is."""
    yhat, memo, forecast = plain["yhat"], plain["memo"], model.kind == "advice" and model.rule.gradient
    numbers = [value for key in ("values", "advice", "columns") for value in plain.get(key) or () if value is not None]
    sound = all(type(value) in (int, float) and isfinite(value) for value in numbers)
    require(sound, f"what waits for its label by the name {plain['id']!r} is no row of numbers")
    if model.kind == "several classes":
        known = type(yhat) is int and -1 <= yhat < len(model.classes) and (model.reduced or not memo)
        votes = [(tuple(member), vote) for member, vote in memo]
        joined = model._engine.joined(len(model.classes)) if model.reduced else []
        require(known and all(member in joined and type(vote) is bool for member, vote in votes), f"{plain['id']!r}: no such prediction")
        memo = dict(votes)
    else:
        share = memo is None if forecast or model.kind == "two classes" else type(memo) in (int, float) and 0 <= memo <= 1
        known = type(yhat) is bool if not forecast else yhat is None or (type(yhat) is float and isfinite(yhat))
        require(known and share, f"{plain['id']!r}: no such prediction")
    if model.kind == "advice":
        require(len(plain["advice"]) == model.rule.n, f"{plain['id']!r}: advice of {len(plain['advice'])} experts")
        row = np.array([np.nan if value is None else value for value in plain["advice"]], np.float64 if forecast else np.float32)
        return Served(row, np.nan if yhat is None else yhat, memo)
    if "names" in plain:
        return Served(dict(zip(plain["names"], plain["values"], strict=True)), yhat, memo)
    columns, values = plain["columns"], plain["values"]
    require(all(type(column) is int and 0 <= column <= LARGEST_INDEX for column in columns), f"{plain['id']!r}: columns out of range")
    return Served((np.array(columns, np.uint32), None if values is None else np.array(values, np.float32)), yhat, memo)


# --------------------------------------------------------------------------------------------------------- a model of what was read


def model_of(head: dict[str, Any], arrays: Arrays, learner: Any, kind: str) -> Model:
    """The model that a head and arrays say, by a learner that was made as the head says."""
    require(head["n"] == learner.n, f"n={head['n']!r}, and its learner has n={learner.n!r}")
    makers: dict[str, Any] = {"two classes": _binary, "several classes": _several, "advice": _advice}
    model = makers[kind](head, arrays, learner)
    for name in ("rounds", "mistakes", "unlabelled"):
        require(type(head[name]) is int and head[name] >= 0, f"{name}={head[name]!r} must be a count")
        setattr(model, name, head[name])
    require(model.mistakes <= model.rounds, f"{model.mistakes} mistakes in {model.rounds} rounds")
    model.reading = dict(head["reading"])
    if head.get("operating") is not None:
        require(getattr(learner, "probabilities", False), f"it has an operating point, and {learner.name} gives no probabilities")
        several = kind == "several classes"
        model.operating = LeastCost.opened(head["operating"], model.classes) if several else Operating.opened(head["operating"])
    if head.get("which_copy") is not None:
        model.which_copy = _which_copy(head["which_copy"])
    if kind != "advice":
        _features(head, model)
    if head["ledger"]:
        require(learner.updates_on != "always", f"{learner.name} updates on every round, and has a ledger")
        model.ledger = _ledger(arrays, model, _snapshot(head, arrays, learner, model))
    if head["accounts"] is not None:
        model.accounts = _accounts(head["accounts"], model)
        require(model.accounts.sound and model.measured(), "its accounts contradict its counts")
    for plain in head.get("waiting", ()):
        require(type(plain["id"]) is str and plain["id"] not in model.waiting, f"{plain['id']!r} waits twice for its label")
        model.waiting[plain["id"]] = _served(plain, model)
    return model


def _features(head: dict[str, Any], model: Any) -> None:
    """Which features it has met."""
    require(type(head["counted"]) is bool and head["named"] in (None, True, False), "counted and named must be true or false")
    model.counted, model.named, model.sorts = head["counted"], head["named"], sorts_rows(head)
    names = head["features"] or []
    require(all(type(name) is str for name in names) and len(set(names)) == len(names), "its features are not names, each once")
    require(bool(model.named) or not names, "it has names of features, and says that features are columns")
    for name in names:
        model.features[name]
    top, room = head["largest_index"], model._top + 1
    require(type(top) is int and -1 <= top <= LARGEST_INDEX, f"largest_index={top!r} must be the index of a feature")
    nobody = model.kind == "several classes" and room == 0  # a reduction whose members are not there yet, or keep nothing of a feature
    require(top < room or nobody, f"largest_index={top} and a state for {room} features")
    model._known(top, bool(head["index_zero"]))


def sorts_rows(head: dict[str, Any]) -> bool:
    """True if rows are sorted by column and have no zeros; a file that does not say its version keeps rows as they are given.

    >>> sorts_rows({"row_version": 2, "rounds": 5}), sorts_rows({"rounds": 5})
    (True, False)
    """
    version = head.get("row_version", 1)
    require(type(version) is int and 1 <= version <= ROW_VERSION, f"row_version={version!r}: expected at most {ROW_VERSION}")
    return version >= ROW_VERSION


def _binary(head: dict[str, Any], arrays: Arrays, learner: Learner) -> Any:
    return learner.start(_state(head["state"], arrays, learner))


def _several(head: dict[str, Any], arrays: Arrays, learner: ClassLearner) -> Any:
    labels, classes = head["classes"], ClassMap()
    plain = isinstance(labels, list) and all(type(label) in (str, bool, int, float) for label in labels)
    require(plain and [classes.code(label) for label in labels] == list(range(len(labels))), "its classes are not labels, each once")
    engine: Any = learner.engine(Opening())
    if hasattr(engine, "places"):
        state = _of_panel(head["state"], arrays, engine, len(labels))
    elif engine.inner is None:
        state = _of_classes(head["state"], arrays, engine, len(labels))
    else:
        size = len(fields(engine.inner.init(1)))
        members = list(islice(chain.from_iterable(map(engine.recruits, range(len(labels)))), len(head["state"]) // size + 1))
        require(
            len(members) * size == len(head["state"]), f"has a state of {len(head['state'])} arrays; {learner.name} has {size} a member"
        )
        parts = [head["state"][k * size : (k + 1) * size] for k in range(len(members))]
        state = tuple(_state(part, arrays, engine.inner, f"m{k}_") for k, part in enumerate(parts, 1))
        widths = {engine.inner.room_of(theirs) for theirs in state}
        require(len(widths) <= 1, f"its members have places for {sorted(widths)} features; expected one number")
    return ClassModel(learner, state, labels)


def _of_panel(names: Sequence[str], arrays: Arrays, engine: Any, classes: int) -> tuple:
    """The state of a panel of several classes: those of its members, and what is its own."""
    blank = engine.blank(classes)
    require(list(names) == list(engine.named(blank)), f"has a state of {len(names)} arrays, and not those of its panel")
    parts: dict[str, tuple] = {}
    for prefix, member, first in engine.places(blank):
        theirs = [f"{prefix}{name}" for name in fields(first)]
        if isinstance(member, Learner):
            parts[prefix] = _state(theirs, arrays, member, prefix)
        else:
            own = {f"state/{name}": arrays[f"state/{prefix}{name}"] for name in fields(first)}
            parts[prefix] = _of_classes(fields(first), own, member.engine(Opening()), classes)
    rest = [name for name in names if not any(name.startswith(prefix) for prefix in parts)]
    for name, first in ((name, engine.named(blank)[name]) for name in rest):
        array = arrays[f"state/{name}"]
        fits = array.dtype == first.dtype and array.shape == first.shape
        require(fits, f"state/{name}.npy has type {array.dtype}{list(array.shape)}; expected {first.dtype}{list(first.shape)}")
    state = engine.stated(parts, {name: arrays[f"state/{name}"] for name in rest})
    engine.sound(state)
    return state


def _of_classes(names: Sequence[str], arrays: Arrays, engine: Any, classes: int) -> tuple:
    """The arrays of a state that is a class learner's own."""
    small = engine.init(1, 1)
    require(list(names) == fields(small), f"has a state of {names}; expected {fields(small)}")
    kept = [arrays[f"state/{name}"] for name in names]
    room = len(kept[0]) if kept[0].ndim else 0
    require(room >= 1, f"state/{names[0]}.npy has shape {kept[0].shape}; expected a place for each feature and class")
    for name, array, model in zip(names, kept, engine.init(room, max(1, classes)), strict=True):
        require(array.dtype == model.dtype, f"state/{name}.npy has type {array.dtype}; expected {model.dtype}")
        require(array.shape == model.shape, f"state/{name}.npy has shape {array.shape}; expected {model.shape}, of {classes} classes")
    require(int(kept[-1][0]) == classes, f"its state has seen {kept[-1][0]} classes, and there are {classes}")
    return type(small)(*kept)


def _advice(head: dict[str, Any], arrays: Arrays, rule: Rule) -> Any:
    longest = max((array.size for array in arrays.values()), default=0)
    require(rule.n is None or rule.n <= longest, f"n={rule.n} experts, and no array is longer than {longest}")
    first = rule.first_state()
    require(head["state"] == fields(first), f"has a state of {head['state']}; {rule.name} has {fields(first)}")
    kept = [arrays[f"state/{name}"] for name in head["state"]]
    for name, array, model in zip(head["state"], kept, first, strict=True):
        fits = array.dtype == model.dtype and array.shape == model.shape
        require(fits, f"state/{name}.npy has type {array.dtype}{list(array.shape)}; expected {model.dtype}{list(model.shape)}")
    experts, loss = head["experts"], head["loss"]
    sound = all(type(name) is str for name in experts) and len(set(experts)) == len(experts) and len(experts) in (0, rule.n)
    require(sound, f"its experts are not {rule.n} names, each once")
    require(isinstance(loss, int | float) and isfinite(loss) and loss >= 0, f"loss={loss!r} must be a number, 0 or more")
    require(not head["ledger"] and head["accounts"] is None, f"{rule.name} updates on every round, and has a ledger or accounts")
    state = type(first)(*kept)
    if rule.sound is not None:
        rule.sound(rule.params, state)
    model = AdviceModel(rule, state)
    model.experts, model.loss = tuple(experts), float(loss)
    awake = head.get("awake", None if bool(state.z[1]) else [])
    counted = awake is None or (len(awake) in (0, rule.n) and all(type(k) is int and 0 <= k <= head["rounds"] for k in awake))
    require(counted, f"awake={awake!r} must be a number of rounds for each expert")
    model.awake = None if awake is None else tuple(awake)
    return model


def _accounts(plain: dict[str, Any], model: Any) -> Any:
    if model.kind == "two classes":
        return RunnerCounts.from_json(plain)
    confusion, members = tuple(map(tuple, plain["confusion"])), tuple(map(RunnerCounts.from_json, plain["members"]))
    classes, joined = len(model.classes), len(model.state) if model.reduced else 0
    require(len(confusion) == classes, f"its accounts speak of {len(confusion)} classes, and there are {classes}")
    require(len(members) == joined, f"its accounts speak of {len(members)} members, and there are {joined}")
    return ClassRunnerCounts.from_json({**plain, "confusion": confusion, "members": members})


def _state(names: Sequence[str], arrays: Arrays, learner: Learner, prefix: str = "") -> tuple:
    """The arrays of a state, of the types and lengths that this learner's states have."""
    small, large = learner.init(1), learner.init(2)
    expected = [f"{prefix}{name}" for name in fields(small)]
    require(list(names) == expected, f"has a state of {names}; {learner.name} has {expected}")
    kept = [arrays[f"state/{name}"] for name in names]
    lengths = set()
    for name, array, narrow, wider, spare in zip(names, kept, small, large, learner.spare(), strict=True):
        require(array.dtype == narrow.dtype, f"state/{name}.npy has type {array.dtype}; expected {narrow.dtype}")
        fits = array.ndim == narrow.ndim and array.shape[1:] == narrow.shape[1:]
        if len(narrow) != len(wider):
            lengths.add(len(array) if array.ndim else 0)
        elif not spare:
            fits = fits and array.shape == narrow.shape
        require(fits, f"state/{name}.npy has shape {array.shape}, which no state of {learner!r} has")
    require(len(lengths) <= 1 and 0 not in lengths, f"its arrays have places for {sorted(lengths)} features; expected one number")
    state = type(small)(*kept) if hasattr(small, "_fields") else tuple(kept)
    if learner.sound is not None:
        learner.sound(learner.params, state)
    return state


def _rows(several: bool) -> dict[str, Any]:
    """The arrays of a ledger, with their types; `values` beside them where a row is not a row of ones."""
    return {**Ledger(several=several).kinds, "indices": np.uint32, "unlabelled": np.int64}


def _snapshot(head: dict[str, Any], arrays: Arrays, learner: Any, model: Any) -> LedgerStart | None:
    """Where a ledger begins that was cut."""
    if "snapshot" not in head:
        return None
    round, mistakes, unlabelled, classes = counts = [head["snapshot"][name] for name in ("round", "mistakes", "unlabelled", "classes")]
    sound = all(type(count) is int and count >= 0 for count in counts) and mistakes + unlabelled <= round <= model.rows
    require(sound, f"its ledger begins after {head['snapshot']}, which cannot be")
    names = [name.removeprefix("snapshot/") for name in arrays if name.startswith("snapshot/") and name != "snapshot/met"]
    own = {f"state/{name}": arrays[f"snapshot/{name}"] for name in names}
    if model.kind == "two classes":
        state = _binary({**head, "state": names}, own, learner).state
    else:
        state = _several({**head, "state": names, "classes": head["classes"][:classes]}, own, learner).state
    met = arrays["snapshot/met"]
    require(
        met.dtype == np.uint32 and met.ndim == 1 and met.max(initial=0) <= max(0, model._top), "snapshot/met.npy is no list of features"
    )
    return LedgerStart(round, mistakes, unlabelled, classes, state, met)


def _ledger(arrays: Arrays, model: Any, snapshot: LedgerStart | None = None) -> Ledger:
    begins = snapshot or LedgerStart(0, 0, 0, 0, None, np.empty(0, np.uint32))
    several = model.kind == "several classes"
    for name, kind in _rows(several).items():
        array = arrays[f"ledger/{name}"]
        sound = array.ndim == 1 and array.dtype == kind
        require(sound, f"ledger/{name}.npy has type {array.dtype}{list(array.shape)}; expected {np.dtype(kind)}")
    rounds, labels, predictions, weights, lengths, indices, silent = (arrays[f"ledger/{name}"] for name in _rows(several))
    values = arrays.get("ledger/values")
    whole = values is None or (values.dtype == np.float32 and values.shape == indices.shape)
    same = len(rounds) == len(labels) == len(predictions) == len(weights) == len(lengths)
    require(whole and same and (lengths >= 0).all() and lengths.sum() == len(indices), "its ledger's arrays do not fit together")
    ordered = all((np.diff(numbers) > 0).all() and (not len(numbers) or numbers[0] > begins.round) for numbers in (rounds, silent))
    inside = (rounds[-1:] <= model.rows).all() and (silent[-1:] <= model.rows).all()
    require(ordered and inside, f"its ledger's rounds must grow from {begins.round + 1} to at most {model.rows}")
    if several:
        seen = np.maximum.accumulate(np.concatenate(([begins.classes - 1], labels))) + 1  # classes before each entry, and after the last
        known = (labels >= 0).all() and (labels <= seen[:-1]).all() and seen[-1] == len(model.classes)
        require(known and (predictions >= -1).all() and (predictions < seen[:-1]).all(), "its ledger has a class that was not there yet")
    require(several or np.isin(labels, (0, 1)).all(), "its ledger has a label that is not 0 or 1")
    require((weights >= 0).all(), "its ledger has a weight below 0")
    require(not len(indices) or int(indices.max()) <= model._top, f"its ledger has a feature beyond {model._top}, the largest it has met")
    ledger = Ledger(several=several)
    ledger.extend((rounds, labels, predictions, weights, lengths), indices, values)
    for round in silent.tolist():
        ledger.skip(round)
    ledger.snapshot = snapshot
    wrong = begins.mistakes + int(ledger.mistakes.sum())
    require(wrong == model.mistakes, f"its ledger has {wrong} mistakes, and {model.mistakes} were made")
    silenced = begins.unlabelled + len(silent)
    require(silenced == model.unlabelled, f"its ledger has {silenced} rounds without a label, and there were {model.unlabelled}")
    return ledger
