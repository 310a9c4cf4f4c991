"""Translations of rule files: what is a copy of the English file in them, and how it is brought up to date.

A file below `rules/zh/` is whole, so that people read it where it lies and the tool reads nothing beside it. Only its prose is
its own: `title`, `why`, each message's `text` and `help`, and the text of the body. All else, the order of keys, `next`, the
examples, follows from the English file. `python -m tests.support.translation` writes it anew after an English file changed;
prose that is missing it cannot invent, and says so.
"""

import re
import sys
from pathlib import Path

import yaml

RULES = Path(__file__).parents[2] / "rules"
HEADINGS = {
    "zh": {
        "What it checks": "检查什么",
        "Why it matters": "为什么重要",
        "Example": "例子",
        "How to put it right": "怎样改正",
        "Settings": "设置",
    }
}
_FENCE = re.compile(r"^```(?:bad|good)[ \n].*?^```\n", re.MULTILINE | re.DOTALL)
_PART = re.compile(r"^(?=##)", re.MULTILINE)
_KEY = re.compile(r"^(?=[a-z_]+:)", re.MULTILINE)
_MESSAGE = re.compile(r"^  (?P<key>[\w-]+):\n(?P<fields>(?:    .*\n)+)", re.MULTILINE)
_NEXT = re.compile(r"^    next:.*\n(?:      .*\n)*", re.MULTILINE)


def follow(english: str, translated: str, lang: str) -> str:
    """The translated file as it must be: its own prose, and the English file's all else. Raises KeyError for prose not there."""
    _, front, body = english.split("---\n", 2)
    _, own_front, own_body = translated.split("---\n", 2)
    prose = yaml.safe_load(own_front)
    return f"---\n{_front(front, prose)}---\n{_body(body, own_body, lang)}"


def code_spans(text: str) -> set[str]:
    """What stands in backticks: names, values, parameters, commands. They are the same in every language."""
    plain = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    return {" ".join(span.split()) for span in re.findall(r"`[^`]+`", plain)}


def parts(body: str) -> list[str]:
    """A body's sections and their subsections, each with its heading."""
    return [part for part in _PART.split(body) if part.strip()]


def _front(english: str, prose: dict[str, object]) -> str:
    return "".join(_field(field, prose) for field in _KEY.split(english) if field)


def _field(field: str, prose: dict[str, object]) -> str:
    key = field.partition(":")[0]
    if key in ("title", "why"):
        return f"{key}: {_quoted(prose[key])}\n"
    if key == "messages":
        messages = prose["messages"]
        assert isinstance(messages, dict)
        return "messages:\n" + "".join(_message(match, messages[match["key"]]) for match in _MESSAGE.finditer(field))
    return field


def _message(english: re.Match[str], prose: dict[str, object]) -> str:
    following = _NEXT.search(english["fields"])
    own = "".join(f"    {key}: {_quoted(prose[key])}\n" for key in ("text", "help"))
    return f"  {english['key']}:\n{own}{following[0] if following else ''}"


def _quoted(text: object) -> str:
    plain = " ".join(str(text).split())
    return '"' + plain.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _body(english: str, translated: str, lang: str) -> str:
    """Each part's own prose, then the examples of the English part in the same place."""
    originals, own = parts(english), parts(translated)
    if len(originals) != len(own):
        raise KeyError(f"{len(own)} headings for {len(originals)}")
    return "\n\n".join(_part(*pair, lang) for pair in zip(originals, own, strict=True)) + "\n"


def _part(english: str, translated: str, lang: str) -> str:
    heading = english.partition("\n")[0].removeprefix("## ")
    first, _, rest = translated.partition("\n")
    if heading in HEADINGS[lang]:
        first = f"## {HEADINGS[lang][heading]}"
    prose = re.sub(r"\n{3,}", "\n\n", _FENCE.sub("", f"{rest}\n")).strip()
    examples = [fence.rstrip("\n") for fence in _FENCE.findall(english)]
    blank = "" if prose and not examples and heading in HEADINGS[lang] else "\n"
    return f"{first}\n{blank}" + "\n\n".join([*([prose] if prose else []), *examples])


def main() -> int:
    """Bring every translation up to date; 1 where prose is missing."""
    missing = 0
    for path in sorted(RULES.glob("FC*.md")):
        for lang in HEADINGS:
            own = RULES / lang / path.name
            try:
                own.write_text(follow(path.read_text("utf-8"), own.read_text("utf-8"), lang), "utf-8")
            except (FileNotFoundError, KeyError, ValueError, TypeError) as error:
                missing += 1
                print(f"{own.relative_to(RULES)}: {type(error).__name__} {error}", file=sys.stderr)
    return int(missing > 0)


if __name__ == "__main__":
    sys.exit(main())
