"""The page of a report and the figures of runs: true to the run, small, and nothing in the data is ever read as markup."""

import base64
import gzip
import json
import re
import shutil
from html.parser import HTMLParser

import numpy as np
import pytest

import littlestone as ls
from littlestone.errors import LittlestoneError
from littlestone.report.page.layout import Page
from littlestone.report.page.markup import element, table, text
from littlestone.report.page.run import RunFacts, run_page
from littlestone.report.timeline import SUREST, Steps, Timeline, timeline_of

plt = pytest.importorskip("matplotlib.pyplot")
EVIL = "<script>alert(1)</script>"
OTHER = "</script><script>document.title='owned'</script>"
FILE = "<script>alert(1)<img src=x onerror=alert(2)>.csv"  # a file's name holds no slash
THIRD = '"><img src=x onerror="document.title=\'owned\'">\x1b\u202e$x$'
MOST = 3_000_000  # bytes of a page


class Parsed(HTMLParser):
    """The elements of a page, what it says, and every attribute."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.texts, self.attributes = [], [], []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data):
        self.texts.append(data)


def harmless(page):
    """The page parsed; it has no script, no image, no handler, and no address but data that somebody may save."""
    parsed = Parsed(page)
    assert not {"script", "img", "iframe", "object", "embed", "base", "form", "link"} & set(parsed.tags)
    names = [name for name, _ in parsed.attributes]
    assert not [name for name in names if name.startswith("on") and name != "open"]
    addresses = [value for name, value in parsed.attributes if name in ("href", "src", "xlink:href")]
    assert all(value.startswith(("#", "data:application/json;base64,", "data:application/gzip;base64,")) for value in addresses)
    ids = [value for name, value in parsed.attributes if name == "id"]
    assert len(ids) == len(set(ids))
    assert any(name == "content" and value.startswith("default-src 'none'") for name, value in parsed.attributes)
    assert "mathdefault" not in page and "\x1b" not in page and "\u202e" not in page
    return parsed


@pytest.fixture
def evil(tmp_path, monkeypatch):
    """Files whose names of features, labels, experts and texts are attacks."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(3)
    cell = lambda word: '"' + word.replace('"', '""') + '"'  # noqa: E731
    words = [EVIL, OTHER, THIRD, "plain"]
    rows = ["label,a,b"]
    for _ in range(120):
        i = int(rng.integers(4))
        rows.append(f"{cell(EVIL if (i < 2) ^ (rng.random() < 0.1) else OTHER)},{cell(words[i])},{rng.random():.3f}")
    (tmp_path / FILE).write_text("\n".join(rows) + "\n")
    rows = ["label,a"] + [f"{cell(words[i])},{cell('x' + str(i))}" for i in rng.integers(4, size=60).tolist()]
    (tmp_path / "several.csv").write_text("\n".join(rows) + "\n")
    rows = [f"truth,{cell(EVIL)},{cell(OTHER)},c"] + [f"{y:.2f},{y + 0.1:.2f},{1 - y:.2f},0.5" for y in rng.random(40)]
    (tmp_path / "table.csv").write_text("\n".join(rows) + "\n")
    return tmp_path


COMMANDS = {
    "run": ["run", FILE, "--label", "label", "--categorical", "a", "--learner", "perceptron"],
    "classes": ["run", "several.csv", "--label", "label", "--categorical", "a", "--learner", "multiclass_perceptron"],
    "compare": ["compare", FILE, "--label", "label", "--categorical", "a", "--learner", "perceptron", "--learner", "arow"],
    "experts": ["experts", "table.csv", "--truth", "truth"],
    "fit": ["fit", FILE, "--label", "label", "--categorical", "a", "--learner", "perceptron", "--epsilon", "0.4"],
    "duel": ["duel", "weighted_majority", "two_experts", "--rounds", "12"],
}


@pytest.mark.parametrize("name", COMMANDS)
def test_nothing_in_the_data_is_read_as_markup(name, evil, littlestone):
    done = littlestone(*COMMANDS[name], "--quiet", "--report", "out.html")
    assert done.returncode == 0, done.stderr
    if name == "run":
        assert littlestone(*COMMANDS[name], "--quiet").stdout == done.stdout
    parsed = harmless((evil / "out.html").read_text("utf-8"))
    said = "\n".join(parsed.texts)
    assert f"littlestone {COMMANDS[name][0]}" in said and "To make it again" in said
    if name in ("run", "classes", "experts"):
        assert EVIL in said and OTHER in said
        (link,) = [value for key, value in parsed.attributes if key == "href" and value.startswith("data:")]
        (evil / "c.json").write_bytes(base64.b64decode(link.partition("base64,")[2]))
        verified = littlestone("verify", "c.json", COMMANDS[name][1])
        assert verified.returncode == 0, verified.stderr
    if name == "duel":
        assert "at each mistake" in said and "holds" in said


