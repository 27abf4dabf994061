"""The verbs of the lab: what can be chosen, a game, a tree, a report. JSON in, JSON out; nothing is kept between two requests."""

from __future__ import annotations

import inspect
import shlex
from typing import Any

from littlestone import learners
from littlestone.api.play import play
from littlestone.concepts.dimension import dimension
from littlestone.concepts.finite import NAMED
from littlestone.concepts.named import CLASSES, named
from littlestone.errors import LittlestoneError, one_line, require
from littlestone.games import adversaries
from littlestone.learners import experts, reductions
from littlestone.report import dimensions as words
from littlestone.report.page.duel import duel_page
from littlestone.report.page.run import RunFacts, run_page
from littlestone.report.timeline import Timeline
from littlestone.rounds.formats import FORMATS
from littlestone.service.lab import games, rows
from littlestone.service.lab.requests import LabRequest, shortened

EFFORT = 2**14  # version spaces a search may meet
DEEPEST_TREE = 10  # that is sent whole
MOST_TABLE = 2**22  # concepts times points


def answer(verb: str, request: Any) -> dict[str, Any]:
    """What the page gets."""
    require(verb in VERBS, f"{shortened(verb)}: expected one of {', '.join(VERBS)}")
    return VERBS[verb](LabRequest(request))


def catalogue(asked: LabRequest) -> dict[str, Any]:
    """Everything that can be chosen, with its settings."""
    return {
        "learners": [_entry(name, learners.factory(name)) for name in learners.names()] + [_entry("panel", reductions.factory("panel"))],
        "rules": [_entry(name, experts.factory(name)) for name in experts.names() if name != "rule_of_rules"],
        "adversaries": [
            {**_entry(name, adversaries.factory(name)), "votes": adversaries.named(name).gives == "votes"} for name in adversaries.names()
        ],
        "classes": list(NAMED),
        "trees": {name: letters + ("r?" if name == "disjunctions" else "") for name, letters in CLASSES.items() if name != "thresholds"},
        "formats": ["auto", *FORMATS],
        "most": {"rounds": games.MOST_ROUNDS, "typed": games.MOST_TYPED, "rows": rows.MOST_ROWS, "bytes": rows.MOST_BYTES},
    }


def _entry(name: str, factory: Any) -> dict[str, Any]:
    """A name, the first line of what is said of it, and its settings."""
    settings = {}
    for key, parameter in inspect.signature(factory).parameters.items():
        if parameter.kind not in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL):
            settings[key] = "" if parameter.default in (None, parameter.empty) else str(parameter.default)
    about = (inspect.getdoc(factory) or inspect.getdoc(inspect.getmodule(factory)) or "").partition("\n\n")[0]
    return {"name": name, "about": " ".join(about.replace("`", "").split()), "settings": settings}


def tree(asked: LabRequest) -> dict[str, Any]:
    """The dimensions of a class, and its tree of mistakes."""
    name = asked.choice("class", list(CLASSES))
    numbers = {key: asked.whole(key, 0 if key == "k" else 1, 64) if asked.value.get(key) is not None else None for key in "nkr"}
    for letter in CLASSES[name]:
        require(numbers[letter] is not None, f"{letter}: {name} needs it; expected a whole number")
    of = named(name, numbers["n"], numbers["k"], numbers["r"], False, False)
    size, points = of.concepts.size or 0, 2**64 if of.concepts.domain == "cube" and of.concepts.n > 24 else of.concepts.points
    require(
        size * points <= MOST_TABLE,
        f"{of.name} is too large to be searched here: its concepts times its points are more than {MOST_TABLE:,}; choose a smaller n",
    )
    measured = dimension(of.concepts, effort=EFFORT, partial=True)
    depth = measured.littlestone
    if depth is None or measured.tree is None:
        raise LittlestoneError(f"{of.name} is too large to be searched here: {one_line('; '.join(measured.unsettled.values()))}")
    require(
        depth <= DEEPEST_TREE, f"{of.name}: its tree has {depth} levels; in the lab at most {DEEPEST_TREE} are shown: choose a smaller n"
    )
    table = [[title, words.value_of(getattr(measured, key)), meaning] for key, (title, meaning) in words.MEANING.items()]
    shown = {key: value for key, value in words.as_json(measured, of).items() if key in ("class", "size", "points", "littlestone", "tree")}
    return {**shown, "written": of.written, "table": table}


def report(asked: LabRequest) -> dict[str, Any]:
    """The report of each game, as one page of HTML."""
    link = asked.text("link", 8000, "")
    with games.opened(asked) as table:
        pages = []
        for game in games.played(asked, table):
            require(game.duel.rounds, "no round was played yet")
            if table.rows is not None:
                html = _of_rows(game, table)
            else:
                command = ["duel", game.text, asked.part("against").value["name"]] if not table.foe.own else ["lab", link or "LINK"]
                html = duel_page(game.duel, shlex.join(["littlestone", *command])).html()
            pages.append({"name": f"{game.duel.game.player.name}.html", "html": html})
        return {"pages": pages}


def _of_rows(game: games.LearnerGame, table: games.GameTable) -> str:
    """The page that `littlestone run --report` writes, for rows of the user's own."""
    assert table.rows is not None
    timeline, stream = Timeline(lambda run: run.bounds()), table.rows.stream
    run = play(game.run.learner, stream, observers=[timeline], ledger=True)
    certificate, name = game.certificate, table.rows.name
    facts = RunFacts(
        run,
        run.bounds() if certificate is None else certificate.bounds,
        timeline,
        command=shlex.join(["littlestone", "run", name, "--learner", game.text]),
        labels=table.labels,
        model=run.model,
        format=stream.reading.format,
        uncertified="the lab writes none; `littlestone run --certificate` does",
        streams={"stream": name},
    )
    return run_page(facts).html()


VERBS = {"catalogue": catalogue, "play": games.answered, "tree": tree, "report": report}
