"""A learner as it is sent to another process: its name and settings; of a learner of the user's own its file, too, and the neighbours that
this one imports. What arrives is the learner made anew, by the same code.
"""

import atexit
import inspect
import re
import shutil
import tempfile
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from littlestone.errors import require
from littlestone.models.describe import described, made
from littlestone.protocol.family import OfFeatures
from littlestone.protocol.own_files import named_in_file

IMPORTED = re.compile(r"^\s*(?:import|from)\s+(\w+)", re.M)


def packed(learner: Any) -> tuple[dict[str, Any], str, tuple[tuple[str, dict[str, str]], ...]]:
    """What `unpacked` makes the learner of again: its description, its kind, and of each learner of the user's own in it the sources."""
    return described(learner), learner.kind, tuple(sources_of(own) for own in owns(learner))


def owns(learner: Any) -> list[Any]:
    """The learners of the user's own in it: itself, its members, or whom it is made of."""
    if described(learner)["file"] is not None:
        return [learner]
    inside = [*getattr(learner, "members", ()), *(value for value in learner.settings.values() if isinstance(value, OfFeatures))]
    return [own for part in inside for own in owns(part)]


def sources_of(learner: Any) -> tuple[str, dict[str, str]]:
    """The module that a learner stands in, and the text of that file and of its neighbours that it imports, by their names."""
    module = inspect.getmodule(learner.code)
    path = Path(getattr(module, "__file__", None) or "")
    require(
        path.is_file(), f"{learner.name} stands in no file, and cannot be sent to workers; expected a learner of file.py::{learner.name}"
    )
    texts, left = dict[str, str](), [path]
    while left:
        place = left.pop()
        texts[place.name] = place.read_text("utf-8")
        names = (place.with_name(f"{name}.py") for name in IMPORTED.findall(texts[place.name]))
        left += [other for other in names if other.name not in texts and other.is_file()]
    return path.stem, texts


def unpacked(description: Mapping[str, Any], kind: str, sources: tuple[tuple[str, dict[str, str]], ...]) -> Any:
    """The learner that was packed."""
    pairs = zip(sources, names_in(description), strict=True)
    makers = [from_sources(stem, tuple(sorted(texts.items())), name) for (stem, texts), name in pairs]
    return made(description, makers if len(makers) > 1 else makers[0] if makers else None, kind)


def names_in(description: Mapping[str, Any]) -> list[str]:
    """The names of the learners of the user's own, in the order of `owns`."""
    if description["file"] is not None:
        return [description["name"]]
    inside = [value for value in description["settings"].values() if isinstance(value, dict)]
    return [name for part in (*description.get("own", ()), *inside) for name in names_in(part)]


@lru_cache
def from_sources(stem: str, texts: tuple[tuple[str, str], ...], name: str) -> Any:
    """What the file of that stem calls by this name; the files are written to a folder of their own, until this process ends."""
    folder = Path(tempfile.mkdtemp(prefix="littlestone-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    for file, text in texts:
        (folder / file).write_text(text, "utf-8")
    return named_in_file(folder / f"{stem}.py", name)