@pytest.mark.parametrize("name", COMMANDS)
def test_a_page_has_no_path_of_the_machine(name, evil, littlestone):
    """Files have their names alone, in the command, the command that verifies, the table of versions and the words."""
    (evil / "mail.csv").write_text((evil / FILE).read_text())
    there = [str(evil / word) if word.endswith(".csv") else word for word in (part.replace(FILE, "mail.csv") for part in COMMANDS[name])]
    more = ["--model", evil / "m", "--certificate", evil / "c.json"] if name in ("run", "classes", "experts") else []
    done = littlestone(*there, "--quiet", "--report", evil / "out.html", *more)
    assert done.returncode == 0, done.stderr
    page = (evil / "out.html").read_text("utf-8")
    said = " ".join("\n".join(Parsed(page).texts).split())
    assert str(evil) not in said and f"{evil.parent.name}/" not in said and "--report out.html" in said
    assert name == "duel" or f"littlestone {COMMANDS[name][0]} {'mail' if FILE in COMMANDS[name] else COMMANDS[name][1][:-4]}.csv" in said
    if more:
        assert "littlestone verify c.json" in said


def test_the_panel_is_beside_rules_that_look_at_no_feature(evil, littlestone):
    assert littlestone("run", FILE, "--label", "label", "--quiet", "--report", "out.html").returncode == 0
    page = (evil / "out.html").read_text("utf-8")
    assert "panel, beside two rules that look at no feature" in page and ">Rules that look at no feature" not in page


@pytest.mark.parametrize("name", COMMANDS)
def test_a_report_is_html_or_is_refused(name, evil, littlestone):
    for file in ("out.pdf", "out.PNG", "out.docx"):
        done = littlestone(*COMMANDS[name], "--quiet", "--report", file)
        assert done.returncode == 2 and not (evil / file).exists()
        assert f"--report {file}: a report is a page of HTML; expected a name that ends in .html" in " ".join(done.stderr.split())
    assert littlestone(*COMMANDS[name], "--quiet", "--report", "out.HTM").returncode == 0


@pytest.mark.skipif(not shutil.which("chromium"), reason="no Chromium here: apt-get install chromium")
def test_a_browser_shows_every_page_and_runs_nothing(evil, littlestone):
    """On a phone and on a desk: no dialog, no error, no other title, nothing asked of the net, and nothing wider than the screen."""
    driver = pytest.importorskip("playwright.sync_api", reason="no Playwright here: pip install playwright")
    for name, command in COMMANDS.items():
        assert littlestone(*command, "--quiet", "--report", f"{name}.html").returncode == 0
    with driver.sync_playwright() as tool:
        browser = tool.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        events = []
        for name in COMMANDS:
            view = browser.new_page(viewport={"width": 390, "height": 800})
            view.on("dialog", lambda dialog: (events.append(dialog.message), dialog.dismiss()))
            view.on("pageerror", lambda error: events.append(str(error)))
            view.on("request", lambda asked: events.append(asked.url))
            address = (evil / f"{name}.html").as_uri()
            view.goto(address)
            assert view.title().endswith("· littlestone") and "owned" not in view.title()
            harmless(view.content())
            for width in (390, 1280):
                view.set_viewport_size({"width": width, "height": 800})
                assert view.evaluate("document.documentElement.scrollWidth") <= width, (name, width)
                ends = """[...document.querySelectorAll('.facts, .figures')].map(box =>
                    box.getBoundingClientRect().right - box.lastElementChild.getBoundingClientRect().right)"""
                assert all(abs(room) <= 1 for room in view.evaluate(ends)), (name, width)  # no row of boxes is half empty
            assert events == [address], name
            events.clear()
            view.close()
        browser.close()


def test_a_report_needs_a_place_and_the_stream_stays(evil, littlestone):
    before = (evil / FILE).read_bytes()
    done = littlestone(*COMMANDS["run"], "--quiet", "--report", FILE)
    assert done.returncode == 2 and "that is the stream itself" in done.stderr and (evil / FILE).read_bytes() == before


