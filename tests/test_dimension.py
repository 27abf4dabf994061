"""Dimensions of finite classes: against their definitions, known values, what they owe each other, and the command."""

import json
import re
from fractions import Fraction
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import littlestone as ls
from littlestone import concepts
from littlestone.cli import app
from littlestone.concepts import version_spaces
from littlestone.concepts.dimension import Dimensions, Split, Unsettled, dimension
from searches import concept_classes
from searches import dimensions as definition

PAGE = Path(__file__).parents[1] / "docs" / "command_line.md"


def values(found):
    return found.vc, found.littlestone, found.randomized, found.threshold, found.halving


def agrees(rows, tree, depth):
    """Every path of the tree is that deep, and ends in a concept that agrees with it."""

    def below(node, path):
        if isinstance(node, int):
            return len(path) == depth and all(rows[node][x] == y for x, y in path)
        return below(node.zero, [*path, (node.point, 0)]) and below(node.one, [*path, (node.point, 1)])

    return below(tree, [])


def measured_both_ways(rows, monkeypatch):
    """By sweeps, and by searches; both must find the same tree and the same points."""
    swept = dimension(rows)
    with monkeypatch.context() as patch:
        patch.setattr(version_spaces, "MOST_SWEPT", -1)
        assert dimension(rows) == swept, rows
    return swept


def is_right(rows, found):
    rows = [tuple(map(int, row)) for row in rows]
    named = ("vc", "littlestone", "randomised", "threshold", "halving")
    assert values(found) == tuple(getattr(definition, name)(rows) for name in named), rows
    assert agrees(rows, found.tree, found.littlestone)
    assert len(found.shattered) == found.vc and len({tuple(row[x] for x in found.shattered) for row in rows}) == 2**found.vc
    assert found.vc <= found.littlestone <= found.halving <= found.size.bit_length() - 1
    assert found.littlestone / 2 <= found.randomized <= found.littlestone
    assert found.threshold < 2 ** (found.littlestone + 1) and 2 ** (found.threshold + 1) > found.littlestone


def test_every_class_on_three_points(monkeypatch):
    functions = list(product((0, 1), repeat=3))
    for chosen in range(1, 256):
        rows = [f for c, f in enumerate(functions) if chosen >> c & 1]
        is_right(rows, dimension(rows) if chosen % 4 else measured_both_ways(rows, monkeypatch))


@pytest.mark.parametrize("seed", range(40))
def test_random_classes_by_their_definitions(seed, monkeypatch):
    """With equal concepts, and points that say the opposite of others, which halving's ties and thresholds tell apart."""
    rng = np.random.default_rng(seed)
    rows = rng.random((rng.integers(1, 25), rng.integers(1, 7))) < rng.choice([0.2, 0.5, 0.8])
    if seed % 2:
        rows = np.concatenate((rows, ~rows[:, :1], rows[:, :1] | True), axis=1)[:, :6]
    is_right(rows, measured_both_ways(rows, monkeypatch))


def test_exact_values_of_conjunctions():
    known = {1: (4, 2, 2, "1"), 2: (10, 2, 3, "13/8"), 3: (28, 3, 4, "577/256"), 4: (82, 4, 5, "186383/65536")}
    for n, expected in known.items():
        found = dimension(concepts.conjunctions(n, contradictory=True))
        assert (found.size, found.vc, found.littlestone, str(found.randomized)) == expected
        assert found.halving == found.littlestone and found.threshold == n + 1 if n > 1 else True
    assert [str(dimension(concepts.conjunctions(n)).randomized) for n in (2, 3)] == ["25/16", "9/4"]


def test_a_search_with_much_to_remember_finds_what_a_sweep_finds(monkeypatch):
    """44,000 version spaces: the memo grows four times."""
    monkeypatch.setattr(version_spaces, "MOST_SWEPT", 0)
    spaces = version_spaces.VersionSpaces(concepts.conjunctions(4, contradictory=True))
    assert (spaces.vc()[0], spaces.littlestone(), spaces.halving(), spaces.threshold()) == (4, 5, 5, 5)
    assert spaces.randomised() == Fraction(186383, 65536)


def test_exact_values_of_the_other_classes():
    for n in (1, 2, 4, 8):
        for C, chain in ((concepts.disjunctions(n), n), (concepts.conjunctions(n, monotone=True), n + 1)):
            assert values(dimension(C)) == (n, n, Fraction(n, 2), chain, n)
    for n in (1, 2, 3, 7):
        assert values(dimension(concepts.half_intervals(2**n, empty=False))) == (1, n, Fraction(n, 2), 2**n, n)
    for n in (2, 3, 5, 10):
        found = dimension(concepts.dictators(n))
        floor = n.bit_length() - 1
        assert (found.vc, found.littlestone, found.threshold, found.halving) == (floor, floor, n, floor)
    for n in (3, 5, 20, 70):  # the exact value needs n - 1 bits
        assert values(dimension(np.eye(n))) == (1, 1, 1 - Fraction(1, 2 ** (n - 1)), 1, 1)
    assert values(dimension(concept_classes.OUTDONE))[1::3] == (2, 3)  # halving may err once more than need be


