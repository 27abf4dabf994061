"""`littlestone show`: what is in a model file."""

from pathlib import Path
from typing import Annotated, Any

import typer

from littlestone.cli.model_files import loaded
from littlestone.cli.options import AsJson, ModelPath, Quiet, one_key
from littlestone.cli.terminal import put, put_json, put_wrapped
from littlestone.errors import one_line, require

RANK = 9


def show(
    path: ModelPath,
    learner: Annotated[
        str | None, typer.Option(help="file.py::name, for a model of your own learner; else its bare numbers are shown.")
    ] = None,
    top: Annotated[int, typer.Option(help="How many of the largest weights to show.")] = 10,
    key: Annotated[str | None, typer.Option(metavar="COLUMN=KEY", help="Of models by key: the model of that key.")] = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Show a model: its learner, its counts, how its stream was read, its largest weights and the size of its ledger.

    Example: littlestone show spam.littlestone --top 20
    """
    from littlestone.models.keyed import is_store
    from littlestone.report.words import many

    if is_store(path) and key is None:
        show_keys(path, learner, as_json)
        return
    require(key is None or is_store(path), f"--key {key}: {path} has no models by key")
    content = summary(path, top, learner, key)
    tables, coin, remark = content.pop("tables"), content.pop("coin"), content.pop("remark")
    if as_json:
        put_json(content | ({"remark": remark} if remark else {}))
        return
    listed = ("members",) if content["members"] else ()  # below
    settings = {name: value for name, value in content["settings"].items() if name not in listed}
    told_losses = content["kind"] == "advice" and content["settings"].get("advice") == "loss"
    mistakes = "" if told_losses else f", {many(content['mistakes'], 'mistake')}"
    put_wrapped(f"{one_line(in_words(content['learner'], settings))}, {many(content['rounds'], 'round')}{mistakes}")
    if content["kind"] == "advice":
        named = ", with names" if content["named"] else ""
        put_wrapped(f"  experts: {content['n']:,}{named}; loss {content['loss']:.6g}; written by littlestone {content['library']}")
        put_wrapped("\n".join(f"  {one_line(line)}" for line in how_table_read(content["reading"])))
        if remark:
            put_wrapped(f"  {one_line(remark)}")
        if coin:
            put_wrapped("  mistakes are those of predictions drawn by its coin, not of its weighted majority")
    else:
        met = "features met: {:,}, with names" if content["named"] else "columns: {:,} (one more than the largest)"
        put_wrapped(f"  {met.format(content['features'])}; written by littlestone {content['library']}")
        put_wrapped("\n".join(f"  {one_line(line)}" for line in how_read(content["reading"])))
    if content["kind"] == "several classes":
        put_wrapped(f"  classes, as they appeared: {', '.join(map(one_line, content['classes'])) or 'none so far'}")
    if copy := content["which_copy"]:
        begun = f"copy {copy['copy']}, which began after {many(copy['first_round'], 'row')}"
        put_wrapped(f"  {begun}, of a run with {many(copy['alarms'], 'alarm')}")
    ledger = content["ledger"]
    put_wrapped(
        f"  ledger: {many(ledger['rounds'], 'round')}"
        if ledger
        else "  ledger: none; it updates on every round, or began from a bare state"
    )
    if content["members"]:
        put_wrapped("\n".join(["  members, by vote weight:", *map(one_line, member_lines(content["members"]))]))
    for heading, weights, nonzero in tables:
        if weights:
            put_wrapped(f"  {one_line(heading)}, the largest of {nonzero:,}:")
            named_weights = [(one_line(name), weight) for name, weight in weights]
            width = max(len(name) for name, _ in named_weights)
            for name, weight in named_weights:
                put(f"    {name:<{width}}  {weight:g}")


def show_keys(path: Path, learner: str | None, as_json: bool) -> None:
    """Models by key, all of them together."""
    from littlestone.report.words import beside_keys, many

    model = loaded(path, learner)
    counts = {"keys": len(model), "rounds": model.rounds, "mistakes": model.mistakes, "unlabelled": model.unlabelled}
    features = {"features": len(model.features) or model.columns, "named": bool(model.named)}
    shared = model.shared_runner
    if as_json:
        kind = {"kind": f"{model.kind}, by key", "learner": model.learner.name}
        put_json({**kind, **counts, **features, **beside_keys(model), "reading": model.reading})
        return
    each = f"one for each of {many(counts['keys'], 'key')}{'' if shared is None else f' and {shared.learner!r} for all'}"
    put_wrapped(f"{model.learner!r}, {each}, {many(model.rounds, 'round')}, {many(model.mistakes, 'mistake')}")
    put_wrapped("\n".join(f"  {one_line(line)}" for line in how_read(model.reading)))


def in_words(name: str, settings: dict[str, Any]) -> str:
    """A learner by its name and settings, which may have another learner among them.

    >>> in_words("one_vs_rest", {"learner": {"name": "arow", "file": None, "settings": {"r": "1"}}})
    'one_vs_rest(learner=arow(r=1))'
    """
    plain = {key: in_words(value["name"], value["settings"]) if isinstance(value, dict) else value for key, value in settings.items()}
    return f"{name}({', '.join(f'{key}={value}' for key, value in plain.items() if value is not None)})"


def member_lines(members: list[dict[str, Any]]) -> list[str]:
    """A line for each member, the most trusted first."""
    width = max(len(member["name"]) for member in members)
    ranked = sorted(members, key=lambda member: (-member["weight"], member["mistakes"]))
    return [f"    {member['name']:<{width}}  vote weight {member['weight']:.3f}, {member['mistakes']:,} mistakes" for member in ranked]


def how_read(plain: dict[str, Any]) -> list[str]:
    """How rounds were made of the stream, in words.

    >>> print("\\n".join(how_read({"format": "csv", "label": "late", "bits": 18, "kinds": {"hour": "numeric", "from": "categorical"}})))
    read from csv; label: column late
    features: hashed into 2^18 columns; numeric: hour; categorical: from
    """
    from littlestone.cli.options import label_texts
    from littlestone.rounds.reading import Reading

    reading = Reading.from_json(plain)
    source = [f"read from {reading.format}" if reading.format != "auto" else "made by events, or read before formats were kept"]
    source += [f"label: column {reading.label}"] if reading.label else []
    source += ["labels: {} (negative), {} (positive)".format(*label_texts(reading))] if reading.labels else []
    source += [f"{name}: column {column}" for name in ("weight", "id", "key") if (column := getattr(reading, name))]
    made = [f"hashed into 2^{reading.bits} columns"] if reading.bits else []
    kinds = reading.kinds or {}
    for kind in dict.fromkeys(kinds.values()):
        made.append(f"{kind}: {', '.join(column for column in kinds if kinds[column] == kind)}")
    made += [f"in {len(ends) + 1} ranges: {column}" for column, ends in reading.edges.items()]
    made += [f"{reading.chars} characters in a row of each word"] if reading.chars else []
    made += [f"words and up to {reading.ngrams} of them in a row"] if reading.ngrams > 1 else []
    made += [f"crosses: {', '.join(reading.cross)}"] if reading.cross else []
    made += [f"conjunctions of up to {reading.expand} of them"] if reading.expand > 1 else []
    made += ["presence only"] if reading.boolean else []
    made += [f"left out: {', '.join(reading.ignore)}"] if reading.ignore else []
    made += [f"left out as identifiers: {', '.join(reading.identifiers)}"] if reading.identifiers else []
    return ["; ".join(source)] + ([f"features: {'; '.join(made)}"] if made else [])


def how_table_read(plain: dict[str, Any]) -> list[str]:
    """How rounds of advice were made of a table, in words.

    >>> print("\\n".join(how_table_read({"format": "csv", "truth": "load", "advice": "forecast", "loss": "squared", "scale": 4.0})))
    read from csv; truth: column load; the advice is forecast, squared loss, divided by 4
    """
    from littlestone.rounds.table_reading import TableReading

    if not plain:
        return ["made by events, or from an array of rounds × experts"]
    reading = TableReading.from_json({name: value for name, value in plain.items() if name != "gradient"})
    source = [f"read from {reading.format}"] + ([f"truth: column {reading.truth}"] if reading.truth else [])
    kind = [f"the advice is {reading.advice}", *([f"{reading.loss} loss"] if reading.loss else [])]
    kind += ["linearised"] if "gradient" in plain else []
    kind += [f"divided by {reading.scale:g}"] if reading.scale not in (None, 1.0) else []
    return ["; ".join([*source, ", ".join(kind)])]


def summary(path: Path, top: int, learner: str | None = None, key: str | None = None) -> dict[str, Any]:
    """What there is to show. A learner of the user's own is run only where it is given: else its first array stands for the weights."""
    from littlestone.models.contents import kind_of
    from littlestone.models.file import bytes_of, contents_of, read
    from littlestone.report.weights import weight_tables_of
    from littlestone.rounds.files import comes_once

    by_key = None if key is None else loaded(path, learner).key(one_key(key))
    require(not comes_once(str(path)), f"{path}: is a pipe or a device, which can be read only once; expected a model file")
    head, arrays = read(path) if by_key is None else contents_of(bytes_of(by_key))
    known, kind = head["learner"], kind_of(head)
    own = known["file"] or known.get("own") or any(isinstance(value, dict) and value["file"] for value in known["settings"].values())
    model = by_key or (None if own and learner is None else loaded(path, learner))
    names = head.get("features") or []
    tables = raw_tables(head, arrays, top) if model is None else weight_tables_of(model, top)
    summed = {"weights_are": tables[0][0], "nonzero": tables[0][2], "weights": tables[0][1]} if kind != "several classes" and tables else {}
    of_kind = {
        "two classes": {},
        "several classes": {"classes": head.get("classes"), "weights": {heading: weights for heading, weights, _ in tables}},
        "advice": {"n": head["n"], "loss": head.get("loss"), "experts": head.get("experts")},
    }[kind]
    return {
        "kind": kind,
        "learner": known["name"],
        "settings": known["settings"],
        "file": known["file"],
        "rounds": head["rounds"],
        "mistakes": head["mistakes"],
        "unlabelled": head["unlabelled"],
        "features": len(names) or head.get("largest_index", -1) + 1,
        "named": bool(head["experts"] if kind == "advice" else head["named"]),
        "reading": head["reading"],
        "which_copy": head.get("which_copy"),
        "library": head["library"],
        "version": head["version"],
        "ledger": {"rounds": len(arrays["ledger/rounds"]), "features": len(arrays["ledger/indices"])} if head["ledger"] else None,
        "members": [seat._asdict() for seat in model.learner.seats(model.state)] or None
        if model is not None and kind != "advice"
        else None,
        "weights_are": "",
        "nonzero": 0,
        "weights": [],
        **summed,
        **of_kind,
        "tables": tables,
        "remark": model.short_records if model is not None and kind == "advice" else "",
        "coin": kind == "advice" and model is not None and model.rule.randomized and not model.rule.bandit,
    }


def raw_tables(head: dict[str, Any], arrays: dict[str, Any], top: int) -> list[tuple[str, list[list[Any]], int]]:
    """The first array of a state whose learner is not run."""
    import numpy as np

    if not head["state"]:
        return []
    weights, names = arrays[f"state/{head['state'][0]}"].ravel(), head.get("features") or head.get("experts") or []
    largest = [i for i in np.argsort(-np.abs(weights), kind="stable")[:top].tolist() if weights[i]]
    listed = [[names[i] if i < len(names) else i, weights[i].item()] for i in largest]
    return [(head["state"][0], listed, int(np.count_nonzero(weights)))]
