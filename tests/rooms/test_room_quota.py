"""How many rooms an address opens and holds."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from arena.common.limits import Rate
from arena.match.commands import Refusal
from arena.rooms.room_quota import RoomQuota, TooManyRooms

NETWORK = "2001:db8::/64"


def opened(quota: RoomQuota, address: str, holders: Sequence[str] = (), most: int = 500, has_code: bool = True) -> str:
    quota.check(address, holders, most, has_code=has_code)
    return quota.count(address, has_code=has_code)


def test_so_many_rooms_at_once_then_one_in_a_while() -> None:
    quota = RoomQuota(Rate(2, 1 / 5))
    assert [opened(quota, f"2001:db8::{number}") for number in range(2)] == [NETWORK, NETWORK]
    with pytest.raises(TooManyRooms) as refused:
        opened(quota, "2001:db8::9")
    assert refused.value.sentence == (
        "Your address has opened 2 rooms at once; after that it is one every 5 s. Try again in 5 s. All who share one "
        "address count together, unless whoever runs this server puts it into ARENA_TRUSTED_NETS."
    )
    assert (refused.value.code, refused.value.retry_s) == ("too_many", 5)
    assert opened(quota, "203.0.113.7") == "203.0.113.7"


def test_to_ask_counts_nothing() -> None:
    quota = RoomQuota(Rate(1, 0))
    for _ in range(5):
        quota.check("203.0.113.7", [], 500)
    assert opened(quota, "203.0.113.7") == "203.0.113.7"
    with pytest.raises(TooManyRooms):
        quota.check("203.0.113.7", [], 500)


def test_matches_without_a_room_are_counted_apart_from_rooms() -> None:
    quota = RoomQuota(Rate(1, 0), matches=Rate(2, 1))
    assert [opened(quota, "203.0.113.7", has_code=code) for code in (True, False, False)] == ["203.0.113.7"] * 3
    with pytest.raises(TooManyRooms, match="Your address has begun 2 matches at once; after that it is one every 1 s"):
        opened(quota, "203.0.113.7", has_code=False)


def test_the_last_quarter_of_the_rooms_is_never_one_address_s() -> None:
    quota, holders = RoomQuota(Rate(1000, 0)), list[str]()
    with pytest.raises(TooManyRooms, match="Your address holds 75 of the 100 rooms of this server; the rest is"):
        for number in range(100):
            holders.append(opened(quota, f"2001:db8::{number % 40}", holders, 100))
    assert holders == [NETWORK] * 75
    assert opened(quota, "203.0.113.7", holders, 100)


@pytest.mark.parametrize("address", ["", "127.0.0.1", "203.0.113.7"])
def test_whoever_holds_none_is_told_that_all_are_taken(address: str) -> None:
    with pytest.raises(Refusal, match="There are 100 open rooms, the most this server allows. Try again later."):
        opened(RoomQuota(), address, ["203.0.113.8"] * 100, 100)


@pytest.mark.parametrize("address", ["", "127.0.0.1", "192.0.2.7"])
def test_the_server_itself_this_machine_and_trusted_nets_are_not_counted(address: str) -> None:
    quota = RoomQuota(Rate(1, 0), ["192.0.2.0/24"])
    assert [opened(quota, address, most=1) for _ in range(5)] == [""] * 5