def test_a_single_concept_and_one_listed_twice():
    one = dimension([[0, 1, 1]])
    assert values(one) == (0, 0, 0, 1, 0) and one.tree == 0 and one.shattered == ()
    twice = dimension([[0, 1], [1, 1], [0, 1]])
    assert (twice.size, twice.listed, twice.littlestone, twice.tree) == (2, 3, 1, Split(0, 0, 1))
    assert dimension([[0, 0]]).threshold == 0 and dimension([[0], [1]]).halving == 1


def test_all_concepts_on_nine_points_and_half_of_them():
    every = np.arange(2**9)[:, None] >> np.arange(9) & 1
    assert values(dimension(every)) == (9, 9, Fraction(9, 2), 9, 9)
    even = dimension(every[every.sum(axis=1) % 2 == 0])
    assert (even.vc, even.littlestone, even.halving, even.randomized) == (8, 8, 8, 4)


def test_many_equal_and_opposite_points_are_few():
    rng = np.random.default_rng(1)
    rows = rng.random((30, 5)) < 0.5
    wide = np.concatenate((rows, rows, ~rows, rows ^ True, rows[:, :2]), axis=1)
    a, b = dimension(rows), dimension(wide)
    assert (a.vc, a.littlestone, a.randomized, a.shattered, a.tree) == (b.vc, b.littlestone, b.randomized, b.shattered, b.tree)


def test_the_dimension_of_version_spaces_is_that_of_their_concepts():
    """Plain Python where the class is small, else compiled; equal concepts among them."""
    rng = np.random.default_rng(2)
    for rows in (rng.random((20, 5)) < 0.5, np.repeat(rng.random((45, 20)) < 0.5, 2, axis=0)):
        spaces = Dimensions(rows)
        for _ in range(12):
            chosen = rng.random(len(rows)) < rng.choice([0.1, 0.2])
            V = sum(1 << int(c) for c in np.flatnonzero(chosen))
            assert spaces.littlestone(V) == (definition.littlestone(map(tuple, rows[chosen].tolist())) if chosen.any() else -1)


def test_effort_is_limited():
    C = concepts.conjunctions(5, contradictory=True)
    with pytest.raises(
        Unsettled, match=r"the randomised dimension of .* \(at least 3, at most 3.94922\) is not settled within 1,500 version"
    ):
        dimension(C, effort=1500)
    found = dimension(C, effort=1500, partial=True)
    assert (found.vc, found.littlestone, found.randomized) == (5, 6, None) and agrees(classes_rows(C), found.tree, 6)
    assert found.unsettled.keys() == {"randomized", "threshold"} and found.halving == 6
    assert "(at least 6, at most 32)" in found.unsettled["threshold"]
    with pytest.raises(ls.LittlestoneError, match="effort=0"):
        dimension(C, effort=0)
    with pytest.raises(ls.LittlestoneError, match="concepts times points"):
        dimension(concepts.disjunctions(20))


def classes_rows(C):
    return [[int(concept(C.row(point))) for point in range(C.points)] for concept in C]


# ------------------------------------------------------------------------------------------------ the command


def said(*arguments, text=None):
    result = CliRunner().invoke(app, ["dimension", *map(str, arguments)], input=text)
    return str(result.exception) if isinstance(result.exception, ls.LittlestoneError) else result.stdout


def told(*arguments, **options):
    return json.loads(said(*arguments, "--json", **options))


def test_the_command_on_named_classes():
    found = told("conjunctions", "--n", 3)
    assert (found["size"], found["vc"], found["littlestone"], found["randomized"]) == (28, 3, 4, "577/256")
    assert (found["threshold"], found["halving"], found["randomized_float"], len(found["shattered"])) == (4, 4, 577 / 256, 3)
    assert told("conjunctions", "--n", 3, "--satisfiable")["size"] == 27
    section = PAGE.read_text("utf-8").partition("### Keys of `dimension --json`\n")[2].split("\n#")[0]
    documented = {k for line in section.splitlines() if line.startswith("| `") for k in re.findall(r"`([^`]+)`", line.split("|")[1])}
    assert documented == found.keys()
    line = told("half_intervals", "--n", 2)
    assert line["tree"] == {
        "point": "1",
        "0": {"point": "2", "0": "x ≥ 3", "1": "x ≥ 2"},
        "1": {"point": "0", "0": "x ≥ 1", "1": "x ≥ 0"},
    }
    assert line | {"class": ""} == told("thresholds", "--n", 2) | {"class": ""}
    assert told("dictators", "--n", 4, "--unit-vectors") == told("dictators_on_unit_vectors", "--n", 4)
    assert told("k_of_r", "--n", 4, "--k", 2, "--r", 3)["size"] == told("disjunctions", "--n", 4, "--r", 3)["size"] == 4
    assert told("monotone_conjunctions", "--n", 2)["tree"]["point"] == "10"


