"""Certificates of runs whose rows were read in a way that the user chose: `certify` reads them so again."""

import pandas as pd
import polars as pl
import pytest

import littlestone as ls

TEXTS = ["free offer now", "see you later", "win a free prize", "offer you a lift", "lunch at noon?"] * 12
SPAM = ["spam", "ham", "spam", "ham", "ham"] * 12
FRAME = pd.DataFrame(
    {"number": range(60), "zone": [k % 7 for k in range(60)], "place": [f"P-{k}" for k in range(60)], "text": TEXTS, "class": SPAM}
)
LEARNERS = [ls.perceptron(), ls.panel(["arow", "perceptron"]), ls.one_vs_rest(ls.arow())]
NAMES = ["perceptron", "panel", "one_vs_rest"]
KINDS = [pd.DataFrame, pl.from_pandas, lambda frame: frame.to_dict("records")]


def without_label(rows):
    """The same rows without the column of the label, as `verify` takes them beside labels of their own."""
    tables = isinstance(rows, list) and isinstance(rows[0], dict)
    return [{name: value for name, value in row.items() if name != "class"} for row in rows] if tables else rows


@pytest.mark.parametrize("learner", LEARNERS, ids=NAMES)
@pytest.mark.parametrize("how", [{"ngrams": 2}, {"chars": 3}, {"ngrams": 3, "chars": 2}, {"bits": 8}], ids=str)
def test_texts_are_certified_as_they_were_read(learner, how):
    run = ls.play(learner, TEXTS, SPAM, **how)
    certificate = ls.certify(run, TEXTS, SPAM)
    assert {name: certificate.content["stream"]["reading"][name] for name in how} == how
    assert certificate.content == ls.certify(run, TEXTS, SPAM, **how).content
    ls.verify(certificate, TEXTS, SPAM)


@pytest.mark.parametrize("learner", LEARNERS, ids=NAMES)
@pytest.mark.parametrize("kind", KINDS, ids=["pandas", "polars", "dicts"])
@pytest.mark.parametrize("how", [{"ignore": ["number"]}, {"categorical": "zone"}, {"ignore": "number", "categorical": ["zone"]}], ids=str)
def test_columns_are_certified_as_they_were_read(learner, kind, how):
    rows = kind(FRAME.drop(columns=["text"]))
    run = ls.play(learner, rows, "class", **how)
    certificate = ls.certify(run, rows, "class")
    assert certificate.content == ls.certify(run, rows, "class", **how).content
    ls.verify(certificate, without_label(rows), SPAM)


def test_a_frame_is_certified_with_its_label_and_all_that_open_stream_was_told():
    for learner in LEARNERS:
        how = {"label": "class", "text": "text", "chars": 3, "cross": "zone*place", "categorical": ["zone", "place"], "bins": {"number": 4}}
        run = ls.play(learner, ls.open_stream(FRAME, **how))
        certificate = ls.certify(run, ls.open_stream(FRAME, **how))
        assert ls.certify(run, FRAME).content == certificate.content == ls.certify(run, FRAME, "class").content
        assert ls.certify(run, FRAME.drop(columns=["class"]), SPAM).content["mistakes"] == certificate.content["mistakes"]


def test_the_same_file_is_certified_as_it_was_read(tmp_path):
    path, table = tmp_path / "texts.txt", tmp_path / "rows.csv"
    path.write_text("".join(f"{label}\t{text}\n" for label, text in zip(SPAM, TEXTS, strict=True)))
    FRAME.to_csv(table, index=False)
    for file, how in ((path, {"ngrams": 2}), (path, {"expand": 2, "boolean": True}), (table, {"label": "class", "ignore": "number"})):
        run = ls.play(ls.perceptron(), ls.open_stream(file, **how))
        certificate = ls.certify(run, ls.open_stream(file))
        assert certificate.content == ls.certify(run, ls.open_stream(file, **how)).content
        ls.verify(certificate, file)
    converted = tmp_path / "words.vw"  # whose features are made already
    run = ls.play(ls.perceptron(), ls.open_stream(path, ngrams=2))
    ls.convert(ls.open_stream(path, ngrams=2), converted)
    assert (
        ls.certify(run, ls.open_stream(converted)).content["stream"]["digest"] == ls.certify(run, TEXTS, SPAM).content["stream"]["digest"]
    )


