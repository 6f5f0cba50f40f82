"""What a waiting place hears, from real bytes on a real connection to its port."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

import pytest

from arena.bots.seats import hearing as hearing_module
from arena.bots.seats.choices import SideChoice
from arena.bots.seats.hearing import MOST_HEARD, Hearing
from arena.bots.seats.seat_port import SeatPort
from arena.host import Host
from tests.kit.clients import Wire
from tests.kit.until import until

pytestmark = pytest.mark.usefixtures("seated_soon")

FIELDS = {"variant": "connect-four-7x6", "clock": "5s"}


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who is silent is heard soon, which in other tests is whoever is slow."""
    monkeypatch.setattr(hearing_module, "SILENT_S", 0.1)
    monkeypatch.setattr(hearing_module, "JOIN_S", 0.1)


async def waits_for(host: Host, protocol: str) -> tuple[SeatPort, int]:
    room = await host.room_maker.open_room(
        FIELDS, (SideChoice("socket", protocol=protocol), SideChoice("anyone")), None
    )
    found = host.seat_ports.port_of(room.plan.code, 0)
    assert found is not None and found.port is not None
    return found, found.port


async def heard(waiting: SeatPort, code: str) -> Mapping[str, str]:
    """The parameters of the first entry with this code."""
    await until(lambda: any(entry.code == code for entry in waiting.hearing.entries))
    return next(entry.params for entry in waiting.hearing.entries if entry.code == code)


async def test_the_address_is_said_first(host: Host) -> None:
    found, port = await waits_for(host, "droidcon")
    opened = await heard(found, "open")
    assert found.expires is not None
    assert opened == {"port": str(port), "join": f"JOIN {found.room.plan.code}", "until": f"{found.expires:%H:%M}"}
    other, _ = await waits_for(host, "fiar")
    assert (await heard(other, "open"))["join"] == ""


@pytest.mark.usefixtures("soon")
async def test_a_droidcon_bot_is_followed_until_it_is_ready(host: Host) -> None:
    found, port = await waits_for(host, "droidcon")
    async with Wire.to(port) as bot:
        assert (await heard(found, "connected"))["address"] == "127.0.0.1"
        assert await heard(found, "silent") == {}
        await bot.send("NAME gravity-9")
        assert (await heard(found, "first_line"))["line"] == "NAME gravity-9"
        needs = await heard(found, "needs_join")
        assert needs == {"answered": "SUCCESS", "join": f"JOIN {found.room.plan.code}"}
        await bot.send("JION otter")
        typo = await heard(found, "typo")
        assert (typo["got"], typo["answered"]) == ("JION otter", "Error INVALID_COMMAND")
        assert (typo["meant"], typo["known"]) == ("JOIN", "NAME, JOIN, PUT")
        await bot.send("JOIN otter")
        assert (await heard(found, "ready"))["name"] == "gravity-9 (unverified)"
        assert [line.split('"data": ')[1].split(", ")[0] for line in found.wire()][:2] == [
            '"NAME gravity-9\\\\n"',
            '"SUCCESS\\\\n"',
        ]
    numbers = [entry.n for entry in found.hearing.entries]
    assert numbers == list(range(1, len(numbers) + 1))


@pytest.mark.usefixtures("soon")
async def test_a_line_without_its_end_is_named(host: Host) -> None:
    found, port = await waits_for(host, "droidcon")
    async with Wire.to(port) as bot:
        await bot.send_bytes(b"NAME gravity-9")
        assert await heard(found, "no_line_end") == {"bytes": "14"}


async def test_another_protocol_is_named(host: Host) -> None:
    found, port = await waits_for(host, "droidcon")
    async with Wire.to(port) as bot:
        await bot.send("3")
        other = await heard(found, "other_protocol")
        assert other["sent"] == "3" and "Four In A Row (fiar)" in other["other"]
        assert "fiar" in other["slugs"].split() and "droidcon" not in other["slugs"].split()


