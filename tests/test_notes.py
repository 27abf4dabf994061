"""The table of docs/theory: every item of the five documents has an entry, and the entry runs; every page is linked and has its figure."""

import math
import re
import shlex
from fractions import Fraction
from importlib import import_module
from itertools import product
from pathlib import Path

import pytest
from PIL import Image
from typer.testing import CliRunner

import littlestone as ls
from littlestone import cli

FOLDER = Path(__file__).parents[1] / "docs" / "theory"
TABLE = (FOLDER / "README.md").read_text("utf-8")
PAGES = sorted(page.name for page in FOLDER.glob("*.md") if page.name != "README.md")
SCOPE = {
    "ls": ls,
    "theory": ls.theory,
    "games": import_module("littlestone.checks.games"),
    "notes": import_module("littlestone.checks.notes"),
    "dimension": import_module("littlestone.concepts.dimension"),
    "meet": ls.adversaries.meet,
    "F": Fraction,
    **{name: getattr(math, name) for name in ("ceil", "comb", "exp", "hypot", "isclose", "log", "log2", "pi", "sqrt")},
}


def rows():
    """(document, cells) of every row of the table."""
    document = ""
    for line in TABLE.splitlines():
        if line.startswith("## "):
            document = line[3:].partition(",")[0]
        elif line.startswith("| ") and document and not line.startswith(("| ---", "| place")):
            yield document, [cell.strip() for cell in line.strip().strip("|").split(" | ")]


ROWS = [(document, number, cells) for number, (document, cells) in enumerate(rows(), 1)]


def named(row):
    document, number, cells = row
    return re.sub(r"[^A-Za-z0-9.]+", "-", f"{number}-{document}-{cells[0]}").strip("-")


def example_rows():
    """500 rows of six variables; the label is the OR of the second and the fourth."""
    ex = ls.oracles.EX(ls.concepts.disjunctions(6).of({1, 3}), n=6, seed=1)
    return [f"{int(y)} {' '.join(f'{i}:1' for i in sorted(x))}\n" for x, y in ex.draw(500)]


@pytest.mark.parametrize("row", ROWS, ids=named)
def test_entry(row, tmp_path, monkeypatch):
    _, _, cells = row
    assert len(cells) == 5 and not any("|" in cell for cell in cells), "place, what it says, does it stand, page, entry"
    place, says, stands, page, entry = cells
    assert place and says and stands
    assert re.fullmatch(r"\[[^]]+\]\(([a-z_0-9]+\.md)\)", page) and page.partition("(")[2][:-1] in PAGES
    entries = re.findall(r"`([^`]+)`", entry)
    assert entries, "an entry is in backticks"
    monkeypatch.chdir(tmp_path)
    if "rows.libsvm" in entry:
        Path("rows.libsvm").write_text("".join(example_rows()))
    for text in entries:
        if text.startswith("littlestone "):
            result = CliRunner().invoke(cli.app, shlex.split(text)[1:])
            assert result.exit_code == 0, f"{text}: {result.output}"
        else:
            assert eval(text, dict(SCOPE)) is True, text


#: What carries a name or a number in the documents; the rest of the table is what they say between.
LABELLED = {
    "Kanade": "Algorithm 1, Algorithm 2, Algorithm 3, Algorithm 4, Theorem 1, Theorem 4, Theorem 8, Theorem 9, Theorem 12, Definition 2,"
    "Proposition 3, Proposition 6, Proposition 7, Remark 5, Lemma 10, Lemma 11, Claim 13, Claim 14, Claim 15, Exercise after Theorem 1,"
    "Dictators, Binary search, Sheet 6",
    "UIC": "Algorithm 1.1, Algorithm 2.1, Theorem 1.1, Theorem 1.2, Assumption 1, Remark 1",
    "Vempala": "Algorithm 1, Algorithm 2, Algorithm 3, Algorithm 4, Theorem 1, Theorem 2, Theorem 3, Theorem 4, Theorem 5, Corollary 6",
    "Blum": "§5.8.1, §5.8.2, §5.8.3, §5.8.4, §5.9, Theorem 5.10, Theorem 5.11, Theorem 5.12, Footnote 21, Equation 5.1, Conversion 1,"
    "Conversion 2",
    "Wisconsin": "Definition 24.1.1, Definition 24.6.1, Lemma 24.4.1, Lemma 24.4.2, 24.1, 24.2, 24.3, 24.4, 24.5, 24.6",
}


def test_nothing_labelled_is_missing():
    for document, labels in LABELLED.items():
        places = [cells[0] for who, _, cells in ROWS if who.split()[0] == document]
        for label in labels.split(","):
            assert any(re.match(re.escape(label.strip()) + r"(?![.0-9])", place) for place in places), (document, label)


def test_every_page_is_linked():
    assert sorted(set(re.findall(r"\]\(([a-z_0-9]+\.md)\)", TABLE))) == PAGES


@pytest.mark.parametrize("page", PAGES)
def test_every_page_has_its_parts(page):
    text = (FOLDER / page).read_text("utf-8")
    for part in ("## What the sources say", "## Proof", "## As code", ">>> ", "![", "ls."):
        assert part in text
    shown = re.findall(r"!\[[^]]+\]\(figures/([a-z_0-9]+)\.png\)", text)
    assert page.removesuffix(".md") in shown
    for name in shown:
        assert 1_000 < (FOLDER / "figures" / f"{name}.png").stat().st_size < 60_000


