"""The located reader: what it takes, what it refuses, and where it says things stand."""

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from fcoplint.model.frontmatter import MAX_BLOCK_BYTES, read_front_matter
from fcoplint.model.nodes import Mapping, Scalar, Sequence, Span, walk_scalars

FAULTS = [
    ("empty file", b"", "missing", (1, 1)),
    ("a body only", b"# Hello\n", "missing", (1, 1)),
    ("a blank line first", b"\n---\na: 1\n---\n", "missing", (1, 1)),
    ("four dashes", b"----\na: 1\n----\n", "missing", (1, 1)),
    ("a blank behind the fence", b"--- \na: 1\n---\n", "loose-opening", (1, 1)),
    ("no closing fence", b"---\na: 1\n", "unterminated", (1, 1)),
    ("closed by dots", b"---\na: 1\n...\nbody\n", "unterminated", (1, 1)),
    ("carriage returns only", b"---\ra: 1\r---\r", "missing", (1, 1)),
    ("a list", b"---\n- a\n---\n", "not-mapping", (2, 1)),
    ("nothing inside", b"---\n---\n", "not-mapping", (2, 1)),
    ("a tab indents", b"---\na:\n  b: 1\n\tc: 2\n---\n", "yaml", (4, 1)),
    ("a control character", b"---\na: 1\nb: x\x01y\n---\n", "yaml", (3, 5)),
    ("a NUL", b"---\na: \x00\n---\n", "yaml", (2, 4)),
    ("a second document", b"---\na: 1\n--- # more\nb: 2\n---\n", "yaml", (3, 1)),
    ("a key that is a list", b"---\n? [a]\n: b\n---\n", "yaml", (2, 3)),
    ("an anchor", b"---\na: &x 1\n---\n", "anchor", (2, 4)),
    ("an alias alone", b"---\na: *x\n---\n", "alias", (2, 4)),
    ("a cycle", b"---\na: &a [*a]\n---\n", "anchor", (2, 4)),
    ("a tag", b"---\na: !!python/object:os.system x\n---\n", "tag", (2, 4)),
    ("a merge key", b"---\n<<: {a: b}\n---\n", "merge-key", (2, 1)),
    ("nested 40 deep", b"---\na: " + b"[" * 40 + b"]" * 40 + b"\n---\n", "too-deep", (2, 36)),
    ("nested 100,000 deep", b"---\na: " + b"[" * 100_000 + b"\n---\n", "too-deep", None),
    ("not UTF-8", b"---\na: 1\nb: x\xff\n---\n", "not-utf8", (3, 5)),
    ("a conflict", b"---\na: 1\n<<<<<<< HEAD\nb: 1\n=======\nb: 2\n>>>>>>> x\n---\n", "conflict", (3, 1)),
    ("megabytes", b"---\na: '" + b"x" * (MAX_BLOCK_BYTES + 9) + b"'\n---\n", "too-large", (1, 1)),
]  # fmt: skip


@pytest.mark.parametrize(("data", "kind", "place"), [row[1:] for row in FAULTS], ids=[row[0] for row in FAULTS])
def test_what_cannot_be_taken_has_a_kind_and_a_place(data: bytes, kind: str, place: tuple[int, int] | None) -> None:
    front = read_front_matter(data)
    assert front.mapping is None
    assert [fault.kind for fault in front.faults] == [kind]
    if place:
        assert front.faults[0].span[:2] == place


TAKEN = [
    ("LF", b"---\na: 1\n---\nbody\n"),
    ("CRLF", b"---\r\na: 1\r\n---\r\nbody\r\n"),
    ("mixed line ends", b"---\r\na: 1\n---\r\nbody\n"),
    ("no newline at the end", b"---\na: 1\n---"),
    ("rules in the body", b"---\na: 1\n---\n---\nb: 2\n---\n"),
]


