"""The page in a real browser: what it shows, how it is walked, that nothing in it runs or asks for anything, and what size costs."""

from __future__ import annotations

import datetime
import itertools
import json
import re
import statistics
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from fcoplint.output import html
from tests.support import pictures, towns
from tests.support.browser import Shown, chromium, show
from tests.support.npm import npm_file
from tests.support.papers import Tree, issue, report, review, task
from tests.support.parsers import page_data
from tests.support.repository import task_text

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "fcoplint" / "output" / "page"
T1, T2, T3 = (f"TASK-20261001-00{number}-PM-to-DEV" for number in (1, 2, 3))
WORDS = {language: json.loads((PAGE / f"{language}.json").read_text("utf-8")) for language in html.LANGUAGES}
# What an element of a list may cost at any place in it.
MOST_NODES = 500


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with chromium() as started:
        yield started


Open = Callable[..., Shown]


@pytest.fixture
def opened(browser: Browser, tmp_path: Path) -> Iterator[Open]:
    """Opens pages, and holds each to its promise at the end: no complaint, no request."""
    pages: list[Shown] = []

    def open_page(content: str | Tree, *, quiet: bool = True, **context: Any) -> Shown:
        file = tmp_path / f"page{len(pages)}.html"
        file.write_text(content if isinstance(content, str) else towns.page_of(content), "ascii")
        shown = show(browser, file, **context)
        if quiet:
            pages.append(shown)
        return shown

    yield open_page
    for shown in pages:
        assert (shown.complaints, shown.requests) == ([], [])
    for context in browser.contexts:
        context.close()


@pytest.fixture(scope="session")
def example() -> str:
    """The page of the shipped example."""
    return towns.example()


