"""The lab: games, trees and rows as its page gets them; who may ask and what is refused, over a socket; and the page in a browser."""

import json
import re
import shutil
import signal
import subprocess
import sys
from http.client import HTTPConnection
from urllib.parse import parse_qs, urlsplit

import pytest

import littlestone as ls
from littlestone.games.adversaries import RecordedRounds
from littlestone.report.page.duel import duel_page
from littlestone.report.page.run import RunFacts, run_page
from littlestone.report.timeline import Timeline
from littlestone.service import lab as room
from littlestone.service.lab import answer, verbs
from littlestone.service.worker import Refusal, Worker

ROWS = "spam\tWIN a free prize\nham\tlunch <img src=x onerror=alert(1)>\nspam\tfree prize\nham\tlunch on Monday\n"


def against(name, **more):
    return {"kind": "adversary", "name": name, **more}


def typed(*rounds, n=3, **more):
    return {"kind": "typed", "n": n, "rounds": list(rounds), **more}


def test_a_game_is_the_duel_with_everything_that_can_be_seen_of_it():
    shown = answer("play", {"learners": ["winnow", "perceptron"], "against": against("unit_vectors:n=4")})
    for game, learner in zip(shown["games"], (ls.winnow, ls.perceptron), strict=True):
        duel = ls.duel(learner, "unit_vectors:n=4")
        assert (game["mistakes"], game["lower"], game["upper"], game["holds"]) == (duel.mistakes, 4, duel.upper_bound, True)
        assert [row["mistakes"] for row in game["rounds"]] == [1, 2, 3, 4]
        terms = [[[plain for plain, _ in line] for line in row["terms"]] for row in game["rounds"]]
        assert terms == [[[float(term) for term in line] for line in step.numbers] for step in duel.steps.values()]
    winnow = shown["games"][0]
    assert (winnow["bars"]["start"], winnow["rounds"][0]["weights"]) == ([1, 1, 1, 1], [2, 1, 1, 1])
    assert [row["moved"] for row in winnow["rounds"][:2]] == [[["x0", "1", "2"]], [["x1", "1", "2"]]]
    assert [row["left"]["count"] for row in winnow["rounds"]] == [8, 4, 2, 1]


def test_typed_rounds_and_rows_are_played_like_any_stream():
    shown = answer("play", {"learners": ["halving"], "against": typed([[0], 1], [[1, 2], 0], concepts="disjunctions", next=[0, 1])})
    assert shown["next"] == {"predictions": [1], "labels": [1]}  # only x0 is left
    assert shown["games"][0]["rounds"][-1]["left"] == {"count": 1, "concepts": ["x0"]}
    votes = answer("play", {"learners": ["weighted_majority"], "against": typed([[0], 0], [[0, 1], 1], next=[0])})
    assert votes["games"][0]["votes"] and votes["next"]["predictions"] == [0]
    (game,) = answer("play", {"learners": ["perceptron"], "against": {"kind": "rows", "text": ROWS}})["games"]
    run = ls.play(
        ls.perceptron(), [{"win": 1, "a": 1, "free": 1, "prize": 1}, {"lunch": 1}, {"free": 1, "prize": 1}, {"lunch": 1}], [1, 0, 1, 0]
    )
    assert game["mistakes"] == run.mistakes <= game["upper"] and all(claim["holds"] for claim in game["claims"])
    assert "free" in game["bars"]["names"] and "onerror" in game["rounds"][1]["x"]


def test_witnesses_name_columns():
    """The vector of the proof, the bounds and the report speak of words, and not of the numbers of their columns."""
    asked = {"learners": ["perceptron"], "against": {"kind": "rows", "text": ROWS.replace("\nham\tlunch <img src=x onerror=alert(1)>", "")}}
    (game,) = answer("play", asked)["games"]
    (vector,) = [line for line in game["letters"] if line.startswith("w* is")]
    words = {"bias", *game["bars"]["names"]}
    named = re.findall(r"([^\s{]+): -?[0-9.]+", vector)
    assert named and set(named) <= words and "free" in named
    whom = {claim["name"]: claim["whom"] for claim in game["claims"]}
    assert re.match(r"a vector over \d+ features: .*free 0\.\d+", whom["floor"]), whom


def test_an_empty_game_is_not_judged():
    asked = {"learners": ["perceptron"], "against": typed(concepts="conjunctions")}
    (game,) = answer("play", asked)["games"]
    assert not game["rounds"] and game["upper"] is not None
    assert 'class="verdict holds"' not in duel_page(ls.duel(ls.perceptron, RecordedRounds(3, (), "no rounds"))).html()
    assert 'class="verdict holds"' in duel_page(ls.duel(ls.perceptron, "unit_vectors:n=4")).html()
    run = ls.play(ls.perceptron(), [[1, 0]] * 2, [None, None])
    facts = RunFacts(run, ls.certify(run, [[1, 0]] * 2, [None, None]).bounds, Timeline(lambda run: run.bounds()))
    assert 'class="verdict"' in run_page(facts).html()


