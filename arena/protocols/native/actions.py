"""The actions of a `native` conversation: what each reports to the arena and says to the bot."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Any

from arena.protocols.adapter import (
    NO_RESULT,
    BotAnswers,
    BotFault,
    BotMove,
    BotOffers,
    BotResigns,
    BotWithdraws,
    Challenge,
    Ended,
    Hello,
    Join,
    Moved,
    OfferAnswered,
    Offered,
    OfferRefused,
    Queue,
    Ready,
    Refused,
    Seated,
    Started,
    TableAdapter,
    TakenBack,
    Turn,
)
from arena.protocols.framing import LineBuffer, LineEnd, shown
from arena.protocols.json_values import VALUE_CAP, write_value
from arena.protocols.native.grammar import TO_BOT, VERSION

_WRITTEN = {message.type: tuple(key.name for key in message.keys) for message in TO_BOT}
_SEEKS: Mapping[str, tuple[type[Join | Queue | Challenge], str]] = {
    "join": (Join, "room"),
    "queue": (Queue, "variant"),
    "challenge": (Challenge, "player"),
}
_RESULTS = {0: "1-0", 1: "0-1", None: "1/2-1/2"}
_SHOWN_MOVES = 12
# How many characters of a token are repeated to the sender.
_SHOWN_TOKEN = 8

Said = Mapping[str, Any]


class NativeActions(TableAdapter):
    """The data of one connection, and the actions of its transitions."""

    __slots__ = (
        "_about_offer",
        "_asked_for",
        "_buffer",
        "_claimed",
        "_fault",
        "_hears_offers",
        "_lines",
        "_received",
        "_seated",
        "_turn",
    )

    def __init__(self) -> None:
        self._buffer = LineBuffer(LineEnd.CRLF, VALUE_CAP)
        # Lines that wait until a token is checked, and the name that came with the token.
        self._lines: deque[bytes] = deque()
        self._claimed = ""
        # The message being answered, and the request to the arena.
        self._received = ""
        self._asked_for = ""
        self._seated = Seated(0, "", "", "none")
        self._turn: Turn | None = None
        self._fault: BotFault | None = None
        # Whether the bot has said that it understands offers, and its last message about one.
        self._hears_offers = False
        self._about_offer = ""

    @property
    def answers_offers(self) -> bool:
        return self._hears_offers

    # -- what the bot said ---------------------------------------------------------------------------------------------

    def introduce(self, said: Said) -> None:
        self.take_name(said)
        self.events.append(Ready())

    def take_name(self, said: Said) -> None:
        self._hears_offers = said.get("offers") is True
        self.events.append(Hello(said["name"].strip()))
        self._welcome(said["name"].strip())

    def show_token(self, said: Said) -> None:
        """Have the token checked before the bot is welcomed."""
        self._hears_offers = said.get("offers") is True
        self._claimed = said["name"].strip()
        self._asked_for = f"{said['token'][:_SHOWN_TOKEN]}..."
        self.events.append(Hello(self._claimed, said["token"]))

    def admit(self, _: None) -> None:
        self.confirm(None)
        self.events.append(Ready())

    def confirm(self, _: None) -> None:
        """Welcome the bot under its new name, whose token is valid."""
        if self._claimed:
            self._welcome(self._claimed)
            self._claimed = ""

    def seek(self, said: Said) -> None:
        wish, key = _SEEKS[said["type"]]
        self._asked_for = said[key]
        self.events.append(wish(said[key]))

    def submit(self, said: Said) -> None:
        self._asked_for = said["move"]
        self.events.append(BotMove(said["move"]))

    def resign(self, _: Said) -> None:
        self.events.append(BotResigns())

    def say_of_offer(self, said: Said) -> None:
        if not self._hears_offers:
            self._refuse("no_offers", 'a hello with "offers": true', "Say in hello that you understand offers.")
        elif said["type"] == "offer" and said["what"] not in ("draw", "takeback"):
            self._refuse("bad_key", '"what", draw or takeback', "Say which of the two it is.")
        elif said["type"] == "offer":
            self.events.append(BotOffers(said["what"]))
        elif said["type"] == "withdraw":
            self.events.append(BotWithdraws(said["offer"]))
        else:
            self.events.append(BotAnswers(said["offer"], said["type"] == "accept"))
        self._about_offer = self._received

    def refuse_stale(self, _: Said) -> None:
        assert self._turn is not None, "an older turn has a newer one"
        self._refuse("stale", f'"ply" {self._turn.position.ply + 1}', "Answer the newest turn with its own ply.")

    def blame(self, fault: BotFault) -> None:
        self._buffer = LineBuffer(LineEnd.CRLF, VALUE_CAP)
        self._lines.clear()
        self._fault = fault
        self.events.append(fault)

    # -- what the bot is told ------------------------------------------------------------------------------------------

    def begin(self, started: Started) -> None:
        seated = self._seated
        self._say(
            "seat",
            match=seated.match,
            seat=seated.seat,
            opponent=seated.opponent,
            clock=seated.clock,
            round=started.round,
            rounds=started.rounds,
        )
        settings = dict(started.settings)
        self._say("start", variant=started.variant, settings=settings, position=str(started.position))

    def ask(self, turn: Turn) -> None:
        self._turn = turn
        position = turn.position
        mine_first = [turn.left_ms, turn.other_ms]
        self._say(
            "turn",
            ply=position.ply + 1,
            position=str(position),
            legal=position.legal_moves(),
            left_ms=mine_first if self._seated.seat == 0 else mine_first[::-1],
        )

    def show(self, moved: Moved) -> None:
        self._say(
            "moved",
            ply=moved.position.ply,
            seat=moved.seat,
            move=moved.text,
            position=str(moved.position),
            left_ms=moved.left_ms,
        )

    def tell_offer(self, told: Offered | OfferAnswered) -> None:
        """Tell of offers only bots that have said they understand them."""
        if not self._hears_offers:
            return
        if isinstance(told, Offered):
            self._say("offer", offer=told.offer, seat=told.seat, what=told.what)
        else:
            self._say("answer", seat=told.seat, what=told.what, how=told.how)

    def take_back(self, told: TakenBack) -> None:
        position = told.position
        self._say("takeback", ply=position.ply, seat=told.seat, position=str(position), left_ms=told.left_ms)

    def refuse_offer(self, refused: OfferRefused) -> None:
        self._received = self._about_offer
        self._refuse(refused.code, "an offer that can be made or answered now", refused.sentence)

    def refuse_move(self, refused: Refused) -> None:
        assert self._turn is not None, "a move answers a turn"
        self._pass_on(refused, _some_of(self._turn.position.legal_moves()))

    def refuse_token(self, refused: Refused) -> None:
        self._lines.clear()
        self._pass_on(refused, "a token that a bot or a seat has now")

    def refuse(self, refused: Refused) -> None:
        self._pass_on(refused, "something that can be done now")

    def refuse_fault(self, refused: Refused) -> None:
        """Close the connection of a bot that is refused for what it sent."""
        assert self._fault is not None, "it is deaf since its fault"
        self._received = self._fault.received
        self._refuse(refused.code, self._fault.expected, refused.sentence)

    def tell_end(self, ended: Ended) -> None:
        result = "*" if ended.termination in NO_RESULT else _RESULTS[ended.winner]
        self._say(
            "end",
            winner=ended.winner,
            termination=ended.termination,
            reason=ended.reason,
            result=result,
            last=ended.last,
        )
        self.wants_close = ended.last

    def close(self, _: None) -> None:
        self.wants_close = True

    def _welcome(self, name: str) -> None:
        self._say("welcome", version=VERSION, you=name)

    def _pass_on(self, refused: Refused, expected: str) -> None:
        self._received = shown((refused.received or self._asked_for).encode())
        self._refuse(refused.code, expected, refused.sentence)

    def _refuse(self, code: str, expected: str, hint: str) -> None:
        self._say("refused", code=code, received=self._received, expected=expected, hint=hint)

    def _say(self, type: str, **values: object) -> None:
        assert tuple(values) == _WRITTEN[type], f"{type} has the keys {', '.join(_WRITTEN[type])}"
        self.out += write_value({"type": type, **values})


def _some_of(moves: tuple[str, ...]) -> str:
    return f"one of {', '.join(moves[:_SHOWN_MOVES])}{' …' if len(moves) > _SHOWN_MOVES else ''}"