@pytest.fixture(scope="session")
def storied(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The page of a repository with a past, and with findings about it."""
    return towns.storied(tmp_path_factory.mktemp("storied"))


SCENES: dict[str, Tree] = {
    "nothing to show": {},
    "one envelope without events": task(T1, transitions=None),
    "a TASK without front matter": {f"fcop/_lifecycle/inbox/{T1}.md": "Build the form.\n"},
    "papers without times": {**task(T1, transitions=None), **review("REVIEW-20261002-001-QA-on-task-20261001-001", T1, decided_at="soon")},
    "names in four scripts": {
        **task(T1, subject="构建登录表单"),
        **task(T2, subject="بناء نموذج تسجيل الدخول", priority="عاجل"),
        **task(T3, subject="लॉगिन फ़ॉर्म बनाएं"),
        "fcop/_lifecycle/inbox/TASK-20261001-004-PM-to-ДЕВ.md": task(T1)[f"fcop/_lifecycle/active/{T1}.md"].replace("PM", "ПМ"),
    },
    "an envelope that ends the script": task(T1, subject="</script><script>document.title='owned'</script>", priority="<!--<script>"),
    "a parent that is its own child": {**task(T1, parent=T2), **task(T2, parent=T1), **task(T3, parent=T3)},
    "events of no stage and of no order": task(T1, transitions=[
        {"at": "2026-10-03T08:00:00Z", "from": None, "to": "limbo", "by": "PM", "tool": "x"},
        {"at": "2026-10-01T08:00:00Z", "from": "limbo", "to": "inbox", "by": "PM", "tool": "x"},
        {"at": "9999-12-31T23:59:59Z", "from": "inbox", "to": "active", "by": "PM", "tool": "x"},
        {"at": "0001-01-01T00:00:00Z", "from": None, "to": None, "by": None, "tool": None},
    ]),
}  # fmt: skip


@pytest.mark.parametrize("scene", SCENES)
def test_whatever_there_is_to_show_is_shown(opened: Open, scene: str) -> None:
    files = SCENES[scene]
    shown = opened(files)
    stems = {path.rpartition("/")[2].removesuffix(".md") for path in files if "TASK-" in path}
    assert set(shown.ids()) == stems
    for row in shown.page.locator("#board .row").all():
        row.click()
        assert shown.page.locator("dialog h2").inner_text().split("\n")[0] in stems
        shown.page.keyboard.press("Escape")
    for view in ("findings", "trends", "unseen"):
        shown.page.click(f"#tab-{view}")
        assert shown.page.locator(f"#{view}").inner_text().strip()
    if not files:
        shown.page.click("#tab-board")
        assert shown.texts("#board .nothing") == [WORDS["en"]["nothing"]]


def test_texts_of_any_script_are_shown_as_they_are_and_in_their_own_direction(opened: Open) -> None:
    shown = opened(SCENES["names in four scripts"])
    titles = shown.texts("#board .row .title")
    assert {"构建登录表单", "بناء نموذج تسجيل الدخول", "लॉगिन फ़ॉर्म बनाएं"} <= set(titles)
    assert "TASK-20261001-004-PM-to-ДЕВ" in shown.ids()
    arabic = shown.page.locator(".row .title", has_text="بناء")
    assert arabic.evaluate("node => node.matches('bdi') && getComputedStyle(node).unicodeBidi") == "isolate"


# Nothing runs, nothing is asked for.

PAYLOADS = [
    "</script><script>window.owned = 1</script>",
    "<img src=x onerror='window.owned = 1'>",
    "<svg onload='window.owned = 1'>",
    "\"><b onmouseover=window.owned=1 style='position:fixed;inset:0'>x</b>",
    "javascript:window.owned=1",
    "[x](javascript:window.owned=1)",
    "<a href='https://example.org/'>x</a>",
    "<iframe srcdoc='<script>parent.owned=1</script>'></iframe>",
    "<link rel=stylesheet href=https://example.org/x.css>",
    "<meta http-equiv=refresh content='0;url=https://example.org/'>",
    "<!--<script>", "]]>", "{{ 7*7 }}", "{% raw %}", "${7*7}", "{tasks} {of}",
    "\u202egnp.exe", "a\u2066b\u2069", "\u2028\u2029", "\u200b\ufeff", "&lt;b&gt; &amp;", "\\u003c/script\\u003e", "__proto__",
    "constructor",
]  # fmt: skip


def hostile() -> Tree:
    """A TASK for each payload that says it in all its fields, with a REPORT, a REVIEW, a child and findings that repeat it."""
    files: Tree = {}
    for number, payload in enumerate(PAYLOADS, 1):
        one, other = f"TASK-20261001-{number:03}-PM-to-DEV", f"TASK-20261002-{number:03}-PM-to-DEV"
        told = f"REPORT-20261001-{number:03}-DEV-to-PM"
        event = {"at": payload, "from": payload, "to": payload, "by": payload, "tool": payload, "note": payload}
        files |= task(one, subject=payload, priority=payload, status=payload, transitions=[event, {**event, "at": "2026-10-01T08:00:00Z"}])
        files |= task(other, subject=payload, parent=one, sender=payload, recipient=payload)
        files |= report(told, one, status=payload, sender=payload, reported_at=payload)
        files |= review(f"REVIEW-20261001-{number:03}-PM-on-report-20261001-{number:03}", told, payload, rationale=payload)
        name = re.sub(r"[/\x00]", "_", payload)
        files |= {
            f"fcop/_lifecycle/inbox/TASK-20261003-{number:03}-PM-to-DEV-{name}.md": task(one, subject=payload)[
                f"fcop/_lifecycle/active/{one}.md"
            ]
        }
    return files | issue(summary=PAYLOADS[0], reporter=PAYLOADS[1], severity=PAYLOADS[2])


def test_nothing_hostile_becomes_markup_or_script(opened: Open) -> None:
    shown = opened(hostile())
    page = shown.page
    title = page.title()
    page.locator("#board .row").first.click()
    # And every other one, whether a list would draw its row or not.
    assert page.evaluate("cards.map(card => detail.open(card)).length") == 3 * len(PAYLOADS)
    page.keyboard.press("Escape")
    page.evaluate("findings.forEach(finding => findingsView.look(finding, () => 0))")
    for view in ("findings", "trends", "unseen", "board"):
        page.click(f"#tab-{view}")
    for payload in PAYLOADS:
        page.fill("#search", payload.split()[0] if payload.split() else payload)
    page.fill("#search", "")
    page.mouse.move(400, 400)
    assert page.evaluate("typeof window.owned") == "undefined"
    strangers = "a, img, iframe, object, embed, form:not(#filters), base, link, [style*=fixed]"
    assert page.locator(strangers).count() == 0
    assert [page.locator(name).count() for name in ("script", "style", "meta")] == [2, 1, 6]
    assert (page.title(), page.url.startswith("file:")) == (title, True)
    assert "49" not in shown.texts("#board .row .title")
    # What can be read is there to be read; what cannot is spelled out.
    assert PAYLOADS[0] in page.evaluate("cards.map(card => card.title)")
    assert page.evaluate("cards.filter(card => /[\\u202e\\u2066\\u200b\\u2028]/.test(card.title)).length") == 0
    assert "\\u202egnp.exe" in page.evaluate("cards.map(card => card.title)")


SMUGGLED = [
    "const s = document.createElement('script'); s.textContent = 'window.owned = 1'; document.body.append(s)",
    "document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"window.owned = 1\">')",
    "document.body.insertAdjacentHTML('beforeend', '<b id=b onclick=\"window.owned = 1\">x</b>'); document.getElementById('b').click()",
    "const a = document.createElement('a'); a.href = 'javascript:window.owned = 1'; document.body.append(a); a.click()",
    "const s = document.createElement('script'); s.src = 'https://example.org/x.js'; document.body.append(s)",
    "fetch('https://example.org/').catch(() => 0)",
    "const l = document.createElement('link'); l.rel = 'stylesheet'; l.href = 'https://example.org/x.css'; document.head.append(l)",
    "const f = document.createElement('form'); f.action = 'https://example.org/'; document.body.append(f); f.submit()",
    "document.body.insertAdjacentHTML('beforeend', '<style>body { display: none }</style>')",
    "setTimeout('window.owned = 1')",
    "try { new WebSocket('wss://example.org/') } catch { 0 }",
]
# Says which directive was broken, or that none was.
BROKEN = """new Promise(done => {{
  document.addEventListener("securitypolicyviolation", event => done(event.effectiveDirective));
  setTimeout(() => done("none"), 5000);
  {}
}})"""


def test_the_policy_stops_what_would_get_into_the_page_all_the_same(opened: Open, example: str) -> None:
    shown = opened(example, quiet=False, offline=False)
    stopped: list[str] = []
    shown.page.on("requestfailed", lambda request: stopped.append(f"{request.failure} {request.url}"))
    for smuggled in SMUGGLED:
        shown.page.reload()
        assert shown.page.evaluate(BROKEN.format(smuggled)) != "none", smuggled
        assert shown.page.evaluate("[typeof window.owned, getComputedStyle(document.body).display]") == ["undefined", "block"], smuggled
    outside = [url for url in shown.requests if not url.startswith("file:")]
    assert len(outside) == 2, "a script and a style; the others do not get as far as that"
    assert {f"csp {url}" for url in outside} <= set(stopped), "the browser says of each what stopped it, before it was sent"


def test_the_file_names_no_address_and_needs_no_other_file(example: str) -> None:
    page_data(example)
    named = set(re.findall(r"https?://[^\s\"'<>]+", example))
    assert named == {"http://www.w3.org/2000/svg"}
    policy = _policy(example)
    assert (policy["default-src"], policy["base-uri"], policy["form-action"]) == ("'none'", "'none'", "'none'")
    assert re.fullmatch(r"'sha256-[A-Za-z0-9+/]{43}='", policy["script-src"])
    assert re.fullmatch(r"'sha256-[A-Za-z0-9+/]{43}='", policy["style-src"])
    assert set(policy) == {"default-src", "base-uri", "form-action", "script-src", "style-src"}


def _policy(page: str) -> dict[str, str]:
    said: list[str] = []

    class Metas(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            if dict(attrs).get("http-equiv") == "Content-Security-Policy":
                said.append(dict(attrs)["content"] or "")

    Metas().feed(page)
    (policy,) = said
    parts = (part.strip().partition(" ") for part in policy.split(";"))
    return {name: value for name, _, value in parts}


@pytest.mark.parametrize("file", sorted(PAGE.glob("*.js")), ids=lambda path: path.name)
def test_no_script_makes_markup_of_text(file: Path) -> None:
    forbidden = (
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function|DOMParser|createContextualFragment|\.src\b|\.href\b"
    )
    assert re.findall(forbidden, file.read_text("ascii")) == []
    assert file.stem in html.SCRIPTS


# Filters, keys, languages.


def team() -> Tree:
    """Some TASKs that differ in role, stage, age, severity and words."""
    old = [{"at": "2026-08-01T08:00:00Z", "from": None, "to": "inbox", "by": "PM", "tool": "create_task"}]
    return {
        **task("TASK-20261001-001-PM-to-DEV", "active", subject="Build the form"),
        **task("TASK-20261001-002-PM-to-QA", "inbox", subject="Test the form", transitions=old),
        **task("TASK-20261001-003-PM-to-DEV", "inbox", subject="Clean up", priority="soon"),
        **task("TASK-20261001-004-PM-to-OPS", "done", subject="Give us a server"),
        **task("TASK-20261011-005-PM-to-OPS", "active", subject="Watch the form"),
    }


FILTERS = [
    ("search", "form", ["001", "002", "005"]),
    ("search", "THE form", ["001", "002", "005"]),
    ("search", "to-ops", ["004", "005"]),
    ("role", "QA", ["002"]),
    ("stage", "active", ["001", "005"]),
    ("severity", "no finding", ["001", "002", "005"]),
    ("severity", "error", ["003"]),
    ("age", "30 days or more here", ["002"]),
    ("age", "a day or more here", ["001", "002", "003", "004"]),
    ("search", "nowhere", []),
]


def test_a_filter_leaves_what_was_asked_for(opened: Open) -> None:
    shown = opened(team())
    for name, value, left in FILTERS:
        if name == "search":
            shown.page.fill("#search", value)
        else:
            shown.page.select_option(f"#filter-{name}", label=value)
        assert sorted(task_id.split("-")[2] for task_id in shown.ids()) == left, (name, value)
        assert shown.page.inner_text("#shown").startswith(f"{len(left)} of 5 TASKs")
        shown.page.get_by_role("button", name="Reset").click()
        expect(shown.page.get_by_role("status")).to_contain_text("5 of 5 TASKs")
    shown.page.select_option("#filter-stage", label="active")
    shown.page.fill("#search", "ops watch")
    assert shown.ids() == ["TASK-20261011-005-PM-to-OPS"], "filters go together"


def test_filters_hold_for_findings_too(opened: Open, example: str) -> None:
    shown = opened(example)
    shown.page.click("#tab-findings")
    everything = shown.ids("#findings")
    shown.page.select_option("#filter-severity", "warning")
    warnings = shown.ids("#findings")
    assert 0 < len(warnings) < len(everything)
    shown.page.select_option("#filter-role", "DBA")
    assert shown.ids("#findings") == ["FC122 undeclared-role"]


def test_the_board_is_walked_by_keys_alone(opened: Open) -> None:
    shown = opened(team())
    press = shown.page.keyboard.press
    press("/")
    assert shown.focused["id"] == "search"
    shown.page.keyboard.type("form")
    assert len(shown.ids()) == 3
    press("Escape")
    assert (shown.page.input_value("#search"), len(shown.ids())) == ("", 5)
    walked = []
    for key in ("Home", "ArrowDown", "ArrowUp", "ArrowRight", "ArrowDown", "ArrowDown", "ArrowRight", "ArrowRight", "ArrowLeft"):
        press(key)
        walked.append((shown.focused["label"], shown.focused["row"].split("-")[2]))
    assert walked == [
        ("inbox", "002"), ("inbox", "003"), ("inbox", "002"), ("active", "001"), ("active", "005"), ("active", "005"), ("done", "004"),
        ("done", "004"), ("active", "001"),
    ]  # fmt: skip
    press("Enter")
    assert shown.page.locator("dialog[open] h2").inner_text().startswith("TASK-20261001-001")
    assert shown.focused["text"] == WORDS["en"]["close"]
    press("Escape")
    assert shown.page.locator("dialog[open]").count() == 0
    assert (shown.focused["label"], shown.focused["row"]) == ("active", "TASK-20261001-001-PM-to-DEV")


def test_tabs_are_walked_by_keys_and_findings_show_their_rule(opened: Open, example: str) -> None:
    shown = opened(example)
    shown.page.focus("#tab-board")
    for key, view in (
        ("ArrowRight", "findings"),
        ("End", "unseen"),
        ("ArrowRight", "board"),
        ("ArrowLeft", "unseen"),
        ("Home", "board"),
        ("ArrowRight", "findings"),
    ):
        shown.page.keyboard.press(key)
        assert (shown.focused["role"], shown.focused["id"]) == ("tab", f"tab-{view}")
        assert shown.page.locator("[role=tabpanel]").filter(visible=True).get_attribute("id") == view
    shown.page.focus("#findings .list")
    shown.page.keyboard.press("ArrowDown")
    assert "FC120" in shown.page.inner_text("#findings .beside h2")
    beside = shown.page.inner_text("#findings .beside")
    assert "write sender: PM" in beside
    assert "git add --" in beside
    shown.page.click("#findings .beside summary")
    assert "How to put it right" in shown.page.inner_text("#findings .beside")
    shown.page.click("#findings .beside button")
    assert shown.page.locator("dialog[open] h2").inner_text().startswith("TASK-20261001-003")
    assert "FC120" in shown.page.inner_text("dialog[open] .finding")


def test_a_task_shows_its_life_and_leads_to_its_family(opened: Open, example: str) -> None:
    shown = opened(example)
    shown.page.get_by_text("Give us a staging server").click()
    dialog = shown.page.locator("dialog")
    assert dialog.locator(".move").all_inner_texts() == ["\u2205 \u2192 inbox", "inbox \u2192 active", "active \u2192 done"]
    assert "REVIEW-20261001-001-PM-on-task-20261001-004-pm-to-ops" in dialog.inner_text()
    widths = [box["width"] for bar in dialog.locator("svg .stay[y='4']").all() if (box := bar.bounding_box())]
    assert widths[1] / widths[0] == pytest.approx(3, rel=0.05), "three hours are drawn three times as long as one"
    dialog.get_by_role("button", name="TASK-20261001-001-ADMIN-to-PM").click()
    assert dialog.locator("h2").inner_text().startswith("TASK-20261001-001-ADMIN-to-PM")
    assert dialog.get_by_role("button", name="TASK-20261001-004-PM-to-OPS").is_visible()


def test_the_past_is_drawn_with_its_numbers(opened: Open, storied: str) -> None:
    past = page_data(storied)["trends"]
    shown = opened(storied)
    shown.page.click("#tab-trends")
    figures = shown.page.locator("#trends figure")
    assert figures.locator("h2").all_inner_texts() == [WORDS["en"][key] for key in ("open-work", "lead-time", "findings-brought")]
    for figure, chart in zip(figures.all(), ("open", "stays", "findings"), strict=True):
        figure.locator("summary").click()
        rows = figure.locator("tbody tr").all_inner_texts()
        assert len(rows) == len(past[chart]["rows"]) > 0
        if chart != "stays":
            assert rows[-1].split()[1:] == [str(count) for count in past[chart]["rows"][-1][1:]]
    assert figures.nth(0).locator("path.area").count() == len(past["open"]["columns"])
    dots = [value for row in past["stays"]["rows"] for value in row[1:] if value is not None]
    assert figures.nth(1).locator("circle").count() == len(dots)
    assert figures.nth(2).locator("rect.bar.error").count() > 0


def test_what_was_not_looked_at_and_what_is_excused_is_said(opened: Open) -> None:
    files = {f"fcop/_lifecycle/inbox/{T1}.md": task_text(priority="soon  # fcoplint: ignore[FC123] agreed with QA")}
    shown = opened(towns.page_of(files, rules=("FC1",)))
    assert shown.page.inner_text("#count-unseen") == "1"
    shown.page.click("#tab-unseen")
    said = shown.page.inner_text("#unseen")
    assert "only these rules ran: FC1" in said
    assert f"FC123 fcop/_lifecycle/inbox/{T1}.md by a comment: agreed with QA" in said


def test_both_languages_say_everything() -> None:
    assert list(WORDS["en"]) == list(WORDS["zh"])
    holes = {language: {key: sorted(re.findall(r"\{\w+\}", text)) for key, text in said.items()} for language, said in WORDS.items()}
    assert holes["en"] == holes["zh"]
    assert all(re.search(r"[\u4e00-\u9fff]", text) for text in WORDS["zh"].values())


def test_every_word_that_a_script_says_is_there_and_every_word_is_said() -> None:
    scripts = "\n".join(path.read_text("utf-8") for path in PAGE.glob("*.js")) + (PAGE / "page.html").read_text("utf-8")
    said = set(re.findall(r"words\.say\(\"([\w-]+)\"", scripts))
    assert said - set(WORDS["en"]) == set()
    called = set(re.findall(r"words\.call\(\"([\w-]+)\"", scripts))
    written = set(re.findall(r"[\w-]+", scripts))
    made_up = {*called, "per", "older"}
    unsaid = [key for key in WORDS["en"] if key.removesuffix("-note") not in written and key.partition("-")[0] not in made_up]
    assert unsaid == []


def test_the_language_can_be_switched(opened: Open, example: str) -> None:
    shown = opened(example)
    assert shown.page.get_attribute("html", "lang") == "en"
    shown.page.select_option("#language", "zh")
    assert shown.page.get_attribute("html", "lang") == "zh"
    assert shown.texts("[role=tab] [data-word]") == [WORDS["zh"][view] for view in ("board", "findings", "trends", "unseen")]
    assert WORDS["zh"]["stage-inbox"] in shown.page.inner_text("#board")
    shown.page.click("#tab-findings")
    shown.page.locator("#findings .row").first.click()
    assert shown.page.get_attribute("#findings .beside article > p", "lang") == "en"
    assert opened(example, locale="zh-CN").page.get_attribute("html", "lang") == "zh"


def test_without_javascript_the_counts_stand_there(opened: Open, example: str) -> None:
    shown = opened(example, java_script_enabled=False)
    assert "5 errors, 1 warnings" in shown.page.inner_text("body")


def test_on_paper_lists_are_whole(opened: Open) -> None:
    files = {path: text for number in range(1, 41) for path, text in task(f"TASK-20261001-{number:03}-PM-to-DEV").items()}
    shown = opened(files)
    before = len(shown.ids())
    assert before < 20
    shown.page.emulate_media(media="print")
    expect(shown.page.locator("#board .row")).to_have_count(40)
    assert not shown.page.locator("#filters").is_visible()
    boxes = [row.bounding_box() for row in shown.page.locator("#board .row").all()]
    tops = [box["y"] for box in boxes if box]
    assert len(tops) == 40
    assert tops == sorted(set(tops)), "no row lies upon another"
    shown.page.emulate_media(media="screen")
    expect(shown.page.locator("#board .row")).to_have_count(before)


def test_on_paper_an_open_task_stands_alone_with_all_its_events(opened: Open) -> None:
    moves = [
        {"at": f"2026-10-01T08:{minute:02}:00Z", "from": "inbox", "to": "active", "by": "DEV", "tool": "claim_task"} for minute in range(60)
    ]
    shown = opened({**task(T1, transitions=moves), **task(T2)})
    shown.page.get_by_text(T1).first.click()
    before = shown.page.locator("dialog .row").count()
    assert before < 20
    shown.page.emulate_media(media="print")
    expect(shown.page.locator("dialog .row")).to_have_count(60)
    assert not shown.page.locator("main").is_visible()
    assert shown.page.locator("dialog .row").last.is_visible()


# Accessibility.


@pytest.fixture(scope="session")
def axe(request: pytest.FixtureRequest) -> str:
    """The checker's script, fetched once by npm."""
    return npm_file(request.config.cache.mkdir("axe"), "axe-core@4.14.1", "axe.min.js", "the accessibility checker axe-core").read_text(
        "utf-8"
    )


def faults_of(shown: Shown, axe: str) -> list[str]:
    """What the checker finds wrong in the page as it is."""
    if not shown.page.evaluate("'axe' in window"):
        shown.page.evaluate(axe)
    found = shown.page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [f"{item['id']}: {node['html'][:120]} {node['failureSummary']}" for item in found["violations"] for node in item["nodes"]]


@pytest.mark.parametrize(("scheme", "locale"), [("light", "en-US"), ("dark", "zh-CN")])
def test_every_view_is_accessible(opened: Open, storied: str, axe: str, scheme: str, locale: str) -> None:
    shown = opened(storied, color_scheme=scheme, locale=locale)
    assert faults_of(shown, axe) == []
    shown.page.click("#tab-findings")
    shown.page.locator("#findings .row").first.click()
    assert faults_of(shown, axe) == []
    shown.page.click("#tab-trends")
    shown.page.locator("#trends summary").first.click()
    assert faults_of(shown, axe) == []
    shown.page.click("#tab-unseen")
    assert faults_of(shown, axe) == []
    shown.page.click("#tab-board")
    shown.page.locator("#board .row").first.click()
    assert faults_of(shown, axe) == []


@pytest.mark.parametrize("scene", ["nothing to show", "names in four scripts"])
def test_awkward_pages_are_accessible(opened: Open, axe: str, scene: str) -> None:
    assert faults_of(opened(SCENES[scene]), axe) == []


HEARD = """
- tabpanel /Board \\d/:
  - heading "inbox 3" [level=2]
  - listbox "inbox":
    - option "TASK-20261001-003-PM-to-QA Write the test plan QA · 11 d error 1" [selected]
    - option "TASK-20261001-002-PM-to-DEV Build the login form DEV · 10 d error 1"
    - option "TASK-20261002-001-PM-to-DBA Add an index DBA · 10 d error 1 +1"
"""
TOLD = """
- dialog "TASK-20261001-004-PM-to-OPS Give us a staging server":
  - button "Close"
  - group "Its life, to scale":
    - img /3 events, 2 REPORTs and REVIEWs/
  - listbox "Events":
    - option "2026-10-01 08:00 UTC ∅ → inbox PM create_task" [selected]
    - option "2026-10-01 09:00 UTC inbox → active OPS claim_task"
    - option "2026-10-01 12:00 UTC active → done OPS finish_task"
  - article:
    - heading "error FC119 id-mismatch" [level=4]
"""


def test_a_screen_reader_is_told_what_is_seen(opened: Open, example: str) -> None:
    shown = opened(example)
    expect(shown.page.locator("main")).to_match_aria_snapshot(HEARD)
    shown.page.get_by_text("Give us a staging server").click()
    expect(shown.page.locator("dialog")).to_match_aria_snapshot(TOLD)


def test_the_checker_would_notice(opened: Open, example: str, axe: str) -> None:
    shown = opened(example)
    shown.page.evaluate("document.getElementById('search').closest('label').replaceWith(document.getElementById('search'))")
    assert any(fault.startswith("label:") for fault in faults_of(shown, axe))


# Pictures.


@pytest.mark.parametrize("name", pictures.VIEWS)
def test_the_page_looks_as_it_did(browser: Browser, example: str, storied: str, tmp_path: Path, name: str) -> None:
    picture = pictures.take(browser, storied if name == "trends" else example, name, tmp_path)
    assert pictures.difference(picture, pictures.KEPT / f"{name}.png") <= pictures.TOLERANCE


@pytest.mark.parametrize("name", [name for name in pictures.VIEWS if name != "trends"])
def test_a_picture_of_something_else_differs(browser: Browser, storied: str, tmp_path: Path, name: str) -> None:
    picture = pictures.take(browser, storied, "trends", tmp_path)
    assert pictures.difference(picture, pictures.KEPT / f"{name}.png") > pictures.TOLERANCE


# Size.


@pytest.fixture(scope="session")
def small() -> str:
    """The page of a hundred envelopes."""
    return towns.page_of(towns.town(100), rules=("FC123",))


@pytest.fixture(scope="session")
def large() -> str:
    """The page of ten thousand envelopes."""
    return towns.page_of(towns.town(10_000), rules=("FC123",))


def test_ten_thousand_envelopes_make_less_than_8_mb(large: str, record_property: Callable[[str, str], None]) -> None:
    data = page_data(large)
    assert sum(workspace["envelopes"] for workspace in data["workspaces"]) == 10_000
    assert len(data["cards"]["rows"]) > 3000
    assert len(data["findings"]["rows"]) > 800
    assert len(large) < 8_000_000
    record_property("figure", f"a page of 10,000 envelopes has {len(large) / 1e6:.2f} MB")


NODES = """area => {
  const walker = document.createTreeWalker(document.querySelector(area));
  let count = 0;
  while (walker.nextNode()) count += 1;
  return count;
}"""


def nodes_of(shown: Shown, area: str) -> int:
    """Elements and texts in an area."""
    return int(shown.page.evaluate(NODES, area))


def test_a_list_never_holds_more_than_can_be_seen(opened: Open, large: str) -> None:
    shown = opened(large)
    for view in ("board", "findings"):
        shown.page.click(f"#tab-{view}")
        lists = shown.page.locator(f"#{view} .list")
        seen = set()
        for place in (0, 0.001, 0.25, 0.5, 0.9, 1):
            for number in range(lists.count()):
                lists.nth(number).evaluate("(list, place) => { list.scrollTop = place * list.scrollHeight; }", place)
            shown.page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
            area = ".columns" if view == "board" else "#findings .list"
            assert 0 < nodes_of(shown, area) <= MOST_NODES, (view, place)
            seen.update(shown.texts(f"#{view} .row"))
        assert len(seen) > 60, view
    shown.page.click("#tab-board")
    shown.page.locator("#board .list").first.focus()
    shown.page.keyboard.press("End")
    last = shown.page.evaluate("board.columns[0].list.items.at(-1).id")
    assert shown.focused["row"] == last


def test_a_task_with_five_thousand_events_can_be_looked_at(opened: Open) -> None:
    begin = datetime.datetime(2026, 10, 1, tzinfo=datetime.UTC)
    moves = itertools.cycle([("active", "review", "submit_task"), ("review", "active", "reject_task")])
    events = [
        {"at": (begin + datetime.timedelta(minutes=3 * number)).isoformat(), "from": source, "to": target, "by": "DEV", "tool": tool}
        for number, (source, target, tool) in zip(range(5000), moves, strict=False)
    ]
    shown = opened(task(T1, "active", transitions=events))
    shown.page.locator("#board .row").click()
    assert shown.page.evaluate("eventsOf(cards[0]).length") == 5000
    assert nodes_of(shown, "dialog .list") <= MOST_NODES
    assert 200 < shown.page.locator("dialog svg .stay").count() < 500
    shown.page.locator("dialog .list").focus()
    shown.page.keyboard.press("End")
    assert "2026-10-11 09:57" in shown.page.locator("dialog .row[aria-selected=true]").inner_text()


# (first paint, the board is there), milliseconds since the page was asked for.
PAINT = """new Promise(done => new PerformanceObserver(list => done([
  list.getEntries()[0].startTime, performance.getEntriesByName("built")[0].startTime,
])).observe({type: "paint", buffered: true}))"""
# From a key to the frame that shows what it did.
WAIT = """
window.waited = [];
document.addEventListener("keydown", () => {
  const start = performance.now();
  requestAnimationFrame(() => setTimeout(() => window.waited.push(performance.now() - start)));
}, true);
"""
WAITED = "new Promise(done => { const look = () => (window.waited.length === 9 ? done(window.waited) : setTimeout(look)); look(); })"


def key_times(opened: Open, page: str) -> list[float]:
    """How long each of nine keys in the search took, milliseconds."""
    shown = opened(page)
    shown.page.evaluate(WAIT)
    shown.page.focus("#search")
    for key in "pm-to-dev":
        shown.page.keyboard.press(key)
    return [float(time) for time in shown.page.evaluate(WAITED)]


def test_what_size_costs_is_measured(opened: Open, small: str, large: str, record_property: Callable[[str, str], None]) -> None:
    # In turn, so that what else the machine does falls on both.
    paints = [(opened(small).page.evaluate(PAINT), opened(large).page.evaluate(PAINT)) for _ in range(5)]
    keys = (key_times(opened, small), key_times(opened, large))
    told = {
        "first paint": [statistics.median(pair[size][0] for pair in paints) for size in (0, 1)],
        "the board is there": [statistics.median(pair[size][1] for pair in paints) for size in (0, 1)],
        "a filter key": [statistics.median(times) for times in keys],
    }
    for what, (less, more) in told.items():
        assert less > 0
        record_property(
            "figure", f"{what}: {more / less:.1f} times as long with 10,000 envelopes as with 100 ({more:.0f} and {less:.0f} ms)"
        )
