"""What a bot's author copies: for every protocol and every language that there is a sample in."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import RequestFactory

from arena.protocols import protocols
from arena.web.library.connecting import (
    ANY,
    Address,
    host_of,
    is_program,
    lines_of,
    snippets,
    tabs,
    whole_words,
    why_refused,
)
from arena.web.library.protocol_texts import samples_of

ADDRESS = Address("arena.example.org", 4301, "otter-k7q9", "http://arena.example.org")


def texts(slug: str, language: str = ANY) -> list[str]:
    return [snippet.text for snippet in snippets(slug, language, ADDRESS)]


@pytest.mark.parametrize(
    ("asked", "host"),
    [("[::1]:8000", "::1"), ("[::1]", "::1"), ("localhost:8000", "localhost"), ("10.0.0.7", "10.0.0.7")],
)
def test_the_host_is_one_that_programs_take(asked: str, host: str, settings: Any) -> None:
    settings.ALLOWED_HOSTS = ["*"]
    assert host_of(RequestFactory().get("/", headers={"host": asked})) == host


@pytest.mark.parametrize("bots_host", ["127.0.0.1", "::1", "localhost"])
def test_bots_elsewhere_are_refused_where_only_this_machine_can_come(bots_host: str, settings: Any) -> None:
    settings.ALLOWED_HOSTS, away = ["*"], RequestFactory().get("/", headers={"host": "192.168.1.20:8000"})
    assert "start Arena with <span>--bots-host 0.0.0.0.</span>" in why_refused(away, bots_host)
    assert why_refused(RequestFactory().get("/", headers={"host": "localhost:8000"}), bots_host) == ""
    settings.ARENA_PUBLIC_HOST = "bots.example.org"  # what leads there knows where this machine listens
    assert why_refused(away, bots_host) == ""


@pytest.mark.parametrize("bots_host", ["0.0.0.0", "::", "192.168.1.20", ""])
def test_bots_elsewhere_may_come(bots_host: str, settings: Any) -> None:
    settings.ALLOWED_HOSTS = ["*"]
    assert why_refused(RequestFactory().get("/", headers={"host": "192.168.1.20:8000"}), bots_host) == ""


def test_two_lines_over_a_socket_are_two_lines() -> None:
    assert texts("droidcon") == ["host  arena.example.org\nport  4301", "NAME my-bot\nJOIN otter-k7q9"]


def test_who_names_the_room_may_come_to_the_door() -> None:
    words = [snippet.words for snippet in snippets("droidcon", ANY, ADDRESS._replace(door=4242))]
    assert words[1] == "With these lines it can also connect to the public port 4242:"
    assert snippets("droidcon", ANY, ADDRESS)[1].words == ""


def test_a_program_comes_in_over_the_bridge() -> None:
    assert texts("fiar") == [
        "curl -O http://arena.example.org/samples/arena-bridge.py",
        "python3 arena-bridge.py arena.example.org 4301 -- ./my-bot",
    ]


def test_a_bot_of_one_machine_comes_in_over_the_bridge_too() -> None:
    assert texts("nyu-nim")[1] == "python3 arena-bridge.py arena.example.org 4301 --listen 50008"


def test_a_line_of_a_command_breaks_neither_after_a_hyphen_nor_within_an_option() -> None:
    assert whole_words('match "nyu-nim:./a b" --rounds 8') == (
        "match <span>&quot;nyu-nim:./a</span> b&quot; <span>--rounds 8</span>"
    )
    assert whole_words("arena-bridge.py HOST 4301 -- ./my-bot\ncc x") == (
        "<span>arena-bridge.py</span> HOST 4301 <span>-- ./my-bot</span>\ncc x"
    )


@pytest.mark.parametrize("slug", sorted(protocols()))
def test_every_sample_is_fetched_and_run_with_this_address(slug: str) -> None:
    for sample in samples_of(slug):
        get, run = texts(slug, sample.path.suffix[1:])
        assert f"/samples/{sample.name}" in get and "4301" in run and "{" not in run
        assert ("arena-bridge.py" in get) == is_program(slug)
        assert ("cc " in get) == (sample.path.suffix == ".c")


def test_a_sample_that_names_its_room_is_told_which() -> None:
    assert texts("droidcon", "py")[1] == "python3 droidcon_bot.py my-bot otter-k7q9 arena.example.org 4301"


def test_an_unknown_language_is_any_language() -> None:
    assert [tab.name for tab in tabs("droidcon", "cobol") if tab.current] == [ANY]
    assert [tab.name for tab in tabs("droidcon", "js") if tab.current] == ["js"]


def test_who_is_greeted_or_simply_asked_says_nothing_first() -> None:
    assert lines_of("nyu-nim", "x") == lines_of("santorini-json", "x") == ()