def test_steps_are_exact_whatever_the_width():
    rng = np.random.default_rng(0)
    labels, predictions = rng.integers(2, size=(2, 1000))
    few, all_of_them = Steps(most=64), Steps(most=2048)
    for start in range(0, 1000, 37):
        for steps in (few, all_of_them):
            steps.add(labels[start : start + 37], predictions[start : start + 37])
    wrong = np.concatenate([[0], np.cumsum(labels != predictions)])
    assert all_of_them.width == 1 and all_of_them.mistakes.tolist() == wrong.tolist()
    assert few.width == 16 and few.mistakes.tolist() == wrong[few.rounds].tolist() and few.rounds[-1] == 1000
    assert few.false_positives[-1] == ((labels == 0) & (predictions == 1)).sum()
    positives = np.concatenate([[0], np.cumsum(labels)])
    assert few.majority.tolist() == np.minimum(positives, np.arange(1001) - positives)[few.rounds].tolist()
    ends, shares, wide = few.windowed(few.mistakes, 100)
    assert wide == 96 and shares[-1] == pytest.approx((wrong[1000] - wrong[1000 - (96 - 16 + 1000 % 16)]) / (96 - 16 + 1000 % 16))
    assert ends[-1] == 1000


@pytest.fixture(scope="module")
def rounds():
    rng = np.random.default_rng(1)
    X = (rng.random((900, 12)) < 0.3).astype(np.float32)
    return X, (X[:, :2].any(axis=1) ^ (rng.random(900) < 0.05)).astype(int)


def test_a_panel_is_held_against_its_best_member_over_time(rounds):
    timeline = Timeline(lambda run: run.bounds())
    run = ls.play(ls.panel([ls.perceptron(), ls.winnow(n=12)]), *rounds, observers=[timeline])
    seats = run.learner.seats(run.state)
    last = timeline.samples[-1]
    assert (last.made, last.fewest) == (run.mistakes, min(seat.mistakes for seat in seats))
    allowed = min(sample.limits["panel-adahedge"] - sample.made for sample in timeline.samples)
    assert allowed >= 0 and "What it cost not to know the best member" in run_page(RunFacts(run, run.bounds(), timeline)).html()


def test_baselines_of_a_page_are_in_the_weights_of_the_rounds(rounds):
    X, y = rounds
    run = ls.play(ls.perceptron(), X, y, sample_weight=np.where(y == 1, 3, 1))
    html = run_page(RunFacts(run, run.bounds(), timeline_of(run))).html()
    shown = [run.weighted_mistakes, *run.weighted_baselines.values()]
    assert all(f"{made:,.6g}</td>" in html for made in shown) and "weight of the mistakes" in html
    plain = ls.play(ls.perceptron(), X, y)
    assert f"{plain.baselines['same_as_last']:,}</td>" in run_page(RunFacts(plain, plain.bounds(), timeline_of(plain))).html()


def test_what_is_watched_is_what_a_second_look_tells(rounds):
    timeline = Timeline(lambda run: run.bounds())
    run = ls.play(ls.perceptron(), *rounds, observers=[timeline], scores=True, block_rows=100)
    later = timeline_of(run)
    assert timeline.steps.mistakes.tolist() == later.steps.mistakes.tolist() and later.steps.mistakes[-1] == run.mistakes
    assert [row.number for row in timeline.surest] == [row.number for row in later.surest] and len(later.surest) == SUREST
    wrong = np.flatnonzero(run.predictions != rounds[1].astype(bool))
    assert {row.number - 1 for row in later.surest} <= set(wrong.tolist())
    assert later.surest[0].sure == np.abs(run.scores[wrong]).max()
    assert timeline.samples[-1].rounds == 900


def test_a_million_rounds_make_a_small_page(rounds):
    run = ls.play(ls.perceptron(), *rounds)
    timeline, rng = Timeline(), np.random.default_rng(0)
    for _ in range(10):
        labels, predictions = rng.integers(2, size=(2, 100_000))
        timeline.steps.add(labels, predictions)
    page = run_page(RunFacts(run, run.bounds(), timeline, labels=("0", "1"))).html()
    assert timeline.steps.total == 1_000_000 and len(page.encode()) < MOST / 6
    harmless(page)


