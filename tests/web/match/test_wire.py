"""Who may read a wire, and what they read."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User

from arena import host as hosting
from arena.bots.session.wire import Wire, join_match
from arena.cluster.front import FOR_THE_HOST
from arena.core.hub import LiveMatch
from arena.host import Host
from arena.match import black_box
from arena.match.commands import Resign
from arena.match.state import SeatSetup, Setup
from arena.models import Bot, Event, Player, Room
from arena.web.match.stored import WIRES_WITHIN
from tests.kit.browsing import Person, text
from tests.web.match.test_stored import asked_first

BOT = SeatSetup("gravity-9", "bot", protocol="droidcon")


async def a_match(host: Host, bot: SeatSetup = BOT, room: int | None = None) -> tuple[LiveMatch, Wire]:
    """Ada against the bot on seat 1, which was asked and has answered."""
    live = await host.referee.open(Setup("connect-four-7x6", (SeatSetup("Ada"), bot), room=room))
    wire = join_match(Wire(), live, 1)
    await host.referee.start(live)
    wire.ply = 2
    wire.sent(b"PUT 5\nYOUR_MOVE\n")
    wire.received(b"put 5\n", wire.messages[0][0] + 0.153)
    return live, wire


async def over(host: Host, live: LiveMatch) -> None:
    await host.referee.act(live, Resign(0))


async def staff(*rights: str, **fields: Any) -> Person:
    """Staff with these rights, as they are called in the admin; without any named, to see what is private."""
    user = await User.objects.acreate_user("grace", is_staff=True, **fields)
    given = Permission.objects.filter(codename__in=rights or ("see_private",))
    await user.user_permissions.aset([right async for right in given])
    person = Person()
    await person.client.aforce_login(user)
    return person


async def registered(**fields: Any) -> SeatSetup:
    player = await Player.objects.acreate(kind="bot", name="gravity-9", slug="gravity-9")
    await Bot.objects.acreate(
        player=player, variant="connect-four-7x6", protocol="droidcon", family="gravity-9", **fields
    )
    return SeatSetup("gravity-9", "bot", player.pk, "droidcon")


# -- who ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", [".jsonl", ".txt"])
async def test_a_wire_is_private_until_the_match_ends(host: Host, ending: str) -> None:
    live, _ = await a_match(host)
    address = f"/m/{live.id}/wire/1{ending}"
    refused = await Person().get(address)
    assert refused.status_code == 403
    assert "The bot log of gravity-9 is private until the match ends." in text(refused)
    assert "YOUR_MOVE" not in text(refused)
    await over(host, live)
    assert "YOUR_MOVE" in text(await Person().get(address))


async def test_staff_reads_it_live(host: Host) -> None:
    live, wire = await a_match(host)
    person = await staff()
    assert text(await person.get(f"/m/{live.id}/wire/1.jsonl")).count("\n") == 2
    wire.sent(b"SUCCESS\n")
    assert text(await person.get(f"/m/{live.id}/wire/1.jsonl")).count("\n") == 3


async def test_staff_without_the_right_are_readers_like_everybody(host: Host) -> None:
    live, _ = await a_match(host)
    person = await staff("change_match", "view_match", "view_wirechunk", "change_bot")
    assert (await person.get(f"/m/{live.id}/wire/1.jsonl")).status_code == 403
    private = await Room.objects.acreate(code="OTTER-1", shown_code="otter-1", private=True, variant="connect-four-7x6")
    hidden, _ = await a_match(host, room=private.pk)
    for path in ("", "decide/", "log.json", "wire/1.jsonl", "live/"):
        assert (await person.get(f"/m/{hidden.id}/{path}")).status_code == 404, path


async def test_whoever_was_staff_is_not(host: Host) -> None:
    live, _ = await a_match(host)
    assert (await (await staff(is_active=False)).get(f"/m/{live.id}/wire/1.jsonl")).status_code == 403


async def test_a_registered_bot_is_read_by_its_owner_alone_unless_they_say_otherwise(host: Host) -> None:
    owner = await User.objects.acreate_user("teal")
    live, _ = await a_match(host, await registered(owner=owner))
    await over(host, live)
    refused = await Person().get(f"/m/{live.id}/wire/1.txt")
    assert refused.status_code == 403 and "its owner has not shared it" in text(refused)
    person = Person()
    await person.client.aforce_login(owner)
    assert (await person.get(f"/m/{live.id}/wire/1.txt")).status_code == 200


@pytest.mark.parametrize(("wire", "before", "after"), [("public", 200, 200), ("after", 403, 200), ("owner", 403, 403)])
async def test_the_owner_says_who_reads_it(host: Host, wire: str, before: int, after: int) -> None:
    live, _ = await a_match(host, await registered(wire=wire))
    assert (await Person().get(f"/m/{live.id}/wire/1.jsonl")).status_code == before
    await over(host, live)
    assert (await Person().get(f"/m/{live.id}/wire/1.jsonl")).status_code == after


async def test_people_and_seats_that_do_not_exist_have_no_wire(host: Host) -> None:
    live, _ = await a_match(host)
    await over(host, live)
    for address in (f"/m/{live.id}/wire/0.jsonl", f"/m/{live.id}/wire/2.txt", "/m/nowhere/wire/1.jsonl"):
        assert (await Person().get(address)).status_code == 404


async def test_a_match_that_one_may_not_see_has_no_wire(host: Host) -> None:
    room = await Room.objects.acreate(code="OTTER", shown_code="otter", private=True, variant="connect-four-7x6")
    live, _ = await a_match(host, room=room.pk)
    await over(host, live)
    for address in (f"/m/{live.id}/wire/1.jsonl", f"/m/{live.id}/wire/1.txt", f"/m/{live.id}/wire/1/"):
        assert (await Person().get(address)).status_code == 404


async def test_the_black_box_is_for_who_may_read_both_wires(host: Host) -> None:
    owner = await User.objects.acreate_user("teal")
    live, wire = await a_match(host, await registered(owner=owner, wire="owner"))
    address, mine = f"/m/{live.id}/black-box.jsonl", Person()
    await mine.client.aforce_login(owner)
    assert (await mine.get(address)).status_code == 404, "it runs"
    await over(host, live)
    refused = await Person().get(address)
    assert refused.status_code == 403 and "its owner has not shared it" in text(refused)
    for person in (mine, await staff()):
        answer = await person.get(address)
        box = black_box.verify(answer.content)
        assert box.record.match == live.id and [said.data for said in box.wires[1] if said.way == "in"] == [b"put 5\n"]
        assert f"arena-{live.id}.black-box.jsonl" in answer["Content-Disposition"]
        assert answer["Cache-Control"].startswith("private") or "no-store" in answer["Cache-Control"]
    assert f"/m/{live.id}/black-box.jsonl" in text(await mine.get(f"/m/{live.id}/?tab=info"))


# -- what --------------------------------------------------------------------------------------------------------------


async def test_programs_read_json_lines(host: Host) -> None:
    live, _ = await a_match(host)
    await over(host, live)
    answer = await Person().get(f"/m/{live.id}/wire/1.jsonl")
    assert answer["Content-Type"] == "application/jsonl; charset=utf-8"
    first, second = (json.loads(line) for line in text(answer).splitlines())
    assert (first["dir"], first["data"], first["ply"]) == ("out", "PUT 5\\nYOUR_MOVE\\n", 2)
    assert list(second) == ["t", "dir", "data", "ply"] and round(second["t"] - first["t"], 3) == 0.153


async def test_people_read_lines_with_shapes(host: Host) -> None:
    live, _ = await a_match(host)
    await over(host, live)
    answer = await Person().get(f"/m/{live.id}/wire/1.txt")
    assert answer["Content-Type"] == "text/plain; charset=utf-8"
    lines = text(answer).splitlines()
    assert lines[0].startswith(f"Wire of gravity-9 (droidcon), seat 1 of match {live.id}.")
    assert [line.split("  ", 1)[1] for line in lines[2:]] == [
        "▼  PUT 5\\n",
        "▼  YOUR_MOVE\\n",
        "▲  put 5\\n  [153 ms]  move 2",
    ]


async def test_the_page_shows_rows_that_lead_to_their_move(host: Host) -> None:
    live, wire = await a_match(host)
    wire.ply = 9
    wire.received(b"not played\n", 0.0)
    await host.referee.play(live, 0, 1, "4")
    await host.referee.play(live, 1, 2, "6")
    await over(host, live)
    shown = text(await Person().get(f"/m/{live.id}/wire/1/"))
    assert "not played" in shown and "ply=9" not in shown
    assert 'role="log" aria-live="off"' in shown and "153 ms" in shown
    assert f'href="/m/{live.id}/?ply=2"' in shown and "ws-connect" not in shown


async def test_what_a_bot_says_is_text(host: Host) -> None:
    live, wire = await a_match(host)
    wire.received(b"<script>alert(1)</script>\n", 0.0)
    wire.complained(b"<img src=x onerror=alert(1)>")
    await over(host, live)
    shown = text(await Person().get(f"/m/{live.id}/wire/1/"))
    assert "<script>alert" not in shown and "<img" not in shown and "&lt;script&gt;" in shown


async def test_the_page_of_a_running_match_says_why_there_are_no_rows(host: Host) -> None:
    live, _ = await a_match(host)
    answer = await Person().get(f"/m/{live.id}/wire/1/")
    assert answer.status_code == 200
    assert "The bot log of gravity-9 is private until the match ends." in text(answer)
    assert f'ws-connect="/ws/m/{live.id}/wire/1/"' in text(await (await staff()).get(f"/m/{live.id}/wire/1/"))


async def test_the_match_page_has_a_card_for_each_bot(host: Host) -> None:
    live, _ = await a_match(host)
    page = text(await Person().get(f"/m/{live.id}/"))
    assert page.count('class="wire-card"') == 1
    assert "gravity-9" in page and f'hx-get="/m/{live.id}/wire/1/"' in page


async def test_what_a_bot_said_last_is_the_hosts_until_it_is_stored(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last lines are stored a moment after the end, and no page worker may take what it finds for all there is."""
    live, _ = await a_match(host)
    await over(host, live)
    files = [f"/m/{live.id}/{rest}" for rest in ("wire/1.jsonl", "wire/1.txt", "wire/1/", "black-box.jsonl")]
    thoughts = f"/m/{live.id}/thoughts/"
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr(hosting, "_here", [])
        for address in (*files, thoughts):
            assert (await asked_first(address)).headers[FOR_THE_HOST] == "1", address
        assert "What the bots think" in text(await Person().get(f"/m/{live.id}/")), "its card asks"
    await host.wires.flush([live])
    ended = Event.objects.filter(match=live.id)
    await ended.aupdate(at=live.events[-1].at - WIRES_WITHIN)
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr(hosting, "_here", [])
        for address in files:
            assert "put 5" in text(await Person().get(address)), address
        assert "No bot has said here" in text(await Person().get(thoughts))
