"""The sentences by which a TASK's body lets its executor archive (protocol.md A.5.6, rule 0.a.5): "archive on completion".

The rule asks for explicit words. A sentence counts when it says so and nothing in it takes that back: a negation, a question,
another actor ("PM will archive on completion"), another object ("archive the old logs"). Every repetition in a pattern is
bounded and so is a sentence, so that no body costs more than its length.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

MAX_SENTENCE = 600

# What is archived, where it is said at all, and what may follow: the clause's end, or a word about when and how.
_VERB = (
    r"(?:(?:call |run |use )?archive_task|(?:self[- ])?archive)"
    r"(?: (?:it|this|(?:the|this|your|its|their)(?: own)? (?:task|file|envelope)|task))?"
    r"(?: (?:yourself|itself|themselves|directly|immediately|right away|straight away|at once))?"
)
_GOES_ON = r"(?= ?(?:$|[^\w\s]|(?:on|upon|after|once|when|as soon as|before|without|and|then|in|if|unless|only|until|is|are)\b))"
_FINISHED = (
    r"(?:(?:it|the work|the task|everything|all) is |it's |you are |you have )?"
    r"(?:completion|completing|finishing|reporting|done|finished|complete|completed)\b"
    # The completion of a review is not that of the work.
    r"(?! of (?:the )?(?:review|acceptance|approval|verification|sign-?off|inspection))"
)
_ALLOWED = r"(?:allowed|permitted|(?:pre-?)?authori[sz]ed)"
_MAY = rf"(?:may|can|should|shall|must|(?:is|are)(?: hereby| explicitly)?(?: to| {_ALLOWED} to))"
_ENGLISH = (
    rf"\b{_VERB} (?:on|upon|after|once|when|as soon as) {_FINISHED}",
    rf"\b(?:when|once|after|as soon as|upon|on) {_FINISHED},? (?:please |you may |you can |just |directly |then ){{0,3}}{_VERB}{_GOES_ON}",
    rf"\bself-archiv(?:e|ing)(?: is|:)(?: hereby| explicitly)? (?:{_ALLOWED}|yes|ok)\b",
    rf"\barchiv(?:e|ing) (?:before|without(?: waiting for)?) acceptance is (?:hereby |explicitly )?{_ALLOWED}\b",
)
_ENGLISH_EXPLICIT = (
    rf"\b(?:EXECUTOR) (?:himself |itself )?{_MAY} (?:then |also |directly |itself ){{0,2}}{_VERB}{_GOES_ON}",
    rf"\b(?:allow|authori[sz]e|permit)s? (?:the |our )?(?:EXECUTOR) to (?:then |also |directly ){{0,2}}{_VERB}{_GOES_ON}",
    rf"\barchiv(?:e|ing) by (?:the )?(?:EXECUTOR) is (?:hereby |explicitly )?{_ALLOWED}\b",
)
_CHINESE_VERB = (
    r" ?(?:归档|歸檔|archive_task|archive)(?:了| ?(?:本|该|此|这个|这份)?(?:任务|任務|工单|单|文件|task))?(?:即可|吧|了)?"
    r"(?= ?(?:$|[^\w\s]|不用|无需|不必|不需|并|再))"
)
_FREELY = r"(?: ?(?:请|你|就|便|即|则|可以|可|允许|直接|自行|自己|立即|马上|调用|,|、) ?){0,6}"
_CHINESE = (
    rf"(?<!验收)(?<!审核)(?<!评审)(?<!复核)(?<!审批)(?:做完|完成|完工|干完|写完|搞定|交付)(?:之后|以后|后|了)?{_FREELY}{_CHINESE_VERB}",
    rf"(?:可以|可|允许) ?在?验收之?前{_FREELY}{_CHINESE_VERB}",
    rf"(?:验收之?前|(?:无需|不用等|不必等)验收)(?:即|就|也)?(?:可以|可|允许){_FREELY}{_CHINESE_VERB}",
    rf"(?:可以|可|允许|授权)(?:自行|直接|自己){_CHINESE_VERB}",
)
_CHINESE_EXPLICIT = (
    rf"(?:EXECUTOR) ?(?:被)?(?:可以|可|允许|有权|获准|授权){_FREELY}{_CHINESE_VERB}",
    rf"(?:允许|授权|准许|同意) ?(?:EXECUTOR){_FREELY}{_CHINESE_VERB}",
)
_EXECUTOR = ("executor", "assignee", "recipient", "worker", "implementer", "claimant", "you", "执行者", "执行人", "执行方", "承接人", "你")
_OTHERS = ("i", "we", "i'll", "we'll", "leader", "admin", "sender", "owner", "lead", "manager", "dispatcher")
_CHINESE_OTHERS = ("我", "主控", "负责人", "上游", "派单人", "leader", "admin")
_GRANTS = re.compile(r"allow|authori|permit|agree|grant|approv|\bsa(?:y|id)|\bask|instruct|confirm|please|允许|授权|同意|准许|批准|要求|说")

# "No need to wait" denies the waiting, not the archiving.
_HARMLESS = re.compile(
    r"\b(?:do not|don't|need not|needn't|no need to|not necessary to) (?:have to |need to )?wait\b"
    r"|\bno (?:\w{1,30} )?(?:review|acceptance|approval|sign-?off)(?: is)? (?:needed|required|necessary)\b|\bnot only\b"
)
_DENIES = re.compile(
    r"\b(?:not|never|no|nobody|none|neither|nor|cannot|forbid\w{0,5}|prohibit\w{0,5}|disallow\w{0,3}|refrain\w{0,3}|avoid\w{0,3}|don'?ts"
    r"|unless|until|instead of|rather than|except\w{0,3}|refus\w{0,4}|stop|only)\b|n't\b"
    r"|不要|不得|不能|不可|不允许|不许|不准|不应|不该|不宜|不会|不建议|不同意|不授权|不让|禁止|严禁|切勿|请勿|勿|别|未经|未授权|没有授权"
    r"|没授权|无权|无授权|除非|才能|才可|只有|仅|并非|避免|拒绝|反对|不是"
)
_DENIED_AFTER = re.compile(
    r"[^,。]{0,20}(?:\b(?:not|never|forbidden|prohibited|disallowed|wrong|violat\w{0,5})\b|n't\b)|\W{0,4}no\b"
    r"|.{0,80}\b(?:only|unless|until)\b|[^,。]{0,8}(?:不允许|不可以|不行|不许|不准|不得|禁止|严禁|违规|违反|越权|无效)|.{0,40}(?:除非|才能|才可)"
)
_TURN = re.compile(r"\bbut\b|\bhowever\b|但是?|不过|然而")
_QUESTIONS = ("?", "吗", "么")

_ABOUT = re.compile(r"archiv|归档|歸檔", re.IGNORECASE)
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_HEADING = re.compile(r" {0,3}#{1,6}\s")
_UNDERLINE = re.compile(r" {0,3}(?:={2,}|-{2,})\s*")
_ITEM = re.compile(r"([ \t>]{0,40})(?:[-*+]|\d{1,3}[.)、])[ \t]+")
# A comment that is never closed hides the rest, as in every renderer.
_STRUCK = re.compile(r"~~[^~\n]{1,400}~~|<!--[\s\S]*?(?:-->|\Z)")
_ABBREVIATION = re.compile(r"\b(e\.g|i\.e|etc|vs|cf|incl)\.")
_SENTENCE = re.compile(r"""(?:[^.!?;。]|\.(?!\s|$|["')]))+[.!?;。]*""")
_BETWEEN_IDEOGRAPHS = re.compile(r"(?<=[\u3400-\u9fff]) (?=[\u3400-\u9fff])")


class _Pattern(NamedTuple):
    """A sentence that authorises; `explicit` where it names the executor itself."""

    regex: re.Pattern[str]
    explicit: bool


def authorises(body: str, executor: Iterable[str] = (), others: Iterable[str] = (), extra: Sequence[str] = ()) -> bool:
    """Whether a body lets its executor archive. `executor` are the names it goes by, `others` those of all other roles.

    `extra` are further sentences, as the regular expressions of the repository's owner.
    """
    if not extra and not _ABOUT.search(body):
        return False
    patterns = _patterns((*_EXECUTOR, *executor), extra)
    by_others = _by_others(others, (*_EXECUTOR, *executor))
    return any(
        not _is_denied(sentence, match, None if pattern.explicit else by_others)
        for sentence in _sentences(body, everything=bool(extra))
        for pattern in patterns
        for match in pattern.regex.finditer(sentence)
    )


def _patterns(executor: Iterable[str], extra: Sequence[str]) -> list[_Pattern]:
    names = _any_of(executor)
    explicit = (pattern.replace("EXECUTOR", names) for pattern in (*_ENGLISH_EXPLICIT, *_CHINESE_EXPLICIT))
    return [
        *(_Pattern(re.compile(pattern), False) for pattern in (*_ENGLISH, *_CHINESE)),
        *(_Pattern(re.compile(pattern), True) for pattern in explicit),
        *(_Pattern(re.compile(pattern, re.IGNORECASE), True) for pattern in extra),
    ]


def _by_others(others: Iterable[str], executor: Iterable[str]) -> re.Pattern[str]:
    """Somebody else, then a few words that grant nothing and do not name the executor, at the end of a text."""
    names = [name.lower() for name in others]
    english, chinese = _any_of((*_OTHERS, *names)), _any_of((*_CHINESE_OTHERS, *names))
    words = rf"(?: (?!(?:{_any_of(executor)})\b)[\w']{{1,20}}){{0,4}}"
    return re.compile(rf"\b(?:{english})(?P<words>{words}) ?$|(?:{chinese}) ?(?P<signs>[^,。:、\s]{{0,6}}) ?$")


def _any_of(names: Iterable[str]) -> str:
    return "|".join(re.escape(name.lower()) for name in names if name)


def _is_denied(sentence: str, match: re.Match[str], by_others: re.Pattern[str] | None) -> bool:
    # What stands before a "but" is about something else.
    before = _TURN.split(_HARMLESS.sub(" ", sentence[: match.start()]))[-1]
    if sentence.rstrip("\"'”』」) ").endswith(_QUESTIONS) or _DENIES.search(before):
        return True
    actor = by_others.search(before) if by_others else None
    if actor and not _GRANTS.search(actor["words"] or actor["signs"] or ""):
        return True
    return _DENIED_AFTER.match(_HARMLESS.sub(" ", sentence[match.end() :])) is not None


def _sentences(body: str, *, everything: bool) -> Iterator[str]:
    """The sentences about archiving, in small letters, each behind the heading or the lead-in that forbids it, if any does.

    Code, comments and struck text are no sentences; lines that an editor wrapped are one.
    """
    heading = lead = ""
    lead_indent = -1
    for block in _blocks(_STRUCK.sub(" ", body)):
        item = _ITEM.match(block)
        if _HEADING.match(block):
            heading, lead = _plain(block[-200:]), ""
            continue
        if not item or len(item[1]) <= lead_indent:
            lead = ""
        if everything or _ABOUT.search(block):
            yield from (_forbidding(f"{heading} {lead}") + sentence for sentence in _split(block))
        if not lead and not block.rstrip().endswith((".", "!", "?", ";", "。", "\uff1b")):
            lead, lead_indent = _plain(block[-200:]), len(item[1]) if item else -1


def _split(block: str) -> Iterator[str]:
    for sentence in _SENTENCE.findall(_plain(block)):
        if len(sentence) <= MAX_SENTENCE:
            yield sentence.strip()


def _plain(text: str) -> str:
    """One line in small letters, without emphasis, with ASCII punctuation where there is any."""
    plain = unicodedata.normalize("NFKC", text).casefold().replace("’", "'").replace("`", "").replace("*", "")
    return _ABBREVIATION.sub(r"\1", _BETWEEN_IDEOGRAPHS.sub("", " ".join(plain.split())))


def _forbidding(context: str) -> str:
    return f"{context} " if _DENIES.search(_HARMLESS.sub(" ", context)) else ""


def _blocks(body: str) -> Iterator[str]:
    """Paragraphs, list items and headings, without fenced code."""
    block: list[str] = []
    fence: str | None = None
    for line in body.split("\n"):
        mark = _FENCE.match(line)
        if mark and (fence is None or mark[1].startswith(fence)):
            fence, line = mark[1] if fence is None else None, ""
        elif fence is not None:
            continue
        if block and _UNDERLINE.fullmatch(line):
            block, line = [f"# {' '.join(block)}"], ""
        if block and (not line.strip() or _ITEM.match(line) or _HEADING.match(line) or _HEADING.match(block[0])):
            yield "\n".join(block)
            block = []
        if line.strip():
            block.append(line)
    if block:
        yield "\n".join(block)
