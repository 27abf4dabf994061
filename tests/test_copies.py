"""A restart that replaces nobody: copies beside each other, what alarms may cost, and the certificate that says which copy spoke."""

import json
from functools import cache
from itertools import pairwise, product

import numpy as np
import pytest

import littlestone as ls
from littlestone.errors import Refused
from littlestone.report.alarms import segments_json
from littlestone.theory import copies as rule
from littlestone.theory.copies import CopyChoice, cost
from littlestone.theory.sealed import digest_of


@cache
def changed(rounds=4000, n=8, seed=0):
    """A linear rule with labels of which a twentieth are wrong, and from the middle on another linear rule."""
    rng = np.random.default_rng(seed)
    X, rules = rng.standard_normal((rounds, n)), rng.standard_normal((2, n))
    y = np.where(np.arange(rounds) < rounds // 2, X @ rules[0] > 0, X @ rules[1] > 0) ^ (rng.random(rounds) < 0.05)
    return X, y.astype(int)


@cache
def turning(rounds=6000):
    """A linear rule, another one in the second third, and the first one again; some labels are missing."""
    X, y = changed()
    X, y = np.concatenate([X, X[: rounds - 4000]]), np.concatenate([y, y[: rounds - 4000]]).astype(object)
    y[5::31] = None
    return X, y


def wrong(run, y):
    return sum(label is not None and bool(made) != bool(label) for made, label in zip(run.predictions.tolist(), y.tolist(), strict=True))


# ------------------------------------------------------------------------------------------------------------------- the rule


def played(choice, rounds, births=()):
    """Mistakes of the answers over rounds, each a tuple of answers and the label; before some of them a copy begins."""
    made = 0
    for t, (answers, label) in enumerate(rounds):
        if t in births:
            choice.begin()
        own = answers[: len(choice.copies)]
        place = choice.speaker(own) if len(set(own)) > 1 else choice.heaviest
        made += own[place] != label
        choice.learn(place, [int(answer != label) for answer in own])
    return made


@pytest.mark.parametrize("few", [1, 2])
def test_no_stream_makes_more_mistakes_than_the_theorem_allows(monkeypatch, few):
    """All answers of three copies to eight rounds, the right one being 1; the third begins in the middle."""
    monkeypatch.setattr(rule, "FEW", few)
    seen = set()
    for rounds in product(product((0, 1), repeat=2), repeat=8):
        answers = [((*pair, pair[1] ^ (t % 3 == 0)), 1) for t, pair in enumerate(rounds)]
        choice = CopyChoice()
        made = played(choice, answers, births=(0, 4))
        first = sum(pair[0] != 1 for pair in rounds)
        assert choice.first == first and choice.more == made - first
        assert made <= rule.most(first, choice.beyond) and cost(made, first, choice.beyond).holds
        seen.add(made - first)
    assert max(seen) == few and min(seen) < 0  # the bound is reached, and later copies are heard


def contrary(choice, rounds=4000, seed=0):
    """Against an adversary: in each round some copies differ, and the label is the one that was not answered."""
    rng, made = np.random.default_rng(seed), 0
    for t in range(rounds):
        if t in (50, 300, 900, 2000):
            choice.begin()
        answers = (rng.random(len(choice.copies)) < 0.5).tolist()
        place = choice.speaker(answers) if len(set(answers)) > 1 else choice.heaviest
        label = not answers[place] if len(set(answers)) > 1 else answers[0] ^ (rng.random() < 0.1)
        made += answers[place] != label
        choice.learn(place, [int(answer != label) for answer in answers])
    return made


def test_an_adversary_gets_no_more_than_the_theorem_allows():
    for seed in range(20):
        choice = CopyChoice()
        made = contrary(choice, seed=seed)
        assert made <= rule.most(choice.first, choice.beyond)
        assert choice.beyond or made - choice.first <= max(3, choice.first // 100)


MUTANTS = {
    "within": lambda self: True,  # a later copy may always answer
    "clear": lambda self: len(self.copies) > 1,  # and is ahead as soon as it is there
}


@pytest.mark.parametrize("name", MUTANTS)
def test_a_broken_rule_is_caught(monkeypatch, name):
    monkeypatch.setattr(CopyChoice, name, property(MUTANTS[name]))
    choices = [CopyChoice() for _ in range(5)]
    made = [contrary(choice, seed=seed) for seed, choice in enumerate(choices)]
    assert any(count > rule.most(choice.first) for choice, count in zip(choices, made, strict=True))


def test_who_is_clearly_ahead_may_answer_though_nothing_is_left_to_lose():
    choice = CopyChoice()
    choice.begin()
    played(choice, [((1, 0), 1), ((0, 1), 1)] * 3)  # copy 2 makes three mistakes in turns with copy 1
    choice.more = 3
    assert not choice.within and not choice.clear
    assert choice.speaker([0, 1]) == 0
    played(choice, [((0, 1), 1)] * 40)
    assert choice.clear and choice.speaker([0, 1]) == 1


def test_at_most_three_copies_play_and_the_first_one_stays():
    choice, gone = CopyChoice(), []
    for _ in range(6):
        gone.append(choice.begin())
        played(choice, [((1, 1, 0), 1)])
        assert len(choice.copies) <= rule.MOST and choice.copies[0] == 1 and min(choice.weights) > 0
    assert gone[:2] == [None, None] and None not in gone[2:] and 1 not in gone


# -------------------------------------------------------------------------------------------------------------------- the run


def by_definition(learner, X, y, births):
    """The answers of copies that are played one by one, and chosen among round by round."""
    ends, plays = [*births[1:], len(y)], {}
    choice, answers, speakers, gone = CopyChoice(), [], [], {}
    for number, (start, end) in enumerate(zip(births, ends, strict=True), 1):
        if number > 1 and (left := choice.begin()) is not None:
            gone[left] = start
        plays[number] = ls.play(learner, X[start:], y[start:]).predictions
        for t in range(start, end):
            own = [plays[copy][t - births[copy - 1]] for copy in choice.copies]
            differ = len(set(own)) > 1
            place = choice.speaker(own) if differ else choice.heaviest
            speakers.append(choice.copies[place])
            answers.append(own[place])
            if y[t] is not None:
                choice.learn(place, [int(answer != y[t]) for answer in own])
    return answers, speakers, gone


@pytest.mark.parametrize("kind", ["two classes", "several classes"])
def test_copies_play_as_they_would_alone_and_the_rule_chooses(kind):
    X, y = turning()
    learner = ls.perceptron()
    if kind == "several classes":
        y = np.array([None if label is None else ("a", "b", "c")[label + (x > 1)] for label, x in zip(y, X[:, 0], strict=True)], object)
        learner = ls.multiclass_perceptron()
    runs = [ls.play(learner, X, y, alarm="restart", block_rows=size) for size in (4096, 61)]
    run = runs[0]
    births = [segment.first_round for segment in run.segments]
    answers, speakers, gone = by_definition(learner, X, y, births)
    assert len(births) >= 3 and [copy.first_round for copy in run.copies] == births
    for other in runs:
        assert other.predictions.tolist() == answers and other.speakers.tolist() == speakers
        assert [(s.first_round, s.rounds, s.mistakes, s.spoke) for s in other.segments] == [
            (s.first_round, s.rounds, s.mistakes, s.spoke) for s in run.segments
        ]
    plain = ls.play(learner, X, y)
    assert run.first.mistakes == plain.mistakes and run.first.run.predictions.tolist() == plain.predictions.tolist()
    labelled = [label is not None for label in y]
    assert (
        run.mistakes
        == sum(a != b for a, b, known in zip(answers, y, labelled, strict=True) if known)
        == sum(segment.mistakes for segment in run.segments)
    )
    for copy in run.copies:
        assert copy.first_round + copy.rows == gone.get(copy.number, len(y)) and (copy.run.alarm is not None) == (copy.number in gone)
        assert copy.spoke == sum(known and who == copy.number for who, known in zip(speakers, labelled, strict=True))
    for segment, (start, end) in zip(run.segments, pairwise([*births, len(y)]), strict=True):
        assert segment.rounds == sum(labelled[start:end]) and sum(segment.spoke.values()) == segment.rounds
    (claim,) = run.bounds()
    assert claim.name == "alarm-cost" and claim.holds and claim.observed == run.mistakes and run.mistakes == run.risk().M


KINDS_OF_LEARNERS = {
    "two classes": lambda X, y: (ls.perceptron(), X, y),
    "panel": lambda X, y: (ls.panel(["perceptron", "arow"]), X, y),
    "several classes": lambda X, y: (ls.multiclass_perceptron(), X, np.array(["a", "b", "c"])[y + (X[:, 0] > 1)]),
    "votes": lambda X, y: (ls.adahedge(), (X[:, :4] > 0).astype(int), np.where(np.arange(len(X)) < len(X) // 2, X[:, 0] > 0, X[:, 1] > 0)),
    "losses": lambda X, y: (
        ls.adahedge(advice="loss"),
        np.where((np.arange(len(X)) < len(X) // 2)[:, None] == (np.arange(4) < 2), 0.2, 1.0) * (X[:, :4] > 0),
        None,
    ),
}


@pytest.mark.parametrize("kind", KINDS_OF_LEARNERS)
def test_alarms_cost_little_and_help_where_the_stream_has_changed(kind):
    learner, X, y = KINDS_OF_LEARNERS[kind](*changed())
    run = ls.play(learner, X, y, alarm="restart")
    assert len(run.copies) == len(run.segments) >= 2 and run.first.rows == 4000
    if kind == "losses":
        lost = np.array([copy.run.loss for copy in run.copies])
        assert lost[1] < lost[0] and run.copies[1].spoke > 1000
        return
    plain, made = ls.play(learner, X, y), run.mistakes
    assert run.first.mistakes == plain.mistakes and made <= rule.most(plain.mistakes, run.beyond if kind != "votes" else 0)


CHANGES = {"panel": lambda: ls.panel(), "arow": lambda: ls.arow(), "adaptive": lambda: ls.adaptive()}


@pytest.mark.parametrize("name", CHANGES)
def test_after_a_change_a_run_is_nearly_as_good_as_a_copy_that_begins_there(name):
    """Labels by two features of sixty, and turned round from the middle on."""
    rng = np.random.default_rng(3)
    X = (rng.random((4000, 60)) < 0.2).astype(int)
    y = X[:, :2].any(axis=1) ^ (np.arange(4000) >= 2000)
    learner = CHANGES[name]()
    run, plain = ls.play(learner, X, y, alarm="restart"), ls.play(learner, X, y)
    found = next(segment.first_round for segment in run.segments if segment.first_round >= 2000)
    begun_there = ls.play(learner, X[found:], y[found:]).mistakes
    assert 2000 < found <= 2100 and run.mistakes <= plain.mistakes
    assert int((run.predictions[found:] != y[found:]).sum()) <= 1.1 * begun_there


def test_where_errors_come_in_runs_needless_alarms_cost_one_percent_at_most():
    """Labels of which a fifth are wrong, wrong ones one after the other: alarms are raised, and nothing has changed."""
    rng = np.random.default_rng(0)
    X, w = rng.standard_normal((12_000, 6)), rng.standard_normal(6)
    bad, state = np.zeros(12_000, bool), False
    for t in range(12_000):
        state = rng.random() < (0.92 if state else 0.02)
        bad[t] = state
    run = ls.play(ls.arow(), X, (X @ w > 0) ^ bad, alarm="restart")
    assert len(run.copies) > 4 and run.mistakes <= 1.01 * run.first.mistakes and sum(copy.rows for copy in run.copies) <= 3 * 12_000


def test_a_run_without_an_alarm_is_the_plain_run():
    X, y = changed()
    run, plain = ls.play(ls.perceptron(), X[:2000], y[:2000], alarm="restart"), ls.play(ls.perceptron(), X[:2000], y[:2000])
    assert run.alarm is None and len(run.copies) == len(run.segments) == 1 and run.mistakes == plain.mistakes
    assert [claim.as_json() for claim in run.bounds()] == [claim.as_json() for claim in plain.bounds()]
    empty = ls.play(ls.perceptron(), X[:0], y[:0], alarm="restart")
    assert empty.rounds == empty.mistakes == 0 and len(empty.segments) == 1


def test_scores_are_those_of_the_copy_that_spoke():
    X, y = changed()
    run = ls.play(ls.arow(), X, y, alarm="restart", scores=True)
    each = {copy.number: copy for copy in run.copies}
    for t in (10, 1999, 2100, 2500, 3999):
        copy = each[run.speakers[t]]
        assert run.scores[t] == copy.run.scores[t - copy.first_round]
    assert len(run.scores) == 4000 and run.over(500).auc > 0.9


def test_weights_are_learned_by_every_copy():
    X, y = changed()
    c = np.where(np.arange(4000) % 2, 1.0, 3.0)
    run, plain = ls.play(ls.arow(), X, y, sample_weight=c, alarm="restart"), ls.play(ls.arow(), X, y, sample_weight=c)
    second = run.copies[1]
    alone = ls.play(ls.arow(), X[second.first_round :], y[second.first_round :], sample_weight=c[second.first_round :])
    assert run.first.mistakes == plain.mistakes and second.run.predictions.tolist() == alone.predictions.tolist()
    cert = ls.certify(run, X, y, sample_weight=c)
    assert ls.verify(cert, X, y, sample_weight=c).verified and cert.mistakes == run.mistakes


def test_the_model_says_which_copy_it_is(tmp_path):
    X, y = changed()
    run = ls.play(ls.arow(), X, y, alarm="restart", ledger=True)
    copy = run.model_copy
    expected = {"copy": copy.number, "first_round": copy.first_round, "alarms": len(run.alarms)}
    run.model.save(tmp_path / "m")
    loaded = ls.load(tmp_path / "m")
    assert copy.number > 1 and run.model.which_copy == loaded.which_copy == loaded.copy().which_copy == expected
    assert loaded.rounds == copy.rows and loaded.mistakes == copy.mistakes
    going_on = ls.play(loaded, X[:500], y[:500], alarm="restart")
    assert going_on.part == (500, wrong(going_on, y[:500])) and going_on.total.rounds == copy.rows + 500
    assert ls.play(ls.arow(), X, y, ledger=True).model.which_copy is None


# ------------------------------------------------------------------------------------------------------------ the certificate


@cache
def certified():
    X, y = turning()
    run = ls.play(ls.perceptron(), X, y, alarm="restart")
    return run, ls.certify(run, X, y, iid="0.05")


def test_the_verifier_plays_the_copies_and_the_rule_again():
    X, y = turning()
    run, cert = certified()
    verdict = ls.verify(cert, X, y)
    assert verdict.verified and cert.mistakes == run.mistakes and cert.bounds[0].limit == run.bounds()[0].limit
    content = cert.content
    assert content["model_copy"] == run.leader and content["counts"]["without_alarm"] == run.first.mistakes
    assert content["segments"] == json.loads(json.dumps([segment.as_json() for segment in run.segments]))
    assert [copy["spoke"] for copy in content["copies"]] == [copy.spoke for copy in run.copies]
    assert f"made {run.mistakes:,} mistakes" in str(verdict) and verdict.as_json()["copies"][1]["first_round"] == run.copies[1].first_round
    assert ls.verify(cert, X, y, replay=False).status == "consistent"


def forged(content, path, value):
    """The same certificate with another value somewhere, and a digest that fits."""
    content = json.loads(json.dumps(content))
    *way, last = path
    place = content
    for step in way:
        place = place[step]
    assert place[last] != value
    place[last] = value
    return content | {"digest": digest_of(content)}


FORGED = [
    (("copies", 0, "spoke"), 1),
    (("copies", 1, "rows"), 7),
    (("copies", 1, "copy"), 9),
    (("segments", 0, "mistakes"), 0),
    (("segments", 1, "rounds"), 1),
    (("segments", 1, "first_round"), 1),
    (("segments", 0, "spoke"), [{"copy": 2, "rounds": 5}]),
    (("counts", "mistakes"), 3),
    (("counts", "without_alarm"), 3),
    (("counts", "beyond"), 50),
    (("bounds", 0, "limit"), 10**6),
    (("bounds", 0, "formula"), "M ≤ 3"),
    (("summary",), "It never errs."),
    (("model_copy",), 2_000),
    (("risk", "average"), 0.001),
    (("risk", "delta"), 0.04),
]


@pytest.mark.parametrize(("path", "value"), FORGED, ids=lambda value: str(value)[:30])
def test_a_forged_certificate_is_refused(path, value):
    X, y = turning()
    with pytest.raises(Refused):
        ls.verify(forged(certified()[1].content, path, value), X, y)


def test_copies_that_were_exchanged_or_left_out_are_refused():
    X, y = turning()
    content = json.loads(json.dumps(certified()[1].content))
    for change in (
        lambda c: c["copies"].reverse(),
        lambda c: c["copies"].pop(),
        lambda c: (c["copies"].pop(), c["segments"].pop()),
        lambda c: c["copies"][1].update(certificate=c["copies"][0]["certificate"]),
        lambda c: c.update(copies=[], segments=[]),
    ):
        other = json.loads(json.dumps(content))
        change(other)
        with pytest.raises(Refused):
            ls.verify(other | {"digest": digest_of(other)}, X, y)
    with pytest.raises(Refused, match="copy 1"):
        ls.verify(content, X[:, ::-1], y)


def test_of_a_rule_over_advice_and_of_a_part_of_a_stream_there_is_no_certificate_of_copies():
    learner, X, y = KINDS_OF_LEARNERS["votes"](*changed())
    with pytest.raises(ls.LittlestoneError, match="certify each copy"):
        ls.certify(ls.play(learner, X, y, alarm="restart"), X, y)
    X, y = changed()
    with pytest.raises(ls.LittlestoneError, match="needs all rows from the first"):
        ls.certify(ls.play(ls.perceptron(), X, y, alarm="restart", skip=10), X, y)


# ----------------------------------------------------------------------------------------------------------- the command line


def test_the_command_line_says_which_copy_spoke(littlestone, tmp_path):
    X, y = changed()
    path, model, cert = tmp_path / "changed.libsvm", tmp_path / "model", tmp_path / "cert.json"
    path.write_text("".join(f"{t} " + " ".join(f"{i}:{v:.3f}" for i, v in enumerate(x)) + "\n" for x, t in zip(X, y, strict=True)))
    use = ("run", path, "--learner", "perceptron", "--quiet", "--restart-on-alarm")
    report = tmp_path / "page.html"
    done = littlestone(*use, "--json", "--model", model, "--certificate", cert, "--report", report, "--predictions", tmp_path / "p.txt")
    found = json.loads(done.stdout)
    plain = json.loads(littlestone("run", path, "--learner", "perceptron", "--quiet", "--json").stdout)
    assert done.returncode == 0 and found["copies"][0]["mistakes"] == plain["mistakes"] > found["mistakes"]
    assert sum(segment["mistakes"] for segment in found["segments"]) == found["mistakes"]
    assert [copy["first_round"] for copy in found["copies"]] == [segment["first_round"] for segment in found["segments"]]
    assert found["bounds"][0]["name"] == "alarm-cost" and found["bounds"][0]["limit"] >= found["mistakes"]
    assert found["model_copy"] == ls.load(model).which_copy["copy"] and found["segments"][1]["spoke"] and found["copies"][0]["bounds"]
    assert len((tmp_path / "p.txt").read_text().split()) == 4000 and "Copy 2" in report.read_text()
    shown = littlestone("show", model)
    assert f"copy {found['model_copy']}, which began after" in " ".join(shown.stdout.split())
    checked = littlestone("verify", cert, path)
    assert checked.returncode == 0 and checked.stdout.startswith("verified: perceptron with copies begun at 1 alarm")
    words = " ".join(littlestone(*use).stdout.split())
    assert "Copy 1 plays as if there were no alarm" in words and "(alarm-cost)" in words and "copy 1 spoke" in words
    quiet = tmp_path / "quiet.libsvm"
    quiet.write_text("".join(path.read_text().splitlines(keepends=True)[:1000]))
    assert "No alarm: nothing in these rounds" in littlestone("run", quiet, *use[2:]).stdout


def test_json_of_copies_says_whose_label_it_is_and_what_the_vote_did():
    for label_by in ("forecast", "vote"):
        run = ls.play(ls.panel(["perceptron", "arow"], label_by=label_by), [[1, 0], [0, 1]] * 40, [1, 0] * 40, alarm="restart")
        made = segments_json(run, [copy.run.bounds() for copy in run.copies])
        assert made["label_by"] == label_by and made["vote_mistakes"] == run.copies[0].run.vote_mistakes
        assert made.get("forecast_mistakes", run.mistakes) == run.mistakes and ("forecast_mistakes" in made) is (label_by == "forecast")