@pytest.mark.parametrize("protocol", ["droidcon", "fiar"])
@pytest.mark.parametrize("said", [b"GET / HTTP/1.1\r\nHost: arena\r\n\r\n", b"\x16\x03\x01\x02\n\x01\xfc"])
async def test_a_web_client_is_named_once(protocol: str, said: bytes, host: Host) -> None:
    found, port = await waits_for(host, protocol)
    async with Wire.to(port) as bot:
        await bot.send_bytes(said)
        web = await heard(found, "web_client")
        first = "GET / HTTP/1.1\\r" if said.startswith(b"GET") else "\\x16\\x03\\x01\\x02"
        assert web["why"].startswith(f"`{first}` is how HTTP, TLS or SSH begins. Expected: ")
        assert web["advice"].startswith("Open a plain TCP socket")
        (refused,) = await bot.rest()
        assert refused.startswith("SEAT REFUSED not_understood: Received the beginning of HTTP, TLS or SSH")
    assert not {"typo", "other_protocol"} & {entry.code for entry in found.hearing.entries}


async def test_who_is_refused_for_its_token_is_not_said_to_have_gone_by_itself(host: Host) -> None:
    found, port = await waits_for(host, "droidcon")
    async with Wire.to(port) as bot:
        await bot.send("SEAT arn_nobody-s")
        [said] = await bot.rest()
    assert said.startswith("SEAT REFUSED unknown_token: ") and (await heard(found, "refused"))["why"] in said
    async with Wire.to(port):
        pass
    await heard(found, "gone")  # that is the second one, and the first was over before
    assert [entry.code for entry in found.hearing.entries] == ["open", "connected", "refused", "connected", "gone"]


async def test_each_answer_stands_beside_its_line(host: Host) -> None:
    found, port = await waits_for(host, "native")
    async with Wire.to(port) as bot:
        await bot.send("NAME me", "JOIN lab é")
        await until(lambda: [entry.code for entry in found.hearing.entries].count("typo") == 2)
    got = [entry.params["got"] for entry in found.hearing.entries if entry.code == "typo"]
    assert got == ["NAME me", "JOIN lab \\xc3\\xa9"]


async def test_a_line_is_shown_as_it_came(host: Host) -> None:
    found, port = await waits_for(host, "droidcon")
    async with Wire.to(port) as bot:
        await bot.send("loading …")
        assert (await heard(found, "typo"))["got"] == "loading \\xe2\\x80\\xa6"
        await bot.send("x" * 600)
        await heard(found, "gone")
    assert [entry.params["got"][:7] for entry in found.hearing.entries if entry.code == "typo"] == [
        "loading",
        "xxxxxxx",
    ]


async def test_who_goes_before_the_match_is_named(host: Host) -> None:
    found, port = await waits_for(host, "fiar")
    async with Wire.to(port):
        await heard(found, "connected")
    gone = await heard(found, "gone")
    assert gone["why"].endswith("before a match had begun: the bot has closed it.")
    assert gone["got"] == "" and gone["advice"].startswith("Start it by hand")


async def test_who_is_sent_away_before_the_match_is_told_why(host: Host) -> None:
    found, port = await waits_for(host, "fiar")
    async with Wire.to(port) as bot:
        await bot.send("x" * 600)
        said = await bot.rest()
    expected = "a column from 1 to 7 and a newline; 512 bytes at most"
    assert said == [f"SEAT REFUSED line_too_long: Received no end of it, expected {expected}."]
    gone = await heard(found, "gone")
    assert gone["got"] == f"{'x' * 80}… (512 bytes)" and "has no end" in gone["why"]


async def test_a_token_is_not_heard(host: Host) -> None:
    found, port = await waits_for(host, "droidcon")
    async with Wire.to(port) as bot:
        await bot.send(f"SEAT {found.token}", "NAME gravity-9")
        assert (await heard(found, "first_line"))["line"] == "NAME gravity-9"
        assert found.token not in "".join(found.wire()) and "SEAT arn_" in found.wire()[0]


async def test_after_a_while_without_anybody_it_says_so(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hearing_module, "STILL_WAITING_S", 0.05)
    found, port = await waits_for(host, "fiar")
    assert await heard(found, "still_waiting") == {"port": str(port)}


async def test_it_is_bounded_and_tells_of_each_change() -> None:
    hearing, told = Hearing(), []
    hearing.on_change = lambda: told.append(len(hearing.entries))
    for _ in range(MOST_HEARD + 10):
        hearing.add("connected", address="192.0.2.1")
    assert len(told) == MOST_HEARD + 10 and len(hearing.entries) == MOST_HEARD
    assert (hearing.entries[0].n, hearing.entries[-1].n) == (11, MOST_HEARD + 10)
    hearing.opened(4300, "", datetime.now(UTC) + timedelta(minutes=1))
    hearing.close()
