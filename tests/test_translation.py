"""The translations say what the English files say: the same rules, keys, parameters, commands, examples, code."""

import re
from pathlib import Path

import pytest

from fcoplint import catalogue
from fcoplint.catalogue import Rule
from fcoplint.output import phrases
from tests.support.translation import HEADINGS, RULES, code_spans, follow, parts

FILES = sorted(RULES.glob("FC*.md"))
SENTENCE = re.compile(r"[。！？]$")
CHINESE = re.compile(r"[\u4e00-\u9fff]")
# Half-width punctuation between Chinese characters, and blanks between them: nobody writes so.
CLUMSY = re.compile(r"[\u4e00-\u9fff][,;:?!][\u4e00-\u9fff]|[\u4e00-\u9fff] [\u4e00-\u9fff]")


def _prose(rule: Rule) -> dict[str, str]:
    texts = {f"{key}.{what}": text for key, item in rule.messages.items() for what, text in (("text", item.text), ("help", item.help))}
    return {"title": rule.title, "why": rule.why, **texts}


def _holes(text: str) -> list[str]:
    return sorted(set(re.findall(r"\{[^}]*\}", text)))


def _paragraphs(part: str) -> int:
    """How many paragraphs, lists and tables a part has, examples aside: one that is added must be translated."""
    prose = re.sub(r"^```.*?^```$", "", part.partition("\n")[2], flags=re.MULTILINE | re.DOTALL)
    return len([block for block in re.split(r"\n\s*\n", prose) if block.strip()])


@pytest.mark.parametrize("lang", HEADINGS)
def test_the_same_rules_are_there(lang: str) -> None:
    assert [path.name for path in sorted((RULES / lang).iterdir())] == [path.name for path in FILES]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
@pytest.mark.parametrize("lang", HEADINGS)
def test_all_but_the_prose_is_the_english_files(lang: str, path: Path) -> None:
    own = (RULES / lang / path.name).read_text("utf-8")
    assert own == follow(path.read_text("utf-8"), own, lang), "run: python -m tests.support.translation"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
@pytest.mark.parametrize("lang", HEADINGS)
def test_the_prose_says_the_same(lang: str, path: Path) -> None:
    english, own = catalogue.rule(path.name[:5]), catalogue.rule(path.name[:5], lang)
    assert list(own.messages) == list(english.messages)
    assert [item.next for item in own.messages.values()] == [item.next for item in english.messages.values()]
    assert (own.code, own.name, own.contract, own.protocols, own.severity, own.fix, own.source) == (
        english.code, english.name, english.contract, english.protocols, english.severity, english.fix, english.source
    )  # fmt: skip
    originals = _prose(english)
    for key, text in _prose(own).items():
        assert CHINESE.search(text), f"{key} is not translated"
        assert not CLUMSY.search(text), f"{key}: {CLUMSY.search(text)}"
        assert _holes(text) == _holes(originals[key]), key
        assert code_spans(text) == code_spans(originals[key]), key
        assert key == "title" or SENTENCE.search(text), f"{key} ends in no full stop"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
@pytest.mark.parametrize("lang", HEADINGS)
def test_the_body_says_the_same(lang: str, path: Path) -> None:
    english, own = (parts(catalogue.rule(path.name[:5], spoken).body) for spoken in ("en", lang))
    assert [part.split()[0] for part in own] == [part.split()[0] for part in english]
    for original, part in zip(english, own, strict=True):
        assert CHINESE.search(part), part[:80]
        assert not CLUMSY.search(part), CLUMSY.search(part)
        assert code_spans(part) == code_spans(original), original.partition("\n")[0]
        assert _paragraphs(part) == _paragraphs(original), original.partition("\n")[0]
        assert set(re.findall(r"FC\d{3}", part)) == set(re.findall(r"FC\d{3}", original))


def test_phrases_have_the_same_places_in_every_language() -> None:
    for key, english in phrases._ENGLISH.items():
        own = phrases._CHINESE[key]
        forms = (english,) if isinstance(english, str) else english
        assert isinstance(own, str)
        assert {tuple(_holes(form)) for form in forms} == {tuple(_holes(own))}, key
