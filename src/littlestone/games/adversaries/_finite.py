"""What adversaries over a finite class share: its points as instances, and the concepts that agree with a stream."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from littlestone.concepts.classes import ConceptClass, present
from littlestone.concepts.dimension import Dimensions
from littlestone.errors import require
from littlestone.games.adversaries._game import Adversary
from littlestone.protocol.players import Instance


@dataclass(frozen=True, repr=False)
class ClassAdversary(Adversary):
    """An adversary whose labels are those of a concept of a finite class. A set of its concepts is a number: bit c stands for concept c."""

    concepts: ConceptClass

    @property
    def n(self) -> int:  # type: ignore[override]
        return self.concepts.n

    @cached_property
    def dimensions(self) -> Dimensions:
        return Dimensions(self.concepts)

    def instance(self, point: int) -> Instance:
        return dict.fromkeys(self.concepts.row(point), 1)

    def living(self, stream: Sequence[tuple[Instance, bool]]) -> int:
        """The concepts that give every label of the stream."""
        V = self.dimensions.all
        for x, y in stream:
            assert isinstance(x, Mapping)
            features = present(x)
            point = sum(1 << i for i in features) if self.concepts.domain == "cube" else min(features)
            V &= self.dimensions.ones[point] if y else ~self.dimensions.ones[point]
        return V

    def evenest(self, V: int) -> list[int]:
        """The points on which these concepts differ, those that divide them most evenly first."""
        shares = [(min((V & ones).bit_count(), (V & ~ones).bit_count()), point) for point, ones in enumerate(self.dimensions.ones)]
        return [point for share, point in sorted(shares, key=lambda pair: (-pair[0], pair[1])) if share]

    def witness(self, stream: Sequence[tuple[Instance, bool]]) -> Any:
        V = self.living(stream)
        require(V, f"no concept of {self.concepts!r} gives these labels: this adversary did not make them")
        return self.concepts.concept((V & -V).bit_length() - 1)
