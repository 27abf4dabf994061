"""Rows that are dicts, one or many, are read as a table with the same columns: words, times, identifiers."""

from datetime import date, datetime

import numpy as np
import pandas as pd
import pytest

import littlestone as ls

NOTES = ["see you at home then", "call me when you are free", "free offer for you", "win a prize now now", "ok"]


def rows(many=60):
    return [
        {
            "id": f"MSG-{k:04}",
            "sent": f"2026-11-{1 + k % 28:02}T{k % 24:02}:05",
            "who": ("Ann", "Bob", "Cid")[k % 3],
            "note": NOTES[k * 3 % 5],
            "km": k % 7,
        }
        for k in range(many)
    ]


def labels(many=60):
    return [k * 3 % 5 in (2, 3) for k in range(many)]


def test_dicts_a_frame_and_a_file_give_the_same_run(tmp_path):
    X, y = rows(), labels()
    frame = pd.DataFrame(X)
    frame.assign(label=np.array(y, int)).to_csv(tmp_path / "a.csv", index=False)
    of_dicts = ls.play(ls.panel(), X, y, scores=True, ledger=True)
    of_frame = ls.play(ls.panel(), frame, y, scores=True, ledger=True)
    of_file = ls.play(ls.panel(), ls.open_stream(tmp_path / "a.csv"), scores=True, ledger=True)
    assert "note=prize" in of_dicts.model.features and not any("see you" in name or "MSG" in name for name in of_dicts.model.features)
    for run in (of_frame, of_file):
        assert list(run.model.features) == list(of_dicts.model.features)
        assert run.probabilities.tolist() == of_dicts.probabilities.tolist()
        assert run.columns_in_words == of_dicts.columns_in_words
    assert of_dicts.columns_in_words == (
        "id: identifier, left out · sent: time, as hour, weekday, month, days · who: 3 names · note: words · km: number"
    )
    assert ls.verify(ls.certify(of_dicts, X, y), X, y)
    again = [of_dicts.model.probability(row) for row in X[:5]]
    assert again == [of_frame.model.probability(row) for row in X[:5]] == [of_file.model.probability(row) for row in X[:5]]


@pytest.mark.parametrize("kind", ["dicts", "frame"])
def test_what_is_said_of_texts_overrules(kind):
    X, y = rows(), labels()
    X = X if kind == "dicts" else pd.DataFrame(X)
    named = ls.play(ls.perceptron(), X, y, ledger=True, categorical="note", text="who", ngrams=2)
    assert {"note=see you at home then", "who=ann"} <= set(named.model.features)
    certificate = ls.certify(named, X, y)
    assert ls.verify(certificate, X, y)
    with pytest.raises(ls.LittlestoneError, match="text"):
        ls.certify(named, X, y, text="note")
    pairs = ls.play(ls.perceptron(), X, y, ledger=True, ngrams=2, chars=3)
    assert {"note=see you", "note=~<se"} <= set(pairs.model.features)
    assert pairs.model.scores(rows()[0]) == pairs.model.scores(rows()[:1])[0]
    fitted = ls.fit(ls.perceptron(), rows() * 20, labels() * 20, text="who")
    assert "who=ann" in fitted.model.features and "note=see" in fitted.model.features
    with pytest.raises(ls.LittlestoneError, match="bits"):
        ls.play(ls.perceptron(), rows(), y, bits=8)


def test_a_column_with_a_few_texts_among_numbers_is_no_text():
    X = [{"km": k, "text": 1} if k else {"km": "not to be told", "text": "x"} for k in range(50)]
    run = ls.play(ls.perceptron(), X, labels(50), ledger=True)
    assert set(run.model.features) == {"km=not to be told", "km", "text", "text=x"}


MOMENTS = ["2026-11-19 20:05", datetime(2026, 11, 19, 20, 5), pd.Timestamp("2026-11-19T20:05"), np.datetime64("2026-11-19T20:05")]


@pytest.mark.parametrize("moment", MOMENTS, ids=lambda moment: type(moment).__name__)
def test_an_event_reads_a_moment_as_time(moment):
    model = ls.panel().start()
    model.observe({"sent": moment}, True)
    assert set(model.features) == {"sent.hour=20", "sent.weekday=Thu", "sent.month=11"}
    model.observe({"sent": date(2026, 11, 20), "due": pd.NaT}, False)
    assert set(model.features) >= {"sent.weekday=Fri", "due is missing"}


@pytest.mark.parametrize("learner", [ls.panel(), ls.winnow(n=100), ls.one_vs_rest(ls.perceptron())], ids=["panel", "winnow", "classes"])
def test_an_event_reads_many_words_as_words(tmp_path, learner):
    model = learner.start()
    event = {"note": "free offer, free entry", "who": "Ann Lee", "text": "hi", "gone": None, "at": "?"}
    model.observe(event, True)
    expected = {"note=free", "note=offer", "note=entry", "who=Ann Lee", "hi", "gone is missing", "at is missing"}
    assert set(model.features) == expected
    before = model.predict(event)
    model.save(tmp_path / "m")
    again = ls.load(tmp_path / "m")
    assert again.predict(event) == before and again.reading == model.reading
    again.observe({"note": "one two three four five"}, False)
    assert "note=five" in again.features


def test_a_word_that_is_called_like_a_key_adds_to_it():
    model = ls.perceptron().start()
    model.observe({"km": 7, "text": "how many km is it"}, True)
    _, values = model.row({"km": 7, "text": "how many km is it"})[:2]
    assert sorted(values.tolist()) == [1, 1, 1, 1, 8]


