"""The table of docs/theory: every item of the five documents has an entry, and the entry runs; every page is linked and has its figure."""

import math
import re
import shlex
import types
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


# ---- what the entries compare with would notice a wrong implementation ----


def entry_of(document, place):
    """The expressions of an entry of the table."""
    cells = next(cells for who, _, cells in ROWS if who.split()[0] == document and cells[0] == place)
    return re.findall(r"`([^`]+)`", cells[4])


def wrongly(replaced):
    """What an entry sees where something of the library is another thing: a name, and what is there instead."""
    name, other = replaced
    library = types.SimpleNamespace(**{key: getattr(ls, key) for key in dir(ls) if not key.startswith("__")} | {name: other})
    return {**SCOPE, "ls": library}


class NeverLearns:
    """A conversion that hands over the first hypothesis, after as many examples as were allowed."""

    examples, reached = 1, True

    def __init__(self, learner):
        self.hypothesis = ls.players.player(learner)


WRONG = [
    ("Wisconsin", "24.5, costs not learnt", ("exp3", lambda **how: ls.hedge(advice="loss", seed=how.get("seed", 0)))),  # hears all costs
    ("Wisconsin", "24.5, costs not learnt", ("exp3", lambda **how: ls.exp3(eta=1e-6, advice="loss", seed=how.get("seed", 0)))),
    ("Wisconsin", "24.5, experts not available", ("specialists", lambda **how: ls.specialists(eta=1e-3))),  # learns too little
    ("Vempala", "§2.2, M_T and m_T", ("play", lambda rule, votes, truths: types.SimpleNamespace(mistakes=0, losses=[0.0]))),
    ("Vempala", "§2.2, M_T and m_T", ("play", lambda rule, votes, truths: ls.play(rule, votes, [1 - y for y in truths]))),
    ("Kanade", "§4, GLM comparison", ("perceptron", lambda **how: ls.passive_aggressive(bias=0))),
    ("Kanade", "§4, GLM comparison", ("perceptron", lambda **how: ls.perceptron(bias=0, margin=3))),  # steps where nothing is lost
    ("Blum", "Theorem 5.11", ("perceptron", lambda **how: ls.passive_aggressive(C="1/100", bias=0))),
    ("Blum", "Equation 5.1", ("disjunctions", lambda **how: ls.memorizer())),
    ("Blum", "Theorem 5.12", ("random_stopping", lambda learner, examples, **how: NeverLearns(learner))),
    ("Kanade", "§4, PAC separation", ("controlled_testing", lambda learner, examples, **how: NeverLearns(learner))),
    ("Kanade", "Definition 2", ("winnow", lambda **how: ls.halving(ls.concepts.disjunctions(3)))),
]


@pytest.mark.parametrize(("document", "place", "replaced"), WRONG, ids=lambda value: value if isinstance(value, str) else value[0])
def test_an_entry_fails_where_the_implementation_is_wrong(document, place, replaced):
    wrong = wrongly(replaced)
    assert not all(eval(text, wrong) is True for text in entry_of(document, place) if not text.startswith("littlestone "))


def test_a_halfspace_that_is_scaled_wrongly_is_another():
    (text,) = entry_of("Vempala", "§1.3, step 1")
    notes = SCOPE["notes"]
    for change in (
        lambda u, b, rows: (u[::-1], b, rows),
        lambda u, b, rows: (u, b + 1, rows),
        lambda u, b, rows: (u, b, [[2 * x for x in row] for row in rows]),
    ):
        wrong = types.SimpleNamespace(**vars(notes))
        wrong.scaled = lambda *of, change=change: change(*notes.scaled(*of))
        assert eval(text, {**SCOPE, "notes": wrong}) is not True


def test_formulas_of_another_size_are_noticed():
    for document, place, module, name, other in (
        ("Vempala", "§1.3, general bound", "balanced_winnow", "margin", lambda n, eta, X, gamma, U=1: Fraction(1, 10)),
        ("Wisconsin", "Definition 24.1.1", "conjunctions", "conjunction", lambda n: n),
        ("Blum", "Theorem 5.11, proof", "perceptron", "hinge", lambda K, L: K + L),
        ("Blum", "Equation 5.1", "disjunctions", "disjunction", lambda n, r: 0),
    ):
        theory = types.SimpleNamespace(**vars(ls.theory))
        setattr(theory, module, types.SimpleNamespace(**vars(getattr(ls.theory, module)) | {name: other}))
        assert not all(eval(text, {**SCOPE, "theory": theory}) is True for text in entry_of(document, place)), (document, place)


def test_the_chance_that_a_wrong_concept_survives_is_counted_rightly():
    """Against all samples, one by one; and never above the sum over the concepts."""
    notes = SCOPE["notes"]
    concepts = [notes.cube(2, *some) for some in ((), (0,), (1,), (0, 1))]
    for m, epsilon in product((1, 2, 3), (Fraction(0), Fraction(1, 4), Fraction(1, 2))):
        bad = [c for c in concepts if sum(c[x] != concepts[1][x] for x in c) > 4 * epsilon]
        fooled = sum(any(all(c[x] == concepts[1][x] for x in sample) for c in bad) for sample in product(concepts[1], repeat=m))
        assert notes.survivors(concepts, 1, m, epsilon) == Fraction(fooled, 4**m) <= len(concepts) * (1 - epsilon) ** m