def test_every_verb_is_there_and_every_name_can_be_chosen():
    assert {*verbs.VERBS} == {*room.VERBS}
    chosen = answer("catalogue", {})
    assert {entry["name"] for entry in chosen["learners"]} == {*ls.learners.names(), "panel"}
    assert {entry["name"] for entry in chosen["adversaries"]} == {*ls.adversaries.names()}


def test_the_tree_of_a_class_and_a_report_of_rows():
    tree = answer("tree", {"class": "conjunctions", "n": 3})
    assert (tree["littlestone"], tree["size"], tree["points"]) == (4, 28, 8)
    leaves = re.findall(r'"[01]": "', json.dumps(tree["tree"]))
    assert len(leaves) == 2**4
    (page,) = answer("report", {"learners": ["perceptron"], "against": {"kind": "rows", "text": ROWS}})["pages"]
    assert page["name"] == "perceptron.html" and "What is proved" in page["html"] and "<img src=x" not in page["html"]


@pytest.fixture(scope="module")
def lab():
    """A lab as the command starts it: the URL that it prints. Ctrl-C ends it with 130."""
    command = [sys.executable, "-c", "from littlestone.cli import main; main()", "lab", "--no-browser", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            url = process.stdout.readline().split()[-1]
            assert url.startswith("http://127.0.0.1:")
            yield url
            process.send_signal(signal.SIGINT)
            assert process.wait(60) == 130
        finally:
            process.kill()


def request(lab, path="/api/tree", body="{}", method="POST", token=None, **headers):
    parts = urlsplit(lab)
    token = parse_qs(parts.query)["token"][0] if token is None else token
    connection = HTTPConnection(parts.hostname, parts.port, timeout=120)
    try:
        sent = {
            "Host": parts.netloc,
            "Content-Type": "application/json",
            **{name.replace("_", "-"): value for name, value in headers.items()},
        }
        connection.request(method, f"{path}?token={token}", body, {name: value for name, value in sent.items() if value is not None})
        response = connection.getresponse()
        return response.status, dict(response.getheaders()), response.read().decode()
    finally:
        connection.close()


def refused(status, answer):
    """One line of JSON that says why."""
    assert answer[0] == status, answer
    (why,) = json.loads(answer[2]).values()
    assert why and "\n" not in why and "Traceback" not in why
    return why


WIDE = {"learners": ["perceptron"], "against": {"kind": "rows", "text": "1 1:1\n" * 2000}}
PLAYS = [  # a request to play, and a part of the refusal
    ({"learners": ["winow"], "against": against("unit_vectors")}, "did you mean winnow"),
    ({"learners": ["evil.py::it"], "against": against("unit_vectors")}, "not known"),
    ({"learners": ["os.system"], "against": against("unit_vectors")}, "not known"),
    ({"learners": ["winnow"], "against": against("unit_vectors:n=99999999999")}, "at most 2,048"),
    ({"learners": ["winnow"], "against": against("littlestone_tree:concepts=conjunctions:n=400")}, ""),
    ({"learners": ["winnow:alpha=nan"], "against": against("unit_vectors")}, "alpha"),
    ({"learners": ["winnow"] * 3, "against": against("unit_vectors")}, "learners: expected a list of 1 to 2"),
    ({"learners": ["winnow"], "against": against("unit_vectors"), "rounds": 10**30}, "rounds="),
    ({"learners": ["winnow"], "against": typed(n=10**9)}, "n="),
    ({"learners": ["winnow"], "against": typed([[5], 1])}, "round 1: expected a list of different features from 0 to 2"),
    ({"learners": ["winnow"], "against": typed([[], 1], concepts="disjunctions")}, "no concept of disjunctions(n=3)"),
    ({"learners": ["winnow", "hedge"], "against": typed()}, "two of a kind"),
    ({"learners": ["perceptron"], "against": {"kind": "rows", "text": ""}}, "no rows"),
    ({"learners": ["perceptron"], "against": {"kind": "rows", "text": "1 1:x\n"}}, "rows, line 1"),
    ({"learners": ["perceptron"], "against": {"kind": "rows", "base64": "?"}}, "base64"),
    (WIDE, "more than 1,000 rows"),
    ({"learners": ["winnow"]}, "against: expected an object"),
    ([], "expected an object"),
]


def test_what_cannot_be_played_is_refused_in_one_line_and_the_lab_goes_on(lab):
    for asked, why in PLAYS:
        assert why in refused(400, request(lab, "/api/play", json.dumps(asked))), asked
    for name, n in (("conjunctions", 60), ("half_intervals", 63), ("none", 3), ("disjunctions", -1), ("k_of_r", 3)):
        refused(400, request(lab, body=json.dumps({"class": name, "n": n})))
    for body in ("", "{", "\xff", "NaN", "[" * 100_000, "1" * 5000, json.dumps({"a": "b" * 2**21})):
        assert "the request" in refused(400, request(lab, body=body))
    refused(404, request(lab, "/api/none"))
    refused(405, request(lab, method="GET", body=None))
    status, _, body = request(lab, body=json.dumps({"class": "dictators", "n": 4}))
    assert status == 200 and json.loads(body)["littlestone"] == 2


def test_no_other_page_can_drive_it(lab):
    """DNS rebinding: another name that leads here. Forgery: a request of another page, which knows no token, or sends a form."""
    tree, port = json.dumps({"class": "dictators", "n": 4}), urlsplit(lab).port
    assert request(lab, body=tree, Origin=f"http://127.0.0.1:{port}")[0] == 200
    for host in ("evil.example", f"evil.example:{port}", "127.0.0.1", f"127.0.0.1:{port}.evil.example", "", f"127.0.0.1:{port + 1}"):
        assert "Host" in refused(403, request(lab, body=tree, Host=host))
    for token in ("", "x", parse_qs(urlsplit(lab).query)["token"][0][:-1], "é"):
        for path, method in (("/api/tree", "POST"), ("/", "GET"), ("/none", "GET")):
            assert "token" in refused(403, request(lab, path, tree, method, token="%C3%A9" if token == "é" else token))
    for origin in ("https://evil.example", "null", f"http://evil.example:{port}"):
        assert "another page" in refused(403, request(lab, body=tree, Origin=origin))
    assert "another site" in refused(403, request(lab, body=tree, Sec_Fetch_Site="cross-site", Sec_Fetch_Mode="no-cors"))
    assert "application/json" in refused(400, request(lab, body=tree, Content_Type="text/plain"))
    status, headers, page = request(lab, "/", method="GET", body=None)
    assert status == 200 and "access-control-allow-origin" not in headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy and "unsafe" not in policy and policy.count("sha256-") == 2
    assert "innerHTML" not in page and not re.search(r"""(?:src|href)=["']?(?:https?:)?//""", page)


def test_work_that_takes_too_long_is_stopped_and_the_next_is_done():
    worker = Worker(pow, 120)
    try:
        assert worker.ask(2, 3) == 8
        with pytest.raises(Refusal, match="TypeError"):
            worker.ask("a", 2)
        worker.seconds = 1
        with pytest.raises(Refusal, match="more than 1 seconds"):
            worker.ask(10, 10**9)
        worker.seconds = 120
        assert worker.ask(3, 2) == 9
    finally:
        worker.stop()


def test_bad_options_are_refused(littlestone):
    result = littlestone("lab", "--port", "70000")
    assert result.returncode == 2 and "--port 70000" in result.stderr


CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


@pytest.fixture(scope="module")
def browser():
    if CHROMIUM is None:
        pytest.skip("no Chromium here (apt-get install chromium)")
    playwright = pytest.importorskip("playwright.sync_api", reason="no Playwright here: it is in the extra 'test'")
    with playwright.sync_playwright() as started:
        chromium = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield chromium
        chromium.close()


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C of another process is not the same there")
def test_in_a_browser_one_chooses_plays_sees_the_bound_hold_and_exports(lab, browser, tmp_path):
    expect = pytest.importorskip("playwright.sync_api").expect
    axe_of = pytest.importorskip("axe_playwright_python.sync_playwright", reason="no axe-core here: it is in the extra 'test'")
    context = browser.new_context(accept_downloads=True, reduced_motion="reduce")
    page, faults = context.new_page(), []
    page.set_default_timeout(60_000)
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("dialog", lambda dialog: (faults.append(dialog.message), dialog.dismiss()))

    def accessible():
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            result = axe_of.Axe().run(page)
            assert not result.response["violations"], result.generate_report()

    # choose, by keyboard alone
    page.goto(lab)
    page.wait_for_selector("body[data-ready]")
    accessible()
    page.get_by_label("Adversary", exact=True).select_option("block_bisection")
    page.get_by_label("Beside it").select_option("perceptron")
    page.get_by_label("n", exact=True).locator("visible=true").fill("16")
    page.keyboard.press("Enter")
    page.wait_for_selector("#cards .card")
    assert page.locator("#cards h2").count() == 2
    assert page.locator("#verdict").get_attribute("class").split() == ["verdict"]  # nothing is judged before a round
    page.get_by_role("button", name="Step", exact=True).focus()
    page.keyboard.press("Space")
    assert page.locator("#round").inner_text() == "round 1 of 6"
    page.get_by_role("slider", name="Round").focus()
    page.keyboard.press("ArrowRight")
    assert page.locator("#round").inner_text() == "round 2 of 6"
    accessible()

    # play to the end; the bound holds
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.locator("#round")).to_have_text("round 6 of 6", timeout=60_000)
    verdict = page.get_by_role("status").filter(has_text="winnow:").inner_text()
    duel = ls.duel(ls.winnow, ls.adversaries.block_bisection(16, 2))
    assert (
        f"winnow: {duel.mistakes} mistakes in 6 rounds" in verdict
        and f"at most {duel.upper_bound} by winnow-disjunction: the bound holds." in verdict
    )

    # every bar begins at 0: in the middle where some number is negative, else on the left
    assert "holds" in page.locator("#verdict").get_attribute("class")
    edges = """box => [...box.querySelectorAll('.track')].map(track => {
        const [fill, zero, all] = [...track.children, track].map(part => part.getBoundingClientRect());
        return [fill.left - zero.left, fill.right - zero.left, zero.left - all.left, all.width]; })"""
    for k, place in ((0, 0.0), (1, 0.5)):
        for left, right, zero, width in page.locator(".bars").nth(k).evaluate(edges):
            assert min(abs(left), abs(right)) <= 1 and abs(zero - place * width) <= 1

    # the link opens the same game; the report is saved
    link = page.url
    assert "#learner=winnow&learner=perceptron&against=block_bisection:n=16" in link and link.endswith("step=6")
    page.goto("about:blank")
    page.goto(link)
    page.wait_for_selector("#cards .card")
    assert page.get_by_role("status").filter(has_text="winnow:").inner_text() == verdict
    page.get_by_label("Beside it").select_option("")
    page.get_by_role("button", name="Start the game").click()
    expect(page.locator("#cards h2")).to_have_count(1, timeout=60_000)
    with page.expect_download() as saved:
        page.get_by_role("button", name="Export the report").click()
    saved.value.save_as(tmp_path / "report.html")
    report = (tmp_path / "report.html").read_text("utf-8")
    assert f"{duel.mistakes} mistakes in 6 rounds" in report and "littlestone duel winnow" in report

    # rows whose names are markup, an error, and a game against oneself
    page.get_by_label("rows of your own").check()
    page.get_by_label("Rows, each with its label").fill(ROWS.replace("lunch", "</script><script>alert(1)</script>"))
    page.get_by_label("Learner", exact=True).select_option("perceptron")
    page.get_by_role("button", name="Start the game").click()
    expect(page.locator("#cards h2")).to_contain_text("perceptron", timeout=60_000)
    page.get_by_role("button", name="To the end").click()
    assert "alert" in page.locator(".bars").inner_text()
    page.get_by_label("Rows, each with its label").fill("1 1:x")
    page.get_by_role("button", name="Start the game").click()
    assert "line 1" in page.get_by_role("alert").locator("visible=true").inner_text()
    accessible()
    page.get_by_label("you", exact=True).check()
    page.get_by_label("Learner", exact=True).select_option("halving")
    page.get_by_label("Labels agree with a concept of").select_option("disjunctions")
    page.get_by_role("button", name="Start the game").click()
    expect(page.locator("#verdict")).to_have_text("no round was played yet, and nothing is shown.", timeout=60_000)
    assert page.locator("#verdict").get_attribute("class").split() == ["verdict"]
    page.get_by_role("button", name="x0", exact=True).click()
    page.wait_for_selector("#x-0[aria-pressed=true]")
    page.get_by_role("button", name="The label is 0").click()
    expect(page.locator("#round")).to_have_text("round 1 of 1", timeout=60_000)
    assert "8 of 16 of disjunctions(n=4)" in page.locator(".card").last.inner_text()
    accessible()

    # a tree, walked
    page.get_by_role("tab", name="Play a game").focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_selector("#drawing svg")  # it is there at once
    page.get_by_role("button", name="Draw the tree").click()
    for mistakes in range(1, 5):
        page.get_by_role("button", name=f"I predict {mistakes % 2}").click()
        assert f"mistake {mistakes} of 4" in page.locator("#walk").inner_text()
    accessible()
    assert faults == []
    context.close()
