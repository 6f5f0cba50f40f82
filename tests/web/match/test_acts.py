"""What a visitor sent as a move: in parts, and not to be read."""

from __future__ import annotations

from arena.host import Host
from arena.web.match.acts import submit
from tests.kit.browsing import HTMX, text, two_people
from tests.kit.refereeing import moves_of
from tests.web.match.test_moves import words


async def test_a_move_may_come_in_parts(host: Host) -> None:
    live, first, second = await two_people(host, variant="expanding-nim")
    await first.post(f"/m/{live.id}/move/", ply=1, move=["3", "r"])
    await submit(host, live, live.state.setup.seats[1].player, 2, ["2", "r"])
    assert moves_of(live) == ["3r", "2r"]
    refused = await first.post(f"/m/{live.id}/move/", HTMX, ply=3, move=["1", "1", "r"])
    assert refused.status_code == 422 and moves_of(live) == ["3r", "2r"]


async def test_an_unreadable_move_is_refused_in_words(host: Host) -> None:
    live, first, _ = await two_people(host)
    for move in ("", "banana", "4 ", "4\n4", "\u0664", "\x00", "x" * 5000, "<script>"):
        answer = await first.play(live, move)
        assert answer.status_code == 422, move
        assert "xpected" in words(answer) and "<script>" not in text(answer).replace("<script src", ""), move
        assert moves_of(live) == [], move


async def test_an_unreadable_number_of_the_move_is_refused_in_words(host: Host) -> None:
    live, first, _ = await two_people(host)
    for ply in ("", "x", "-1", "1.0", "99999999999", "\u0661", " 1"):
        answer = await first.post(f"/m/{live.id}/move/", HTMX, ply=ply, move="4")
        assert answer.status_code == 422, ply
        assert "expected the number of the move" in words(answer), ply
        assert moves_of(live) == [], ply
