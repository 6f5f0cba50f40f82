"""Token buckets, fair shares, and what counts as one address."""

from __future__ import annotations

import pytest

from arena.common import limits
from arena.common.limits import Bucket, Buckets, Rate, Shares, counted_as, host_of, is_exempt, is_fair, networks

LAN = ["192.0.2.0/24"]


def test_a_bucket_gives_what_it_holds_and_no_more() -> None:
    bucket = Bucket(3, 1, now=100.0)
    assert [bucket.take(now=100.0) for _ in range(5)] == [True, True, True, False, False]


def test_a_bucket_fills_with_time_and_not_above_its_rim() -> None:
    bucket = Bucket(2, 0.5, now=100.0)
    assert bucket.take(2, now=100.0) and not bucket.take(now=100.0)
    assert (bucket.wait_s(), bucket.wait_s(2)) == (2.0, 4.0)
    assert bucket.take(now=102.0) and not bucket.take(now=102.0)
    assert [bucket.take(now=9000.0) for _ in range(3)] == [True, True, False]


def test_what_is_given_to_a_bucket_does_not_rise_above_its_rim() -> None:
    bucket = Bucket(2, 0, now=0.0)
    assert bucket.take(2, now=0.0)
    bucket.give(50)
    assert bucket.take(2, now=0.0) and not bucket.take(now=0.0)
    assert bucket.wait_s() == float("inf")


def test_what_costs_more_than_a_bucket_holds_never_comes() -> None:
    bucket = Bucket(2, 1, now=0.0)
    assert not bucket.take(3, now=100.0)
    assert bucket.wait_s(3) == float("inf")


def test_each_address_has_a_bucket_and_hears_how_long_to_wait() -> None:
    buckets = Buckets(Rate(2, 1 / 40))
    assert [buckets.take("192.0.2.1", now=0.0) for _ in range(3)] == [0.0, 0.0, 40.0]
    assert buckets.take("192.0.2.2", now=0.0) == 0.0
    assert buckets.take("192.0.2.1", now=40.0) == 0.0


def test_to_ask_how_long_to_wait_takes_nothing() -> None:
    buckets = Buckets(Rate(1, 1 / 40))
    assert [buckets.wait_s("192.0.2.1", now=0.0) for _ in range(3)] == [0.0] * 3
    assert buckets.take("192.0.2.1", now=0.0) == 0.0
    assert [buckets.wait_s("192.0.2.1", now=now) for now in (0.0, 10.0, 40.0)] == [40.0, 30.0, 0.0]
    assert buckets.wait_s("127.0.0.1", now=0.0) == 0.0


def test_forty_addresses_of_one_ipv6_network_have_one_bucket() -> None:
    buckets = Buckets(Rate(3, 0.001))
    waits = [buckets.take(f"2001:db8::{number:x}", now=0.0) for number in range(1, 41)]
    assert [wait == 0.0 for wait in waits] == [True] * 3 + [False] * 37
    assert buckets.take("2001:db8:0:1::1", now=0.0) == 0.0


def test_memory_for_addresses_is_bounded_and_the_busiest_are_not_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MOST_ADDRESSES", 10)
    buckets = Buckets(Rate(1, 0.001))
    assert buckets.take("203.0.113.7", now=0.0) == 0.0
    for number in range(100):
        buckets.take(f"192.0.2.{number}", now=0.0)
        assert buckets.take("203.0.113.7", now=0.0)
    assert len(buckets) == 10


@pytest.mark.parametrize("host", ["127.0.0.1", "127.3.3.3", "::1", "::ffff:127.0.0.1", "192.0.2.9", "::ffff:192.0.2.9"])
def test_loopback_and_trusted_nets_are_not_counted(host: str) -> None:
    buckets, shares = Buckets(Rate(1, 0.001), LAN), Shares(each=1, trusted_nets=LAN)
    assert not any(buckets.take(host) for _ in range(5))
    assert all(shares.take(host) for _ in range(5))
    shares.give_back(host)
    assert not shares.taken and shares.total == 4


def test_nothing_at_once_is_no_limit() -> None:
    buckets = Buckets(Rate(0, 0))
    assert not any(buckets.take("203.0.113.7") for _ in range(100)) and len(buckets) == 0


def test_an_address_holds_so_many_and_gives_them_back() -> None:
    shares = Shares(each=2)
    assert [shares.take("203.0.113.7") for _ in range(3)] == [True, True, False]
    assert shares.take("203.0.113.8")
    shares.give_back("203.0.113.7")
    assert shares.take("::ffff:203.0.113.7")
    assert not shares.take("203.0.113.7")


def test_the_last_quarter_is_never_one_address_s() -> None:
    shares = Shares(most=100)
    assert sum(shares.take(f"2001:db8::{number:x}") for number in range(500)) == 75
    assert sum(shares.take("203.0.113.7") for _ in range(500)) == 19  # three times what is free then
    assert shares.take("203.0.113.8")


def test_many_greedy_addresses_leave_something_for_one_more() -> None:
    shares = Shares(most=100)
    for _ in range(100):
        for number in range(10):
            shares.take(f"203.0.113.{number}")
    assert max(shares.taken.values()) - min(shares.taken.values()) <= 1
    assert shares.take("203.0.113.99")


def test_what_is_all_taken_is_nobody_s() -> None:
    shares = Shares(most=2)
    assert shares.take("127.0.0.1") and shares.take("127.0.0.1")
    assert not shares.take("127.0.0.1") and not shares.take("203.0.113.7")


def test_a_share_is_three_times_what_is_free() -> None:
    assert is_fair(2, 99, 100) and not is_fair(3, 99, 100) and not is_fair(0, 100, 100)


@pytest.mark.parametrize(
    ("host", "counted"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("2001:db8::1", "2001:db8::/64"),
        ("2001:db8::ffff:1", "2001:db8::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("unix", "unix"),
        ("", ""),
    ],
)
def test_what_counts_as_one_address(host: str, counted: str) -> None:
    assert counted_as(host) == counted


@pytest.mark.parametrize(("peer", "host"), [("192.0.2.1:5123", "192.0.2.1"), ("[2001:db8::1]:80", "2001:db8::1")])
def test_the_host_of_a_peer(peer: str, host: str) -> None:
    assert host_of(peer) == host


def test_what_is_no_address_is_not_exempt() -> None:
    assert not is_exempt("localhost", networks(["0.0.0.0/0"]))
