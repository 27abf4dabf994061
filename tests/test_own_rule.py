"""The rule of docs/adding_a_rule.md, from a folder of its own: played, judged, saved, and through the contract suite."""

import json
import sys
from dataclasses import replace
from importlib import util
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import littlestone as ls
from littlestone.checks import yield_rule_checks
from littlestone.cli import app
from littlestone.kernels import advice, native

DOCS = Path(__file__).parents[1] / "docs"
FILE = DOCS / "examples" / "own_rule" / "in_turn.py"
VOTES, TRUTH = [[1, 0, 1], [1, 1, 0], [0, 1, 0], [1, 0, 0]] * 5, [1, 0, 1, 0] * 5


@pytest.fixture(scope="module")
def in_turn(tmp_path_factory):
    path = tmp_path_factory.mktemp("rule") / "in_turn.py"
    path.write_text(FILE.read_text("utf-8"), "utf-8")
    spec = util.spec_from_file_location("in_turn", path)
    module = util.module_from_spec(spec)
    sys.modules["in_turn"] = module
    spec.loader.exec_module(module)
    return module.in_turn


@pytest.mark.parametrize("check", list(yield_rule_checks()), ids=lambda check: check.__name__)
def test_it_keeps_the_contract(in_turn, check):
    check(in_turn(n=4))


def test_it_plays_and_its_theorem_holds(in_turn):
    run = ls.play(in_turn(), VOTES, TRUTH)
    twin = [share >= 0.5 for share in run.rule.twin(list(zip(VOTES, TRUTH, strict=True)))]
    assert run.predictions.tolist() == twin
    for claim in run.bounds(f"expert:m={int(run.losses.min())}"):
        assert claim.holds and claim.limit == 3 * int(run.losses.min()) + 2


def test_it_is_asked_event_by_event_and_told_late(in_turn):
    model = in_turn(n=3).start()
    for votes, truth in zip(VOTES, TRUTH, strict=True):
        model.update(votes, truth)
    assert (model.rounds, model.mistakes) == (20, ls.play(in_turn(), VOTES, TRUTH).mistakes)
    assert ls.play(in_turn(), VOTES, TRUTH, delay=2).rounds == 20
    assert ls.play(in_turn(), VOTES, TRUTH, passes=2).rounds == 40


def test_it_is_named_on_the_command_line(in_turn, tmp_path):
    table, model, own = tmp_path / "votes.csv", tmp_path / "turn.littlestone", f"{FILE}::in_turn"
    table.write_text("truth,a,b,c\n" + "".join(f"{y},{','.join(map(str, row))}\n" for row, y in zip(VOTES, TRUTH, strict=True)))
    run = ls.experts(table, rule=in_turn)

    def typed(*words):
        done = CliRunner().invoke(app, list(map(str, words)))
        assert done.exit_code == 0, (done.output, done.exception)
        return done.stdout

    printed = json.loads(typed("experts", table, "--rule", own, "--model", model, "--json", "--quiet"))
    assert printed["rule"] == repr(run.rule) and printed["mistakes"] == run.mistakes == ls.play(in_turn(), VOTES, TRUTH).mistakes
    assert json.loads(typed("compare", table, "--rule", own, "--json"))["learners"][0]["mistakes"] == run.mistakes
    assert f"20 rounds, {run.mistakes} mistakes" in typed("show", model, "--learner", own)
    again = json.loads(typed("experts", table, "--from", model, "--rule", own, "--json", "--quiet"))
    assert again["mistakes"] == ls.play(in_turn(), VOTES * 2, TRUTH * 2).mistakes - run.mistakes


