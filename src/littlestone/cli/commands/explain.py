"""`littlestone explain`: why an instance is predicted as it is."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from littlestone.cli.model_files import loaded, one_loaded
from littlestone.cli.options import ModelPath, OwnLearner, Quiet, ReadingOptions, label_texts, one_key, takes_options
from littlestone.cli.terminal import put, put_json, wrapped
from littlestone.errors import LittlestoneError, one_line, require
from littlestone.rounds.features import NUMBER

if TYPE_CHECKING:
    from littlestone.protocol import Block, Model


RANK = 10


@takes_options
def explain(
    path: ModelPath,
    reading: ReadingOptions,
    instance: Annotated[
        list[str] | None,
        typer.Argument(metavar="[NAME[:VALUE]]...", help="Its features, or COLUMN=VALUE of its table; none shows the largest weights."),
    ] = None,
    stream: Annotated[
        str | None, typer.Option(metavar="FILE", help="Take the instance from this file, read as the model's stream was.")
    ] = None,
    round: Annotated[int | None, typer.Option(metavar="N", help="Which round of it, counted from 1.")] = None,
    learner: OwnLearner = None,
    member: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Also explain what this member or blend of a panel predicts, or the member for this class."),
    ] = None,
    top: Annotated[int, typer.Option(help="How many features to show.")] = 10,
    rounds: Annotated[int, typer.Option(help="How many rounds of the ledger to show for each.")] = 3,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object: all features, with up to 100 rounds each.")] = False,
    quiet: Quiet = False,
) -> None:
    """Explain a prediction: what each feature adds to the score, and which rounds made its weight what it is.

    Example: littlestone explain spam.littlestone free offer:2
    """
    key = reading.key
    require((stream is None) == (round is None), "--stream FILE and --round N go together")
    require(not (stream and instance), "an instance is given in words or as a round of a stream, not both")
    require(top >= 0 and rounds >= 0, f"--top {top}, --rounds {rounds}: expected numbers that are 0 or more")
    if stream is None and not instance:
        from littlestone.cli.commands.show import show

        show(path, learner=learner, top=top, as_json=as_json, key=key)
        return
    if key is None:
        model = one_loaded(path, learner, "--key COLUMN=KEY names one")
    else:  # as its rounds alone would have made it, which are read as the rounds of that key
        model, reading = loaded(path, learner), replace(reading, key=None)
        require(hasattr(model, "buckets"), f"--key {key}: {path} has no models by key")
        model = model.key(one_key(key))
    x: Any
    place: dict[str, Any] = {}
    label = None
    if stream is not None and round is not None:
        x, label = (advice_of if model.kind == "advice" else row_of)(model, stream, round, reading)
        both = model.answers if model.kind == "two classes" else None
        place = {"stream": stream, "round": round, "label": label if both is None or label is None else both[label]}
    elif model.kind == "advice":
        x = advice_in_words(model, instance or [])
    else:
        x = in_words(model, instance or [])
        if model.reading.get("bits") and not as_json:
            put(f"(features are hashed: {', '.join(instance or [])} fall into columns {', '.join(map(str, x))})")
    name = None if member is None else member_named(model, member)
    explanation = model.explain(x, rounds=max(100, rounds))
    labels = label_texts(reading.for_model(model)) if model.kind == "two classes" else None
    by = None if member is None else model.explain(x, rounds=max(100, rounds), member=name)
    if as_json:
        beside = {} if by is None else {"member": {"name": member} | by.as_json()}
        put_json(place | explanation.as_json() | beside)
        return
    if place:
        written = "no label" if label is None else f"label {label if labels is None else labels[label]}"
        put(f"round {round} of {stream}, {written}")
    columns = shutil.get_terminal_size((140, 24)).columns
    lines = explanation.lines(top, rounds, labels, columns)
    if by is not None:
        lines += ["", f"{member}:", *by.lines(top, rounds, labels or ("0", "1"), columns)]
    put("\n".join(wrapped(one_line(line), columns) for line in lines))


def member_named(model: Any, text: str) -> Any:
    """Return the name of a member in Python: of a panel as it is written; of a reduction the label of a class, or both labels of a pair,
    which is written `tea/coffee`."""
    from littlestone.models.compare import text_of

    if model.kind != "several classes" or model.learner.seats(model.state):
        return text
    names = {text_of(name).replace(" / ", "/"): name for name in model.members()}
    key = text.replace(" / ", "/")
    require(key in names, f"--member {text}: the members are {', '.join(names) or 'none'}")
    return names[key]


def advice_in_words(model: Any, tokens: list[str]) -> list[float]:
    """`anna:1 ben:0` as a row of advice; who is not named sleeps."""
    names = [str(name) for name in model.names]
    row = [float("nan")] * len(names)
    for token in tokens:
        name, _, text = token.rpartition(":")
        require(name in names, f"{token!r}: expected EXPERT:ADVICE; the experts are {', '.join(names)}")
        try:
            row[names.index(name)] = float(text)
        except ValueError:
            raise LittlestoneError(f"{token!r}: expected a number after the name of the expert") from None
    return row


def advice_of(model: Any, path: str, number: int, reading: ReadingOptions) -> tuple[Any, Any]:
    """What the experts say in one round of a table, and the truth where there is one."""
    from littlestone.api.model_rounds import table_for

    (advice, forecasts, truths), t = place_of(
        number, path, table_for(model, path, truth_optional=True).advices(), lambda part: len(part[0])
    )
    truth = None if truths is None or truths[t] != truths[t] else float(truths[t])
    return (advice.table if forecasts is None else forecasts)[t].tolist(), truth


def place_of(number: int, path: str, parts: Iterable[Any], size: Callable[[Any], int] = len) -> tuple[Any, int]:
    """The part of a stream that has this round, counted from 1, and the place of the round there."""
    require(number >= 1, f"--round {number}: rounds are counted from 1")
    seen = 0
    for part in parts:
        if number <= seen + size(part):
            return part, number - seen - 1
        seen += size(part)
    raise LittlestoneError(f"--round {number}: {path} has only {seen} rounds")


def in_words(model: Model, tokens: list[str]) -> dict[Any, float]:
    """`free offer:2` or `3 17:0.5` as an instance. A name may have colons and blanks in it, if the model knows it.

    Of a model of texts, what stands in quotes is a text, and so are words of which none has a number behind a colon.
    """
    from littlestone.api.sources import counted
    from littlestone.rounds.features import hash64

    if (row := columns_in(model, tokens)) is not None:
        return row
    x: dict[Any, float] = {}
    boolean, bits = bool(model.reading.get("boolean")), model.reading.get("bits")
    quoted = any(len(token.split()) > 1 for token in tokens)
    if model.reading.get("format") == "text" and (quoted or all(_parted(model, token)[0] == token for token in tokens)):
        for name, count in counted(model.reading, " ".join(tokens)).items():
            key = hash64(name.encode("utf-8", "surrogatepass")) & (2**bits - 1) if bits else name
            x[key] = 1.0 if boolean else x.get(key, 0.0) + count
        return x
    for token in tokens:
        name, value = _parted(model, token)
        if name not in model.features and len(token.split()) > 1:  # all of it between one pair of quotes
            values = in_words(model, token.split())
        else:
            if bits:
                name = str(hash64(name.encode("utf-8", "surrogatepass")) & (2**bits - 1))
            column = not model.named and name.isascii() and name.isdigit()
            require(column or model.named is not False, f"feature {name!r}: this model knows its features by numbers; expected one")
            values = {int(name) if column else name: 1.0 if boolean and value else value}
        for key in values:
            require(key not in x, f"feature {key!r} is given twice; expected each feature once")
        x |= values
    return x


def columns_in(model: Any, tokens: list[str]) -> dict[str, Any] | None:
    """`'note=free offer for you' km:3` as a row of the columns that the model was made from; None where it says features."""
    kinds = {**(model.reading.get("kinds") or {}), **model.dict_rules.kinds}
    row: dict[str, Any] = {}
    for token in tokens:
        name, equals, text = token.partition("=")
        if not equals or name not in kinds:
            name, equals, text = token.rpartition(":")
        if not equals or name not in kinds or name in row:
            return None
        number = NUMBER.fullmatch(text) if kinds[name] == "numeric" else None
        row[name] = text if number is None else float(text)
    return row if any("=" in token and token not in model.features for token in tokens) else None


def _parted(model: Model, token: str) -> tuple[str, float]:
    """NAME:VALUE, or all of it a name."""
    name, _, text = token.rpartition(":")
    try:
        return (name, float(text)) if name and token not in model.features else (token, 1.0)
    except ValueError:
        return token, 1.0


def row_of(model: Model, path: str, number: int, reading: ReadingOptions) -> tuple[Any, Any]:
    """The features and the label of one round of a file, read as the model's own stream was."""
    from littlestone.protocol import ClassMap

    classes = ClassMap() if model.kind == "several classes" else None
    block, t = place_of(number, path, reading.open([path], model).lent_blocks(classes))
    row = block.cut(t, t + 1).copy()
    label = int(row.labels[0])
    return instance_of(model, row), None if label < 0 else label == 1 if classes is None else list(classes)[label]


def instance_of(model: Model, row: Block) -> Any:
    """One row as the model takes it: by name where its features have names. Those it has not met count for nothing."""
    if not model.named:
        return row.indices, row.values
    names = list(model.features)
    values = [1.0] * len(row.indices) if row.values is None else row.values.tolist()
    return {names[column]: value for column, value in zip(row.indices.tolist(), values, strict=True) if column < len(names)}
