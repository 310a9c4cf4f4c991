"""One report with every awkward character in every field, and the snapshots of what each format makes of it.

`python -m tests.support.awkward` writes the snapshots anew; look at what changed before it is committed.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from fcoplint import __version__
from fcoplint.catalogue import Message, Rule
from fcoplint.findings import Edit, Finding, Fix, Related
from fcoplint.model.location import Location
from fcoplint.model.nodes import Span
from fcoplint.output import html
from fcoplint.output.formats import FORMATS
from fcoplint.output.text import Paint
from fcoplint.report import CommitReference, Report, Reported, Suppression, WorkspaceSummary
from fcoplint.source.snapshot import Note

PAGE = Path(html.__file__).parent / "page"
SNAPSHOTS = Path(__file__).parents[1] / "snapshots"
_CONTROL = "\x00\t\n\r\x1b[31m\x7f\x85\x9b"
_HIDDEN = "\u200b\u202e\u2066\ufeff\u2028\u2029\ufffe\udc80"
_MARKUP = "<b a='1'>&amp;]]></b> *x* _y_ ~~z~~ @who [l](u) ![i](u) `c` |cell| # h \\"
_COMMANDS = "\n::error file=f::m %0A%25 ##[error]m ##vso[task.complete result=Succeeded;]m ]"
_FORMATTING = "{0} {value} %s $(x) \"q\" 'q' ; , : ="
_WIDE = "测试 é 🦊"
AWKWARD = "".join((_WIDE, _CONTROL, _HIDDEN, _MARKUP, _COMMANDS, _FORMATTING, " /home/ann/x"))
# What a file system can hold.
PATH = "fcop/_lifecycle/inbox/" + AWKWARD.replace("\x00", "").replace("/", "-") + ".md"

_RULE = Rule(
    code="FC999", name="made-up", title="A rule of the tests", contract="identity", protocols="1, 2, 3, 4",
    severity={"": "error"}, fix="none", source="none", why="It shows every field.",
    messages={"default": Message("`{value}` is wrong.", "Write `{expected}`.", ("git", "add", "--", "{path}"))},
    body="# FC999\n\nA body in *Markdown*.", protocol_errors={},
)  # fmt: skip


def report() -> Report:
    """Three findings, one of each severity, and an excused one; every text that can come from a repository is awkward."""
    location = Location(PATH, Span(4, 9, 4, 11))
    finding = Finding(
        "FC999", location, AWKWARD, "sender", parameters={"value": AWKWARD, "expected": AWKWARD}, workspace=AWKWARD,
        related=(Related(Location(PATH, Span(1, 1, 1, 2)), AWKWARD),), fix=Fix((Edit(PATH, Span(4, 9, 4, 11), AWKWARD),), "safe"),
    )  # fmt: skip
    item = Reported(finding, _RULE, "error", introduced=True, source=f"sender: {AWKWARD}")
    warning = replace(item, severity="warning", commit=CommitReference("0" * 40, AWKWARD, AWKWARD), source=None)
    info = replace(item, severity="info", introduced=False, finding=replace(finding, location=Location("")))
    excused = replace(item, suppression=Suppression("inline", AWKWARD, location))
    notes = (Note("topic", AWKWARD, PATH),)
    return Report("check", (item, warning, info), (WorkspaceSummary(AWKWARD, 3, 2),), notes, suppressed=(excused,))


def written(name: str) -> str:
    """The report in a format, with no version that a release would change."""
    written = FORMATS[name].write(report(), Paint(on=False)).replace(f'"{__version__}"', '"0"')
    # A page says when it was made; its style and scripts stand in their own folder, and each in the page as it is there.
    for source in [PAGE / "page.css", *(PAGE / f"{script}.js" for script in html.SCRIPTS)] if name == "html" else []:
        assert written.count(source.read_text()) == 1, source.name
        written = written.replace(source.read_text(), f"[{source.name}]\n")
    return re.sub(r'"made":\d+', '"made":0', re.sub(r"sha256-[A-Za-z0-9+/=]+", "sha256-[of them]", written))


if __name__ == "__main__":
    SNAPSHOTS.mkdir(exist_ok=True)
    for each in FORMATS:
        (SNAPSHOTS / f"report.{each}").write_bytes(written(each).encode())