def test_many_events_in_a_list_are_read_as_single_ones():
    X, y, model = rows(), labels(), ls.panel().start(text="note", ignore="id")
    run = ls.play(model, X, y, ledger=True)
    for row, label in zip(X, y, strict=True):
        model.observe(row, label)
    assert list(run.model.features) == list(model.features) and "note=ok" in model.features
    assert [run.model.probability(row) for row in X] == [model.probability(row) for row in X]


def test_a_file_after_events_is_read_as_a_file(tmp_path):
    frame = pd.DataFrame(rows()).assign(label=np.array(labels(), int))
    frame.to_csv(tmp_path / "a.csv", index=False)
    model = ls.panel().start()
    model.observe({"note": "free offer for you"}, True)
    run = ls.play(model, ls.open_stream(tmp_path / "a.csv"), ledger=True)
    assert {"sent.days", "note=ok"} <= set(run.model.features) and "by_value" not in run.model.reading


@pytest.mark.parametrize("words", [{"note": "one two three four"}, {"sent": "2026-11-19"}])
def test_events_of_a_model_from_before_stay_names(words):
    model = ls.panel().start()
    model.reading = {}  # as models of events were kept
    model.observe(words, True)
    ((key, text),) = words.items()
    assert list(model.features) == [f"{key}={text}"]


def test_keys_of_events_have_the_kind_that_was_declared():
    model = ls.perceptron().start(text="note", time="sent", categorical="city", numeric="km", ignore=["id"], chars=3)
    model.observe({"note": "hi", "sent": "2026-11-19", "city": "New York City Hall", "km": "7.5", "id": 3}, True)
    expected = {"note=hi", "note=~<hi", "note=~hi>", "sent.weekday=Thu", "sent.month=11", "city=New York City Hall", "km"}
    assert set(model.features) == expected
    with pytest.raises(ls.LittlestoneError, match="'sent'.*date"):
        model.observe({"sent": "soon"}, True)
    with pytest.raises(TypeError, match="bins"):
        ls.perceptron().start(bins=3)


@pytest.mark.parametrize("kind", ["dicts", "frame"])
def test_explain_names_the_features_and_not_the_keys(kind):
    X, y = rows(), labels()
    model = ls.play(ls.panel(), X if kind == "dicts" else pd.DataFrame(X), y, ledger=True).model
    shown = model.explain({"id": "MSG-9", "sent": "2026-11-19T20:05", "note": "free zebra aardvark", "who": "Dan"})
    assert set(shown.unknown) == {"note=zebra", "note=aardvark", "who=Dan"}
    assert {share.name for share in shown.features} == {
        "note=free",
        "sent.hour=20",
        "sent.weekday=Thu",
        "sent.month=11",
        "sent.days",
        *shown.unknown,
        "the rest",
    }


def test_explain_of_an_event_names_its_parts():
    model = ls.panel().start()
    for row, label in zip(rows(), labels(), strict=True):
        model.observe(row, label)
    shown = model.explain({"note": "free offer zebra for you", "sent": "2026-11-19T20:05"})
    assert shown.unknown == ("note=zebra",)


def test_explain_keeps_a_word_that_is_called_like_a_key():
    X = [{"id": f"u{k:03}", "text": f"{'an' if k % 2 else 'no'} id of mine"} for k in range(40)]
    model = ls.play(ls.panel(), X, [k % 2 > 0 for k in range(40)], ledger=True).model
    shown = model.explain({"id": "u7", "text": "an id of mine"})
    assert {share.name for share in shown.features} == {"an", "id", "of", "mine", "the rest"} and shown.unknown == ()


@pytest.mark.parametrize("kind", ["dicts", "frame"])
def test_watch_and_compare_take_the_column_of_the_label(kind):
    X = [{**row, "class": "spam" if label else "ham"} for row, label in zip(rows(), labels(), strict=True)]
    X = X if kind == "dicts" else pd.DataFrame(X)
    model = ls.play(ls.panel(), X, "class", ledger=True).model
    watched = ls.watch(model, X, "class", certificate=True)
    assert watched.rounds == 60 and ls.verify(watched.certificate, X, "class", model=model)
    by_name, learners = (
        ls.compare([ls.panel(), ls.perceptron()], X, "class", ignore="km"),
        {"panel": ls.panel(), "perceptron": ls.perceptron()},
    )
    assert [entry.mistakes for entry in by_name.learners] == [
        ls.play(learner, X, "class", ignore="km").mistakes for learner in learners.values()
    ]
    assert ls.compare([ls.panel()], X, label="class", labels=["ham", "spam"]).rounds == 60
    with pytest.raises(ls.LittlestoneError, match="nearest"):
        ls.compare([ls.panel()], X, "class", labels=["ham", "Spam"])
    with pytest.raises(ls.LittlestoneError, match="compare needs the labels"):
        ls.compare([ls.panel()], rows())


def test_a_watch_of_single_events_is_verified():
    model = ls.winnow(n=500).start(time="sent", text="note", ignore=["id", "km"])
    X = rows()
    for row, label in zip(X, labels(), strict=True):
        model.observe(row, label)
    watched = ls.watch(model, X, labels(), certificate=True)
    assert ls.verify(watched.certificate, X, labels(), model=model)


def test_a_column_of_two_kinds_is_refused(tmp_path):
    (tmp_path / "a.csv").write_text("sent,label\n2026-11-19,1\n2026-11-20,0\n")
    for wrong in (
        lambda: ls.open_stream(tmp_path / "a.csv", time="sent", categorical="sent").begin(),
        lambda: ls.play(ls.panel(), rows(), labels(), time="sent", ignore="sent"),
        lambda: ls.play(ls.panel(), pd.DataFrame(rows()), labels(), time="sent", text="sent"),
        lambda: ls.panel().start(text="sent", time="sent"),
    ):
        with pytest.raises(ls.LittlestoneError, match="sent .*: a column has one kind"):
            wrong()
