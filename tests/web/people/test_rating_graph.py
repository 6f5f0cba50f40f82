from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from xml.etree import ElementTree

import pytest
from asgiref.sync import sync_to_async
from django.template.loader import render_to_string
from hypothesis import given
from hypothesis import strategies as st

from arena.web.people.rating_graph import HEIGHT, MOST_LINES, MOST_MATCHES, MOST_ROWS, WIDTH, Point, draw, few, graph_of
from tests.kit.rated import FOUR, NOON, a_match, cast, store

MARCH = datetime(2026, 3, 1, tzinfo=UTC)


def history(*numbers: float) -> list[Point]:
    return [Point(match, number, MARCH + timedelta(days=match)) for match, number in enumerate(numbers, start=1)]


def line(svg: str) -> list[tuple[float, float]]:
    found = re.search(r'points="([^"]+)"', svg)
    assert found
    return [(float(x), float(y)) for x, y in (pair.split(",") for pair in found[1].split())]


def test_the_line_goes_up_where_the_rating_does() -> None:
    first, second, third = line(draw(history(1500, 1600, 1550)))
    assert first[0] < second[0] < third[0]
    assert second[1] < third[1] < first[1]


def test_the_last_value_is_labelled_and_the_whole_is_said_in_words() -> None:
    svg = draw(history(1500, 1611.6))
    assert '<text class="now"' in svg and ">1612</text>" in svg
    assert 'aria-label="From 1500 to 1612, matches 1 to 2."' in svg


@given(st.lists(st.floats(-500, 4000), min_size=2, max_size=MOST_MATCHES))
def test_every_history_fits_into_its_drawing(numbers: list[float]) -> None:
    svg = draw(history(*numbers))
    ElementTree.fromstring(svg)
    assert all(0 <= x <= WIDTH and 0 <= y <= HEIGHT for x, y in line(svg))
    assert 2 <= svg.count('class="level"') <= MOST_LINES
    assert len(svg) < 8_000


def test_a_table_has_so_many_rows_that_they_can_be_read_the_newest_first() -> None:
    assert [point.match for point in few(history(1, 2, 3))] == [3, 2, 1]
    many = few(history(*range(MOST_MATCHES)))
    assert len(many) <= MOST_ROWS and many[0].match == MOST_MATCHES


@pytest.mark.django_db(transaction=True)
async def test_a_graph_is_what_the_matches_made_of_a_rating() -> None:
    alice, bob = await sync_to_async(cast)("alice", "bob")
    assert await graph_of(alice.pk, FOUR) is None
    played = [a_match(alice, bob, winner, at=NOON + timedelta(hours=number)) for number, winner in enumerate((0, 0, 1))]
    await sync_to_async(store)(played[0])
    assert await graph_of(alice.pk, FOUR) is None, "one match is no line"
    await sync_to_async(store)(*played[1:])
    graph = await graph_of(alice.pk, FOUR)
    assert graph is not None and graph.matches == 3 and len(line(graph.svg)) == 3
    assert graph.best > graph.now
    page = render_to_string("arena/rank_graph.html", {"graph": graph})
    assert f"{graph.now} now, best {graph.best}" in page
    assert '<th scope="row">3</th>' in page and "31 Jan 2026" in page and "style=" not in page