def test_conjunctions_of_rows_in_memory_are_made_again():
    rows = [set(text.split()) for text in TEXTS]
    run = ls.play(ls.perceptron(), rows, SPAM, expand=2)
    assert ls.certify(run, rows, SPAM).content == ls.certify(run, rows, SPAM, expand=2).content
    with pytest.raises(ls.LittlestoneError, match="expand=3: the run read its rows with expand=2; leave expand out"):
        ls.certify(run, rows, SPAM, expand=3)


@pytest.mark.parametrize("learner", LEARNERS, ids=NAMES)
def test_declared_labels_keep_their_order(learner):
    for rows in (TEXTS, FRAME[["text"]]):
        run = ls.play(learner, rows, SPAM, labels=("spam", "ham"))
        ls.verify(ls.certify(run, rows, SPAM), rows, SPAM)
        ls.certify(run, rows, SPAM, labels="spam,ham")
        with pytest.raises(ls.LittlestoneError, match=r"labels=\('ham', 'spam'\): the run read its rows with labels=\('spam', 'ham'\)"):
            ls.certify(run, rows, SPAM, labels=("ham", "spam"))


@pytest.mark.parametrize("learner", LEARNERS, ids=NAMES)
def test_what_contradicts_the_run_is_refused_by_name(learner):
    run = ls.play(learner, TEXTS, SPAM, ngrams=2)
    with pytest.raises(ls.LittlestoneError, match="ngrams=3: the run read its rows with ngrams=2; leave ngrams out"):
        ls.certify(run, TEXTS, SPAM, ngrams=3)
    with pytest.raises(ls.LittlestoneError, match="chars=3: the run read its rows without it; leave chars out"):
        ls.certify(run, TEXTS, SPAM, chars=3)
    for rows in (FRAME, FRAME.to_dict("records")):
        run = ls.play(learner, rows, "class", ignore="number")
        with pytest.raises(ls.LittlestoneError, match=r"ignore=\('zone',\): the run read its rows with ignore=\('number',\)"):
            ls.certify(run, rows, "class", ignore="zone")
        with pytest.raises(ls.LittlestoneError, match=r"categorical=\('zone',\): the run read its rows without it"):
            ls.certify(run, rows, "class", categorical="zone")
    with pytest.raises(ls.LittlestoneError, match="chars=2: the run read its rows without it"):
        ls.certify(run, ls.open_stream(FRAME, label="class", ignore="number", chars=2))


def test_runs_by_key_and_runs_of_copies_are_certified_as_their_rows_were_read():
    keys = ["anna", "ben"] * 30
    for rows, y, how in (
        (TEXTS, SPAM, {"ngrams": 2}),
        (FRAME.drop(columns=["text"]).to_dict("records"), "class", {"ignore": ["number", "place"], "categorical": "zone"}),
    ):
        run = ls.play(ls.perceptron(), rows, y, key=keys, **how)
        certificate = ls.certify(run, rows, y, key=keys)
        assert certificate.content == ls.certify(run, rows, y, key=keys, **how).content
        own, labels = (column[::2] for column in (without_label(rows), SPAM))
        alone = ls.certify(ls.play(ls.perceptron(), own, labels, **how), own, labels)
        assert certificate.parts["anna"].content["stream"] == alone.content["stream"]
    turned = [{"spam": "ham", "ham": "spam"}[label] for label in SPAM]
    run = ls.play(ls.perceptron(), TEXTS * 8, SPAM * 4 + turned * 4, alarm="restart", ngrams=2)
    assert len(run.copies) > 1
    certificate = ls.certify(run, TEXTS * 8, SPAM * 4 + turned * 4)
    assert all(part.content["stream"]["reading"]["ngrams"] == 2 for part in certificate.parts)
    ls.verify(certificate, TEXTS * 8, SPAM * 4 + turned * 4)


def test_columns_that_are_left_out_give_no_features_by_key():
    rows = [{"user": "ab"[k % 2], "number": f"N{k % 3}", "word": text.split()[0]} for k, text in enumerate(TEXTS)]
    model = ls.play(ls.perceptron(), rows, SPAM, key="user", ignore="number").model
    assert not [name for name in model.features if name.startswith("number")]