@pytest.mark.parametrize("data", [row[1] for row in TAKEN], ids=[row[0] for row in TAKEN])
def test_what_is_taken(data: bytes) -> None:
    front = read_front_matter(data)
    assert front.faults == ()
    assert front.mapping
    assert [(pair.key.text, pair.value) for pair in front.mapping.pairs] == [("a", Scalar("1", False, Span(2, 4, 2, 5)))]


def test_a_byte_order_mark_is_told_and_read_past() -> None:
    front = read_front_matter(b"\xef\xbb\xbf---\na: 1\n---\nbody")
    assert [fault.kind for fault in front.faults] == ["bom"]
    assert front.mapping
    assert front.mapping.text("a") == "1"


def test_scalars_stay_text() -> None:
    front = read_front_matter(b"---\na: NO\nb: 010\nc: 2026-10-01T08:00:00+08:00\nd: 12:30:45\ne: '~'\nf: ~\n---\n")
    assert front.mapping
    assert [front.mapping.text(key) for key in "abcdef"] == ["NO", "010", "2026-10-01T08:00:00+08:00", "12:30:45", "~", None]


def test_both_places_of_a_key_that_stands_twice_are_kept_and_the_last_counts() -> None:
    front = read_front_matter(b"---\na: 1\nb: 2\na: 3\n---\n")
    assert front.mapping
    assert [(pair.key.text, pair.key.span.line) for pair in front.mapping.pairs] == [("a", 2), ("b", 3), ("a", 4)]
    assert front.mapping.text("a") == "3"


@pytest.mark.parametrize("odd", ["\u2028", "\u2029", "\x85", "\r"])
def test_lines_are_those_of_an_editor_even_where_yaml_knows_more_line_ends(odd: str) -> None:
    front = read_front_matter(f"---\na: 'x{odd}y'\nb: 2\n---\n".encode())
    assert front.mapping
    value = front.mapping.get("b")
    assert isinstance(value, Scalar)
    assert value.span[:2] == (3, 4)


def test_columns_count_characters() -> None:
    front = read_front_matter("---\n{键: 值, b: x}\n---\n".encode())
    assert front.mapping
    value = front.mapping.get("b")
    assert isinstance(value, Scalar)
    assert value.span == Span(2, 11, 2, 12)


_yaml_text = st.text(st.characters(codec="utf-8", exclude_characters="\r\x85\u2028\u2029"), max_size=200)


@given(st.one_of(st.binary(max_size=300), _yaml_text.map(str.encode)))
def test_no_bytes_raise_and_positions_lie_inside_the_file(inner: bytes) -> None:
    data = b"---\n" + inner + b"\n---\nbody\n"
    front = read_front_matter(data)
    lines = data.split(b"\n")
    spans = [fault.span for fault in front.faults] + [
        scalar.span for scalar in walk_scalars(front.mapping or Mapping((), Span(1, 1, 1, 1)))
    ]
    for span in spans:
        assert 1 <= span.line <= len(lines)
        assert 1 <= span.column <= len(lines[span.line - 1].decode("utf-8", "replace")) + 1
    assert front.mapping is not None or front.faults


def _as_plain(node: object) -> object:
    if isinstance(node, Mapping):
        return {pair.key.text: _as_plain(pair.value) for pair in node.pairs}
    if isinstance(node, Sequence):
        return [_as_plain(item) for item in node.items]
    assert isinstance(node, Scalar)
    return node.text


_values = st.recursive(
    st.text(st.characters(codec="utf-8"), max_size=20),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=8), inner, max_size=3)),
    max_leaves=8,
)


@given(st.dictionaries(st.text(max_size=8), _values, max_size=5).filter(bool))
def test_what_pyyaml_dumps_is_read_back_as_text(value: dict[str, object]) -> None:
    dumped = yaml.safe_dump(value, allow_unicode=True, sort_keys=False, default_style='"')
    front = read_front_matter(b"---\n" + dumped.encode("utf-8", "surrogatepass") + b"---\n")
    assert _as_plain(front.mapping) == value, front.faults