def test_figures_are_what_the_code_draws(tmp_path):
    """One is drawn anew; its numbers, which a PNG keeps, are those of the figure shown."""
    figures = import_module("figures")
    shown = {png.stem: png for png in (FOLDER / "figures").glob("*.png")}
    assert set(shown) == set(figures.FIGURES)
    drawn = figures.FIGURES["dictators"]()
    figures.draw(drawn, tmp_path / "dictators.png")
    numbers = [Image.open(png).text["Description"] for png in (tmp_path / "dictators.png", shown["dictators"])]
    assert numbers[0] == numbers[1] == figures.described(drawn)


@pytest.mark.parametrize("n, m, mistakes", [(2, 1, 3), (3, 0, 2)])
def test_the_search_for_majorities_agrees_with_play(n, m, mistakes):
    """Every sequence of mistakes of the rule itself, over n experts, the best of whom errs m times at most."""

    def most(player, errors):
        found = 0
        for votes in product((0, 1), repeat=n):
            y = not player.predict(list(votes))
            wrong = [e + (bool(v) != y) for e, v in zip(errors, votes, strict=True)]
            if min(wrong) <= m:
                after = player.copy()
                after.update(list(votes), y)
                found = max(found, 1 + most(after, wrong))
        return found

    assert most(ls.players.player(ls.weighted_majority(n=n)), [0] * n) == SCOPE["notes"].majority(n, m) == mistakes


def test_the_search_for_hinge_losses_agrees_with_play():
    """Every stream of three rounds of these points, with any labels."""
    points, u = [(1, 0), (0, 1), (-1, 1)], (1, Fraction(1, 2))
    least = [math.inf] * 4
    for T in range(4):
        for stream in product(product(points, (False, True)), repeat=T):
            w, L = (0, 0), Fraction(0)
            for x, y in stream:
                dot = SCOPE["games"].dot
                if (dot(w, x) >= 0) == y:
                    break
                L += max(Fraction(0), 1 - (1 if y else -1) * dot(u, x))
                w = SCOPE["games"].moved(w, x, y)
            else:
                least[T] = min(least[T], L)
    assert least == SCOPE["notes"].least_hinge(points, u, 3)


def test_steps_are_those_of_play():
    """State by state, for a learner of features (a list or a mapping) and a rule over experts."""
    notes = SCOPE["notes"]
    X, y = [[1, 1, 0], [0, 0, 1], [1, 0, 1], [0, 1, 1]] * 3, [1, 0, 0, 1] * 3
    for learner in (ls.winnow(n=3), ls.perceptron(bias=0), ls.halving(ls.concepts.k_of_r(3, 1, 2))):
        X_, y_ = (X, y) if learner.name != "halving" else ([[1, 1, 0], [0, 0, 1], [1, 0, 0]] * 2, [1, 0, 1] * 2)
        steps = notes.steps(learner, zip(X_, y_, strict=True))
        run = ls.play(learner, X_, y_)
        assert [step.predicted for step in steps] == run.predictions.tolist()
        assert len(notes.mistakes(learner, zip(X_, y_, strict=True))) == run.mistakes
        for t, step in enumerate(steps, 1):
            state = learner.grown(there, 3) if learner.room_of(there := ls.play(learner, X_[:t], y_[:t]).state) < 3 else there
            assert all((a == b).all() for a, b in zip(step.after, state, strict=True))
            assert t == 1 or step.before is steps[t - 2].after
    rule, stream = ls.randomized_weighted_majority(n=3, epsilon=0.5), notes.votes(3, 20)
    states = [step.after for step in notes.steps(rule, stream)]
    played = [ls.play(rule, [x for x, _ in stream[:t]], [y for _, y in stream[:t]]).state for t in range(1, 21)]
    assert all((a == b).all() for one, other in zip(states, played, strict=True) for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize("n, r, alpha, k", [(4, 1, 2, 1), (5, 2, 2, 1), (4, 3, Fraction(3, 2), 2)])
def test_the_search_for_sums_agrees_with_the_search_for_counts(n, r, alpha, k):
    """And a sum of other weights is met by walking every line of play."""
    notes, games = SCOPE["notes"], SCOPE["games"]
    game = games.WinnowGame(n, r, alpha, k=k)
    for weights, counts in (((1, 1), "mistakes"), ((1, 0), "promotions"), ((0, 1), "demotions")):
        assert notes.most(game, *weights) == games.worst_case(game, counts)
    seen, found = {(game.start, 0)}, 0
    edge = list(seen)
    while edge:
        state, total = edge.pop()
        found = max(found, total)
        promoted, demoted = game.after(state)
        fresh = {(s, total + 2) for s in promoted} | {(s, total - 1) for s in demoted}
        edge += fresh - seen
        seen |= fresh
    assert notes.most(game, 2, -1) == found


#: The documents have these too, without a name or number of their own.
STEPS = {
    "Vempala": "Theorem 2, proof: a positive mistake; Theorem 2, proof: a negative mistake; Theorem 5, proof: best expert;"
    "Theorem 5, proof: logarithm; Corollary 6, proof: choice",
    "UIC": "§3.1 and §3.2, when; §3.1, w = 2^ℓ",
    "Wisconsin": "24.2, total weight; 24.4, between the lemmas",
}


def test_no_step_of_a_proof_is_missing():
    for document, places in STEPS.items():
        there = [cells[0] for who, _, cells in ROWS if who.split()[0] == document]
        assert [place for place in places.split(";") if place.strip() not in there] == []


def test_every_entry_runs_the_library():
    """An expression that names nothing of the library is true or false whatever the library does."""
    for _, _, cells in ROWS:
        for text in re.findall(r"`([^`]+)`", cells[4]):
            assert re.search(r"\b(ls|theory|games|notes|dimension|meet)\b|^littlestone ", text), (cells[0], text)
