"""How a run read its rows, so that a verb that gets these rows once more reads them so again."""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any, NamedTuple

from littlestone.api.sources import COLUMN_KINDS, OF_WORDS
from littlestone.errors import require
from littlestone.protocol.labels import LabelRules
from littlestone.rounds.files import is_column
from littlestone.rounds.reading import Reading, label_choices
from littlestone.streams import Stream
from littlestone.streams.frames import FrameStream, as_frame
from littlestone.streams.instances import listed

OF_TEXTS = ("ngrams", "chars", "bits")
OF_LABELS = ("labels", "declared", "any_labels")
LABEL_COLUMN = ("label", "label_threshold")
OF_FRAMES = (*OF_TEXTS, *COLUMN_KINDS, "cross", "bins", "weight", "id", "expand", "boolean", "sum_duplicates", "names")
OF_FILES = (*OF_FRAMES, "format", "header", "delimiter", "quotes", "encoding")


class PlayedReading(NamedTuple):
    """How the rows of a run were read: what was said of it, by fields of a reading, and the files they came from."""

    choices: dict[str, Any]  # those that are not as usual
    paths: tuple[str, ...] = ()
    in_words: str = ""  # what was made of each column, in one line

    @classmethod
    def of(cls, rounds: Any) -> "PlayedReading":
        """Return how these rounds were read."""
        if rounds.stream is not None:
            return cls(rounds.stream.declared.choices(), rounds.stream.paths, rounds.stream.columns_in_words)
        made = (
            Reading()
            if not rounds.reading
            else Reading.from_json({**rounds.reading, **({} if rounds.rules is None else rounds.rules.as_json())})
        )
        known = (*OF_TEXTS, *COLUMN_KINDS, *OF_LABELS, "expand")
        return cls({name: value for name, value in made.choices().items() if name in known}, in_words=rounds.in_words)

    def own(self, name: str) -> Any:
        """Return a field of the reading, as it was chosen or as it usually is."""
        return self.choices.get(name, USUAL[name])

    def refuse_others(self, options: Mapping[str, Any]) -> None:
        """Refuse choices that are not those of the run."""
        for name, value in options.items():
            own = self.own(name)
            how = f"the run read its rows with {name}={own!r}" if name in self.choices else "the run read its rows without it"
            require(value == own, f"{name}={value!r}: {how}; leave {name} out, as certify reads them likewise")

    def again(self, X: Any, y: Any, options: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
        """Return rows, and choices for `inputs_of`, that read them as the run did; options that contradict it are refused."""
        own = _as_fields(options)
        self.refuse_others(own)
        apart = y is not None and not isinstance(y, str)
        X = as_frame(X)
        if hasattr(X, "__arrow_c_stream__") and not isinstance(X, Stream) and not is_column(X):
            X = FrameStream(X, labelled=not apart)
        left = {name: value for name, value in options.items() if name not in own and name != "labels"}
        if isinstance(X, Stream):
            self._declare(X, labelled=not apart, named="label" in options or y is not None)
            return X, left
        rows = listed(X)
        first = rows[0] if isinstance(rows, Sequence) and len(rows) else None
        known = OF_TEXTS if isinstance(first, str) else (*COLUMN_KINDS, *OF_WORDS) if isinstance(first, Mapping) else ()
        return X, {**left, **self._chosen(known)}

    def expand(self, size: int, X: Any) -> int:
        """Return up to how many features the conjunctions of rows in memory have, where a size of 1 is nothing said."""
        own = self.own("expand")
        if isinstance(X, Stream) or size == own:
            return size
        self.refuse_others({} if size == 1 else {"expand": size})
        return own if isinstance(own, int) else size

    def _declare(self, stream: Stream, *, labelled: bool, named: bool) -> None:
        """Let a stream be read as the run's was. Files that are not the run's stay as opened: their features may be made already."""
        if not isinstance(stream, FrameStream) and stream.paths != self.paths:
            return
        known = OF_FRAMES if isinstance(stream, FrameStream) else OF_FILES
        self.refuse_others({name: value for name, value in stream.declared.choices().items() if name in known})
        known = (*known, *OF_LABELS) if labelled else known
        known = (*known, *(name for name in LABEL_COLUMN if labelled and not (named and name == "label")))
        here = stream.declared.choices()
        stream.declare(**{name: value for name, value in self._chosen(known).items() if name not in here})

    def _chosen(self, names: Sequence[str]) -> dict[str, Any]:
        return {name: value for name, value in self.choices.items() if name in names}

    @property
    def of_memory(self) -> dict[str, Any]:
        """What `play` takes to read rows in memory so."""
        return self._chosen((*OF_TEXTS, *COLUMN_KINDS, "expand")) | ({} if self.labels is None else {"labels": self.labels})

    @property
    def labels(self) -> Any:
        """The labels that were declared, or "any"; None where nothing was said of them."""
        return "any" if self.own("any_labels") else self.own("labels") if self.own("declared") else None

    @property
    def label_rules(self) -> LabelRules | None:
        """Which labels may come, where that was declared."""
        return None if self.labels is None else LabelRules.of(self.choices)


USUAL = {choice.name: getattr(Reading(), choice.name) for choice in fields(Reading)}


def _as_fields(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is said of texts, columns and labels as fields of a reading; columns that are none say nothing."""
    known = {name: value for name, value in options.items() if name in OF_TEXTS and value is not None}
    known |= {name: value for name, value in options.items() if name in COLUMN_KINDS and value}
    made = Reading.of(**known)
    return {name: getattr(made, name) for name in known} | label_choices(options.get("labels"))
