"""A little of `make fuzz`, and that it would say what it found."""

from __future__ import annotations

import pytest

from arena.protocols import protocol, protocols
from tools.fuzz.__main__ import fuzz, main


@pytest.mark.cases(3)
@pytest.mark.parametrize("slug", protocols())
def test_an_adapter_stands_what_is_said_to_it(slug: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert fuzz(slug, 3_000, seed=20)
    assert capsys.readouterr().out.startswith(f"{slug:15} 3,000 inputs: ")


def test_what_an_adapter_does_not_stand_is_told_with_its_seed(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(self: object, data: bytes) -> None:
        raise ZeroDivisionError("a defect")

    monkeypatch.setattr(protocol("fiar"), "receive_data", broken)
    assert main(["fiar", "--inputs", "10", "--seed", "5"]) == 1
    said = capsys.readouterr()
    assert "fiar: failed with --seed 5 at input 0" in said.out
    assert "ZeroDivisionError: a defect" in said.err


def test_an_adapter_that_keeps_everything_is_found(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    adapter = protocol("nyu-nim")
    receive = adapter.receive_data

    def hoard(self: object, data: bytes) -> None:
        self.out += b"x" * 200_000  # type: ignore[attr-defined]
        receive(self, data)  # type: ignore[arg-type]

    monkeypatch.setattr(adapter, "receive_data", hoard)
    assert main(["nyu-nim", "--inputs", "10", "--seed", "5"]) == 1
    assert "bytes are said at once" in capsys.readouterr().err


def test_a_protocol_that_there_is_not_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["chess"])
    assert "no protocol 'chess'; there are droidcon, " in capsys.readouterr().err
