"""What a step of a Droidcon conversation does, where no transcript gets to it."""

from __future__ import annotations

import pytest

from arena.protocols.adapter import BotFault, Company, Joined
from arena.protocols.droidcon.adapter import WAITING_CAP, Droidcon


@pytest.mark.parametrize("alone", [True, False])
def test_a_flood_before_a_round_begins_is_no_lost_round_where_the_other_side_has_come(alone: bool) -> None:
    bot = Droidcon()
    bot.receive_data(b"NAME a\nJOIN x\n")
    bot.send(Joined("x"))
    bot.send(Company(not alone))
    bot.data_to_send()
    flood = b"x" * 513 if alone else b"NAME b\n" * (WAITING_CAP + 1)
    bot.receive_data(flood)
    assert bot.data_to_send() == b"Error INVALID_COMMAND\n" + (b"YOU_LOST\n" if alone else b"")
    assert isinstance(bot.events_received()[-1], BotFault)
    assert bot.wants_close
