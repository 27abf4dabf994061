"""The lab: games to look at, round by round. The page asks for them, and what is asked can be written as a link.

What is here needs no learner to be imported: the process that listens stays small and is there at once.
"""

from importlib.resources import files
from typing import Any

VERBS = ("catalogue", "play", "tree", "report")


def answer(verb: str, request: Any) -> dict[str, Any]:
    """What the page gets; to be called in a process of its own."""
    from littlestone.service.lab import verbs

    return verbs.answer(verb, request)


def page() -> str:
    """The page, as it is served."""
    return files(__name__).joinpath("page.html").read_text("utf-8")
