"""The connections of bots at all ports of a host, counted by address."""

from __future__ import annotations

import json

from arena.bots.seats.gate import MOST_TOLD_OF_ONE, PortGate, in_the_words_of
from arena.common.limits import Shares
from arena.protocols import protocol
from arena.protocols.native.adapter import Native
from arena.protocols.seat_line import turned_away


class Stranger:
    """A connection from elsewhere: the tests' own all come from loopback, which is exempt."""

    def __init__(self, peer: str) -> None:
        self.peer = peer
        self.heard = b""
        self.is_closing = self.is_unread = self.aborted = False

    def write(self, data: bytes) -> None:
        self.heard += data

    def close(self) -> None:
        self.is_closing = True

    def abort(self) -> None:
        self.is_closing = self.aborted = True

    def pause_reading(self) -> None:
        """Nothing is read."""

    resume_reading = pause_reading


def strangers(number: int) -> list[Stranger]:
    """Of one network of IPv6, each with an address of its own."""
    return [Stranger(f"[2001:db8::{n:x}]:{5000 + n}") for n in range(1, number + 1)]


def test_forty_addresses_of_one_network_are_one_at_all_ports_together() -> None:
    shares = Shares(100, 10)
    gates = [PortGate(shares, turned_away), PortGate(shares, in_the_words_of(Native))]
    come = strangers(40)
    let_in = [stranger for n, stranger in enumerate(come) if gates[n % 2].enter(stranger) is None]
    assert let_in == come[:10]
    other = Stranger("203.0.113.7:80")
    assert gates[0].enter(other) is None
    gates[0].leave(let_in[0])
    assert gates[1].enter(Stranger("[2001:db8::ff]:1")) is None


def test_who_is_turned_away_hears_how_many_there_are_and_what_to_do() -> None:
    gate = PortGate(Shares(100, 2), turned_away)
    come = strangers(3)
    listeners = [gate.enter(stranger) for stranger in come]
    assert listeners[:2] == [None, None] and listeners[2] is not None and come[2].is_closing
    assert come[2].heard.decode() == (
        "SEAT REFUSED too_many: Your address holds 2 of the 100 connections of bots, and 2 are all that one may hold. "
        "Close one, or try again in a minute.\n"
    )
    for stranger in come:
        gate.leave(stranger)
    assert gate.enter(Stranger("[2001:db8::1]:1")) is None


def test_a_flood_is_closed_without_words() -> None:
    gate = PortGate(Shares(100, 1), turned_away)
    come = strangers(50)
    for stranger in come:
        gate.enter(stranger)
    assert sum(stranger.aborted for stranger in come) == 50 - 1 - MOST_TOLD_OF_ONE
    for stranger in come:
        gate.leave(stranger)
    late = Stranger("[2001:db8::1]:1")
    assert gate.enter(late) is None and not late.is_closing


def test_when_all_are_taken_that_is_said() -> None:
    gate = PortGate(Shares(1), in_the_words_of(Native))
    assert gate.enter(Stranger("203.0.113.7:1")) is None
    late = Stranger("203.0.113.8:1")
    assert gate.enter(late) is not None
    said = json.loads(late.heard)
    assert (said["type"], said["code"]) == ("refused", "too_many")
    assert "All 1 connections of bots are taken. Try again in a minute." in said["hint"]


def test_a_protocol_without_words_for_a_refusal_is_told_as_at_the_port_of_a_seat() -> None:
    gate = PortGate(Shares(1), in_the_words_of(protocol("fiar")))
    assert gate.enter(Stranger("203.0.113.7:1")) is None
    late = Stranger("203.0.113.8:1")
    assert gate.enter(late) is not None
    assert late.is_closing and late.heard.startswith(b"SEAT REFUSED too_many: ")
