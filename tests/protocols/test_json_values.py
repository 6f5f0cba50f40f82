"""Values from strangers: what is read, what is refused, and how bytes are cut into values."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.protocols.json_values import NESTING_CAP, VALUE_CAP, ValueBuffer, read_value, write_value

values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(alphabet='ab"\\[{é', max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(value=values)
def test_what_others_write_is_read(value: object) -> None:
    assert read_value(json.dumps(value).encode()) == value
    assert read_value(json.dumps(value, ensure_ascii=False).encode()) == value
    assert read_value(write_value(value)) == value


def test_it_is_written_on_one_line_without_blanks() -> None:
    assert write_value(["place", [{"player": "a", "x": 1}]]) == b'["place",[{"player":"a","x":1}]]\n'


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"NaN", "NaN is not JSON"),
        (b"[-Infinity]", "-Infinity is not JSON"),
        (b'{"a":1,"b":2,"a":3}', "the key 'a' stands twice"),
        (b'"\\ud800"', "half of a character"),
        (b'["\\udc00"]', "half of a character"),
        (b'{"\\u0000":1}', "NUL"),
        (b'"\xff"', "not UTF-8"),
        (b'"\xed\xa0\x80"', "not UTF-8"),
        (b"[" * 2000 + b"]" * 2000, "nested deeper than 16"),
        (b"9" * 5000, "^a number has more than 4000 digits$"),
        ('["é" 1]'.encode(), "^expecting ',' delimiter at byte 7$"),
        (b"{}}", "^extra data at byte 3$"),
        (b'"a\nb"', "^invalid control character at byte 3$"),
        (b"", "^expecting value at byte 1$"),
    ],
)
def test_what_python_would_let_through_or_choke_on_is_refused(data: bytes, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        read_value(data)


def test_brackets_in_texts_are_not_nesting() -> None:
    assert read_value(b'["' + b"[" * 100 + b'\\"]"]') == ["[" * 100 + '"]']


def test_the_deepest_nesting_is_read() -> None:
    assert read_value(b"[" * NESTING_CAP + b"]" * NESTING_CAP)


def cut(data: bytes) -> list[bytes]:
    return list(ValueBuffer().feed(data))


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (b'"OK"["place",1,2]', [b'"OK"', b'["place",1,2]']),
        (b'{"a":"]}"}\n[]\r\n', [b'{"a":"]}"}', b"[]"]),
        (b'"a\\"b""c"', [b'"a\\"b"', b'"c"']),
        (b'"a\\\\""c"', [b'"a\\\\"', b'"c"']),
        (b" \n\t\r", []),
        (b"OK\n", [b"OK"]),
        (b"12 34", [b"12"]),
        (b'a"b"[c] ', [b'a"b"[c]']),
        (b"[}", [b"[}"]),
        (b'["PUT', []),
    ],
)
def test_values_end_where_they_are_complete(data: bytes, found: list[bytes]) -> None:
    assert cut(data) == found


def test_what_no_value_begins_with_is_not_waited_for() -> None:
    """Byte for byte; what is between two values is neither, and does not hide them."""
    buffer = ValueBuffer(b'["')
    assert list(buffer.feed(b'nu\r\n"OK"{[1]')) == [b"nu", b"u", b'"OK"', b"{[1]", b"[1]"]
    assert [value for byte in b'n"OK"u\n[1]}' for value in buffer.feed(bytes([byte]))] == [
        *(b"n", b'"OK"', b"u", b"[1]", b"}"),
    ]
    assert buffer.is_empty


@given(
    parts=st.lists(values.map(lambda value: json.dumps([value]).encode()), max_size=4),
    blanks=st.sampled_from([b"", b"\n"]),
)
def test_values_run_together_are_told_apart_in_any_segmentation(parts: list[bytes], blanks: bytes) -> None:
    data = blanks.join([b"", *parts, b""])
    buffer = ValueBuffer()
    assert cut(data) == parts == [value for byte in data for value in buffer.feed(bytes([byte]))]
    assert buffer.is_empty


@pytest.mark.parametrize("data", [b'"' + b"x" * 100_000, b"[" + b" " * 100_000, b"x" * 100_000])
def test_a_value_that_never_ends_is_cut_off_while_it_is_read(data: bytes) -> None:
    buffer = ValueBuffer()
    assert list(buffer.feed(data)) == []
    assert buffer.overlong is not None
    assert len(buffer.overlong) <= VALUE_CAP
    assert list(buffer.feed(b'"OK"')) == []


def test_a_value_that_grows_too_deep_is_cut_off_while_it_is_read() -> None:
    buffer = ValueBuffer()
    list(buffer.feed(b"[" * 50))
    assert buffer.overlong == b"[" * (NESTING_CAP + 1)


def test_the_longest_value_is_read() -> None:
    data = b'"' + b"x" * (VALUE_CAP - 2) + b'"'
    assert cut(data) == [data]


def test_it_says_whether_something_has_come() -> None:
    buffer = ValueBuffer()
    assert buffer.is_empty
    list(buffer.feed(b" ["))
    assert not buffer.is_empty
