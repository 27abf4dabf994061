"""The stream that a frozen model was tried on, as the certificate of its error states it."""

import hashlib
from dataclasses import replace
from typing import Any

import numpy as np

from littlestone.api.certify_classes import HEADER, plain
from littlestone.api.sources import Rounds
from littlestone.errors import require
from littlestone.models.file import bytes_of
from littlestone.protocol import Block
from littlestone.rounds.digest import kind_of
from littlestone.rounds.reading import ROW_VERSION
from littlestone.theory.certificate import stated_settings
from littlestone.witnesses.stream_digest import Digest


class TestedStream:
    """Takes the blocks as they are played, and the rows on which the model erred; rows are counted from 1."""

    __test__ = False  # for pytest: its name begins with Test

    def __init__(self, rounds: Rounds, *, boolean: bool) -> None:
        self.rounds = rounds
        self.boolean = boolean or (rounds.stream is not None and rounds.stream.boolean)
        self.rows = 0
        self.wrong: list[int] = []
        self.codes: list[np.ndarray] = []
        self.weighted = False
        self.digest: Digest | None = None

    def add(self, block: Block, wrong: np.ndarray) -> None:
        """A block, and which of its rows were mistakes."""
        if self.digest is None:
            stream, self.weighted = self.rounds.stream, block.weights is not None
            names = self.rounds.features if stream is None else stream.names
            self.digest = Digest(names, weighted=self.weighted, boolean=self.boolean, segment=False)
        require(self.weighted or block.weights is None, f"rounds have weights from row {self.rows + 1} on, and none before")
        if self.rounds.classes is not None:
            self.codes.append(block.labels.astype("<i4"))
            block = replace(block, labels=np.full(len(block), -1, np.int32))
        self.digest.add(block)
        self.wrong += (np.flatnonzero(wrong) + self.rows + 1).tolist()
        self.rows += len(block)

    def stated(self) -> dict[str, Any]:
        """What the certificate says of the stream."""
        stream, classes = self.rounds.stream, self.rounds.classes
        digest = (self.digest or Digest(None, weighted=False, boolean=self.boolean, segment=False)).text()
        labels = self.rounds.stated_labels()
        if classes is not None:
            digest = kind_of(digest) + hashlib.sha256(HEADER + digest.encode() + b"".join(map(np.ndarray.tobytes, self.codes))).hexdigest()
            labels = [plain(label) for label in classes]
        how = None if stream is None or not stream.reading.settled else stream.reading.stated()
        reading = self.rounds.reading or self.rounds.of_dicts if stream is None else how
        return {
            "digest": digest,
            "rows": [1, self.rows],
            "boolean": self.boolean,
            "weighted": self.weighted,
            "several": classes is not None,
            "labels": labels,
            **({"row_version": ROW_VERSION} if self.rounds.sorts else {}),
        } | ({} if reading is None else {"reading": reading})


def digest_of(model: Any) -> str:
    """The SHA-256 of the file that the model would be saved in."""
    return "sha256:" + hashlib.sha256(bytes_of(model)).hexdigest()


def stated_learner(learner: Any) -> dict[str, Any]:
    """The learner as a certificate writes it, with the file it stands in where it is a user's own."""
    own = {} if learner.family.own is None else {"file": dict(learner.family.own), "updates_on": learner.family.updates_on}
    return {"name": learner.name, "settings": stated_settings(learner), **own}
