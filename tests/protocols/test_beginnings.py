"""How far an answer was right, by its shape, its line or what is wrong with it as JSON."""

from __future__ import annotations

import pytest

from arena.protocols.beginnings import in_shape, of_json, of_line

SHAPES = ('[ "to" , { "id" : NUMBER , "name" : TEXT } ]', "[ EASTWEST , NORTHSOUTH ]")


@pytest.mark.parametrize(
    ("right", "rest"),
    [
        ('["to",{"id":1,"name":"a"}]', ""),
        (' [ "to" , { "id" : 1 , "name" : "a" } ] ', ""),
        ('["EAST","PUT"]', ""),
        ('["', 'To",{"id":1,"name":"a"}]'),
        ('["to",{"id":1', '.0,"name":"a"}]'),
        ('["to",{"id":', '"1","name":"a"}]'),
        ('["to",{"', 'name":"a","id":1}]'),
        ('["to",{"id":1', "}]"),
        ('["', 'NORTH","EAST"]'),
        ('["WE', 'T","PUT"]'),
        ('["EAST","PUT"', ',"EAST"]'),
        ('["EAST","PUT"]', "]"),
        ("", "to"),
    ],
)
def test_the_shape_that_fits_longest_tells(right: str, rest: str) -> None:
    assert in_shape(f"{right}{rest}".encode(), SHAPES) == len(right)


def test_a_line_is_right_as_far_as_it_may_begin() -> None:
    assert of_line(b"4.0", rb"[+-]?[0-9]*") == 1
    assert of_line(b"four", rb"[+-]?[0-9]*") == 0


@pytest.mark.parametrize(
    ("data", "why", "right"),
    [
        ('["é",]'.encode(), "expecting value at byte 7", 6),
        ('["é",]'.encode(), "Expecting value: line 1 column 6 (char 5)", 6),  # as earlier releases logged it
        (b'["a",NaN]', "NaN is not JSON", 5),
        (b'["a",-Infinity]', "-Infinity is not JSON", 5),
        (b'["\xff"]', "the bytes are not UTF-8", 2),
        (b'{"a":1,"a":2}', "the key 'a' stands twice", 13),
    ],
)
def test_what_is_wrong_with_json_says_where(data: bytes, why: str, right: int) -> None:
    assert of_json(data, why) == right