def test_the_command_in_words(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    short, whole = said("conjunctions", "--n", 3), said("conjunctions", "--n", 3, "--tree")
    assert "28 concepts on 8 points, written x0x1x2." in short and "577/256 ≈ 2.2539" in short
    assert all(len(line) <= 80 for line in short.splitlines())
    assert "--tree draws all 16 leaves" in short and short.count("...") == 8
    assert "..." not in whole and whole.count("─0─") == 15
    assert whole.splitlines()[-1].endswith("└─1─ 1")


def test_a_class_in_a_file(tmp_path):
    for text in (
        "0011\n0111\n\n1111\n0001",
        "0 0 1 1\r\n0 1 1 1\r\n1 1 1 1\r\n0 0 0 1\r\n",
        "a,b,c,d\n0,0,1,1\n0,1,1,1\n1,1,1,1\n0,0,0,1\n",
    ):
        path = tmp_path / "class.csv"
        path.write_bytes(text.encode())
        found = told(path)
        assert (found["size"], found["points"], found["littlestone"], found["threshold"]) == (4, 4, 2, 4)
        assert found["tree"]["point"] == ("b" if text.startswith("a") else "1") and found["tree"]["1"]["1"].startswith("line ")
    assert told("-", text="01\n01\n10\n")["listed"] == 3
    assert "Of the 3 concepts listed 1 equals an earlier one" in said("-", text="01\n01\n10\n")


@pytest.mark.parametrize(
    ("arguments", "text", "message"),
    [
        (["-"], "01\n0a\n", "-, line 2, column 2: found 'a', expected 0 or 1"),
        (["-"], "01\n0,,\n", "-, line 2, column 3: found an empty cell, expected 0 or 1"),
        (["-"], "0,1\n0, 2\n", "-, line 2, column 4: found '2', expected 0 or 1"),
        (["-"], "01\n\n011\n", "-, line 3, column 4: found a line of 3 labels, expected 2, as line 1 has"),
        (["-"], "a,b,a\n0,1,0\n", "-, line 1, column 5: found 'a' twice, expected a line of 0s and 1s, or a different name"),
        (["-"], "a,b\n", "-, line 2, column 1: found the end of the file"),
        (["-"], "", "-, line 1, column 1: found the end of the file"),
        (["nothing.txt"], "", "nothing.txt: no such file, and no class of that name; expected a file or one of conjunctions, "),
        (["."], "", ".: cannot be read"),
        (["conjunctions"], "", "conjunctions needs --n, such as --n 4"),
        (["k_of_r", "--n", "4", "--r", "2"], "", "k_of_r needs --k"),
        (["dictators", "--n", "4", "--k", "2"], "", "--k 2: dictators takes no such number"),
        (["dictators", "--n", "4", "--satisfiable"], "", "--satisfiable is for conjunctions"),
        (["disjunctions", "--n", "4", "--unit-vectors"], "", "--unit-vectors is for dictators"),
        (["disjunctions", "--n", "99"], "", "--n 99: expected a number from 1 to 64"),
        (["disjunctions", "--n", "20"], "", "concepts times points"),
        (["-", "--n", "3"], "01\n", "or a file, which takes no --n"),
        (["conjuctions", "--n", "3"], "", "conjuctions: no class of that name (did you mean conjunctions?)"),
        (["-"], "0,1,O\n1,1,0\n", "-, line 1, column 5: found 'O', expected 0 or 1"),
        (["-"], "# a class\n01O1\n", "-, line 2, column 3: found 'O1', expected 0 or 1"),
        (["-"], "+-+-\n0101\n", "-, line 2, column 5: found a line of 4 labels, expected 1, as line 1 names so many points"),
        (["dictators", "--n", "3", "--effort", "0"], "", "--effort 0"),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, list) else "",
)
def test_what_the_command_refuses(arguments, text, message):
    assert message in said(*arguments, text=text)


def test_what_is_not_settled_is_an_error_after_the_rest():
    result = CliRunner().invoke(app, ["dimension", "conjunctions", "--n", "5", "--effort", "1500", "--json"])
    assert isinstance(result.exception, ls.LittlestoneError) and "--effort" in str(result.exception)
    found = json.loads(result.stdout)
    assert found["littlestone"] == 6 and found["randomized"] is None and "randomized" in found["unsettled"]
