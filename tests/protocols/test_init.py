"""Protocols are found, not listed."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena import protocols
from arena.protocols.droidcon.adapter import Droidcon
from arena.protocols.fiar.adapter import Fiar


def test_every_module_with_an_adapter_is_a_protocol() -> None:
    assert protocols.protocol("droidcon") is Droidcon
    assert protocols.protocol("fiar") is Fiar


def test_the_contract_itself_is_no_protocol() -> None:
    assert all(slug == adapter.slug for slug, adapter in protocols.protocols().items())
    assert all(adapter.__name__ != "Adapter" for adapter in protocols.protocols().values())


def test_an_unknown_protocol_is_refused_with_the_known_ones() -> None:
    with pytest.raises(KeyError, match="unknown protocol 'uci'; known: .*droidcon.*fiar"):
        protocols.protocol("uci")


def test_it_says_who_can_play_what() -> None:
    assert protocols.plays("droidcon", "connect-four-7x6")
    assert protocols.plays("fiar", "connect-four-7x6")
    assert not protocols.plays("droidcon", "connect-four-8x8")
    assert not protocols.plays("fiar", "expanding-nim")


def test_forms_can_offer_them() -> None:
    assert ("droidcon", Droidcon.title) in protocols.choices()
    assert ("fiar", Fiar.title) in protocols.choices()


def test_a_protocol_has_a_folder_with_parts_that_may_be_absent() -> None:
    folder = protocols.folder_of("nyu-nim")
    assert folder is not None and Path(folder, "adapter.py").is_file() and Path(folder).name == "nyu_nim"
    assert protocols.own_part("nyu-nim", "hints") is not None and protocols.own_part("nyu-nim", "runner") is None
    assert set(protocols.own_parts("runner")) == {"fiar", "gamestate"}


def test_what_is_no_protocol_has_no_folder_and_no_part() -> None:
    for slug in ("uci", "../droidcon", "", "__pycache__"):
        assert protocols.folder_of(slug) is None and protocols.own_part(slug, "hints") is None
