"""What a step of a `native` conversation does, where no transcript gets to it."""

from __future__ import annotations

from arena.protocols.adapter import Admitted, BotFault
from arena.protocols.native.adapter import WAITING_CAP, Native


def test_lines_wait_for_the_answer_to_a_token_but_not_without_a_bound() -> None:
    bot = Native()
    bot.receive_data(b'{"type":"hello","name":"a","token":"arn_x"}\n' + b'{"type":"pong"}\n' * WAITING_CAP)
    assert bot.data_to_send() == b""
    bot.receive_data(b'{"type":"pong"}\n')
    fault = bot.events_received()[-1]
    assert isinstance(fault, BotFault) and fault.code == "bad_output"
    bot.send(Admitted())
    assert bot.data_to_send() == b""