def test_a_long_certificate_is_packed_into_the_page(rounds):
    certificate = ls.certify(ls.play(ls.perceptron(), *rounds), *rounds)
    object.__setattr__(certificate, "content", {**certificate.content, "mistakes": list(range(40_000))})
    page = Page("long", ["long"])
    from littlestone.report.page.layout import attached

    page.add("c", attached(certificate, None))
    (link,) = re.findall(r'href="data:application/gzip;base64,([^"]+)"', page.html())
    assert json.loads(gzip.decompress(base64.b64decode(link)))["mistakes"][-1] == 39_999


@pytest.mark.parametrize("kind", ["", "rate", "errors", "roc"])
def test_figures_of_a_run(rounds, kind):
    run = ls.play(ls.perceptron(), *rounds, metrics=True)
    figure = run.plot(kind)
    (axes,) = figure.axes
    lines = {line.get_label(): line.get_ydata() for line in axes.lines}
    if not kind:
        assert lines[f"mistakes: {run.mistakes:,}"][-1] == run.mistakes
    if kind == "errors":
        assert f"false positives: {run.false_positives:,} in all" in lines
    plt.close(figure)


def test_other_figures_and_what_cannot_be_drawn(rounds):
    X, y = rounds
    run, rule = ls.play(ls.winnow(n=12), X, y), ls.play(ls.adahedge(advice="loss"), np.random.default_rng(0).random((60, 3)))
    classes = ls.play(ls.multiclass_perceptron(), X, np.array(["a", "b", EVIL])[(X[:, :2] @ [1, 1]).astype(int)])
    certificate = ls.certify(run, X, y)
    _, own = plt.subplots()
    figures = [classes.plot("confusion"), rule.plot(), rule.plot("weights"), certificate.plot(), ls.plot.compare([run, run])]
    assert run.plot(ax=own) is own.figure and own.lines
    assert [line.get_label().rpartition(": ")[2] for line in figures[-1].axes[0].lines] == [f"{run.mistakes:,}"] * 2
    plt.close("all")
    for bad, message in (
        (lambda: run.plot("nonsense"), "has mistakes, rate, errors, calibration, roc"),
        (lambda: run.plot("calibration"), "gave no probabilities"),
        (lambda: ls.play(ls.perceptron(), X, y, predictions=False).plot(), "kept no predictions"),
        (lambda: ls.plot.compare([]), "at least one run"),
    ):
        with pytest.raises(LittlestoneError, match=message):
            bad()
    assert not plt.get_fignums()


def test_notebooks_show_runs_certificates_and_models(rounds):
    X, y = rounds
    rows = [{EVIL: 1.0, OTHER: float(v)} for v in X[:60, 0]]
    run = ls.play(ls.perceptron(), rows, y[:60])
    classes = ls.play(ls.multiclass_perceptron(), rows, [THIRD if v else EVIL for v in y[:60]])
    rule = ls.play(ls.adahedge(advice="loss"), X[:, :3])
    shown = [thing._repr_html_() for thing in (run, run.model, ls.certify(run, rows, y[:60]), classes, classes.model, rule, rule.model)]
    assert "mistakes in 60 rounds" in shown[0] and "&lt;script&gt;" in shown[1] and "sha256:" in shown[2]
    assert all(not {"script", "img"} & set(Parsed(page).tags) for page in shown)


def test_markup_escapes_what_is_text():
    assert text(EVIL) == "&lt;script&gt;alert(1)&lt;/script&gt;" and "\x1b" not in text(THIRD)
    assert element("p", THIRD, title=THIRD).count("<") == 2
    assert len(table(("name",), [("x" * 10**6,)])) < 1000


def test_metrics_show_themselves_in_a_line(rounds):
    X, y = rounds
    two = ls.play(ls.panel(["arow", "coin"]), X, y).metrics
    several = ls.play(ls.class_panel(["arow"]), X, y + (X[:, 2] > 0)).metrics
    for metrics, name in ((two, "metrics"), (several, "metrics of 3 classes")):
        line = repr(metrics)
        assert line.startswith(f"<{name}: accuracy {metrics.accuracy:.4g}, ") and line.endswith(f"Brier score {metrics.brier:.4g}>")
        assert "\n" not in line and len(line) < 140 and f"log-loss {metrics.log_loss:.4g}" in line
        assert repr(metrics.calibration).startswith(f"<calibration: error {metrics.calibration.error:.4g}, ")
    assert repr(ls.play(ls.arow(), np.zeros((0, 2)), []).metrics) == "<metrics: no rounds>"