def test_its_certificate_is_verified_with_its_file(in_turn, tmp_path):
    run = ls.play(in_turn(), VOTES, TRUTH)
    cert = json.loads(json.dumps(ls.certify(run, VOTES, TRUTH, assume=f"expert:m={int(run.losses.min())}").content))
    assert cert["learner"]["file"]["name"] == "in_turn.py"
    verdict = ls.verify(cert, VOTES, TRUTH, replay=True, learner=in_turn)
    assert verdict.verified and verdict.replayed and str(verdict).startswith("theorem of in_turn.py, not one of littlestone's: verified")
    alone = ls.verify(cert, VOTES, TRUTH, replay=True)
    assert alone.status == "consistent" and not alone.replayed and "--learner FILE.py::NAME" in str(alone)
    with pytest.raises(ls.Refused, match="is one of littlestone's"):
        ls.verify(cert, VOTES, TRUTH, learner=ls.follow_leader)
    late = ls.certify(ls.play(in_turn(), VOTES, TRUTH, delay=2), VOTES, TRUTH)
    assert ls.verify(late, VOTES, TRUTH, replay=True, learner=in_turn).verified
    table, path = tmp_path / "votes.csv", tmp_path / "cert.json"
    table.write_text("truth,a,b,c\n" + "".join(f"{y},{','.join(map(str, row))}\n" for row, y in zip(VOTES, TRUTH, strict=True)))
    for words, code in (
        (["experts", table, "--rule", f"{FILE}::in_turn", "--certificate", path, "--quiet"], 0),
        (["verify", path, table, "--replay", "--learner", f"{FILE}::in_turn"], 0),
        (["verify", path, table, "--replay"], 3),
    ):
        done = CliRunner().invoke(app, list(map(str, words)))
        assert done.exit_code == code, (done.output, done.exception)


@pytest.mark.parametrize("n", [0, 1, 7, 8, 9, 17, 129, 300])
@pytest.mark.parametrize("way", ["as it is", "in plain Python"])
@np.errstate(over="ignore")  # as where a rule is played
def test_what_it_is_lent_says_what_the_native_rules_say(n, way):
    weigh, count_losses, coin, pick = (
        function if way == "as it is" else getattr(function, "py_func", function)
        for function in (advice.weigh, advice.count_losses, advice.coin, advice.pick)
    )
    draw = np.random.default_rng(n)
    for _ in range(20):
        w, table = draw.random(n) * 10.0 ** draw.integers(-9, 3, n), draw.random((1, n)).astype(np.float32)
        table[draw.random((1, n)) < 0.2] = np.nan
        total, favour, holds = weigh(w, table[0])
        assert advice.share(favour, total) == native.core.share(w, table[0])
        assert bool(holds & advice.ASLEEP) == bool(np.isnan(table).any()) and bool(holds & advice.BETWEEN) == bool((table > 0).any())
        ours, theirs = np.zeros(n), np.zeros(n)
        count_losses(ours, table, 0, 1)
        native.core.count_losses(theirs, table, np.ones(1, np.int32))
        assert ours.tolist() == theirs.tolist()
        seed, place = draw.integers(0, 2**53, 2).tolist()
        assert coin(seed, place) == native.core.coin(seed, place)
        rule, choices = ls.fixed_share(n=max(n, 1), advice="loss", seed=seed), np.full(1, -1, np.int32)
        if n:
            rule.play_block(rule.init(n)._replace(w=w), table, np.full(1, -1, np.int32), np.empty(1), choices)
            assert pick(w, table[0], total, coin(seed, 0)) == choices[0]
    assert weigh(np.ones(1), np.full(1, 2.0, np.float32))[2] & advice.OUTSIDE


def test_it_is_told_weights_where_it_says_that_it_hears_them(in_turn):
    heard = []

    def play(strict, losses, z, table, truth, mix, choices, *weights):
        heard.append([c.tolist() for c in weights])

    block = np.zeros((2, 3), np.float32), np.zeros(2, np.int32), np.empty(2), np.empty(0, np.int32)
    deaf, hearing = (replace(in_turn(n=3), play=play, hears_weights=hears) for hears in (False, True))
    for rule, weights in ((deaf, None), (deaf, np.ones(2, np.float32)), (hearing, None), (hearing, np.ones(2, np.float32))):
        assert rule.play_block(rule.init(3), *block, weights) == 2
    assert heard == [[], [], [], [[1.0, 1.0]]]
    with pytest.raises(ls.LittlestoneError, match="expected a class of the native core, or play="):
        replace(deaf, play=None)


def test_the_page_shows_the_file_as_it_is():
    assert FILE.read_text("utf-8") in (DOCS / "adding_a_rule.md").read_text("utf-8")
