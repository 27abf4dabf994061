"""One algorithm, one file: `binary`, `multiclass`, over `experts`, and `reductions`, which make learners of learners."""

from littlestone.learners.binary import described, factory, named, names, text_of

__all__ = ["described", "factory", "named", "names", "text_of"]
