"""What a protocol is, said once as attributes of its adapter's class: everybody who must know asks there.

Every fact has a default, so that a new protocol says only what is different about it.
"""

from __future__ import annotations

from games.named import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import re
    from typing import ClassVar, Literal

    from arena.protocols.machine import Machine


class Key(NamedTuple):
    """One key of a message. `kind` is what its value is, in words."""

    name: str
    kind: str
    words: str
    needed: bool = True


class Message(NamedTuple):
    """One type of message."""

    type: str
    words: str
    keys: tuple[Key, ...] = ()


class Facts:
    """What is true of every connection of one protocol."""

    __slots__ = ()

    slug: ClassVar[str]
    # For people.
    title: ClassVar[str]
    # The port of its door.
    port: ClassVar[int]
    # What it plays; every variant when empty.
    variants: ClassVar[tuple[str, ...]] = ()

    # -- the match -----------------------------------------------------------------------------------------------------

    # What an illegal move costs the seat.
    on_illegal: ClassVar[Literal["refuse", "ask_again", "lose"]] = "lose"
    # How many rounds a connection plays, None for any number.
    rounds: ClassVar[int | None] = None
    # Whether a match can go on in its middle on a new connection.
    resumes: ClassVar[bool] = True
    # Whether a bot learns the position and not only moves, so that a match may begin after an opening.
    tells_positions: ClassVar[bool] = True
    # Whether a bot may be told of offers: it can take a move back, and says yes or no to a draw.
    hears_offers: ClassVar[bool] = False
    # Whether breaking the rules ends all rounds and not only one.
    fault_ends_series: ClassVar[bool] = False
    # What a bot says before it is asked answers the next requests, or is dropped; else it is answered at once.
    keeps_answers: ClassVar[bool] = False
    drops_unasked: ClassVar[bool] = False
    # Whether `Bye` tells the bot that its match is over.
    goodbye_ends_match: ClassVar[bool] = False
    # Whether one process may play match after match, because it is told all it must know of each.
    keeps: ClassVar[bool] = False
    # Whether a connection stays for the next pairing of an event: the protocol does not end it with a match.
    stays: ClassVar[bool] = False
    # The default of a room opened for it. Who may do without a clock has "none".
    clock: ClassVar[str] = "30s"
    # Seconds for the handshake, and for an acknowledgement where the protocol has any.
    ready_s: ClassVar[float] = 10.0
    ack_s: ClassVar[float | None] = None

    # -- coming in -----------------------------------------------------------------------------------------------------

    # Whether the bot names its room, and the lines it does so with; `{code}` is the room's.
    joins: ClassVar[bool] = False
    join_lines: ClassVar[tuple[str, ...]] = ()
    # What a bot must say before it can be asked, line by line.
    greeting: ClassVar[tuple[bytes, ...]] = ()
    # Whether it is spoken over a websocket too.
    websocket: ClassVar[bool] = False
    # What the sample bots take on their command line, in this order. Empty where bots read their input and print their
    # moves: those come in over the bridge.
    arguments: ClassVar[tuple[str, ...]] = ()
    # Ports on their own machine that known bots of this protocol connect to, and nowhere else.
    known_ports: ClassVar[tuple[int, ...]] = ()

    # -- the bytes -----------------------------------------------------------------------------------------------------

    # What ends a line from the bot, None where it does not speak in lines.
    line_end: ClassVar[str | None] = None
    # How many lines an answer has at most: JSON may be printed over several.
    answer_lines: ClassVar[int] = 1
    # Whether the bot's messages are JSON.
    json: ClassVar[bool] = False
    # What an answer looks like, in few words.
    expects: ClassVar[str] = ""
    # The words that begin a bot's commands, where they do.
    commands: ClassVar[tuple[str, ...]] = ()
    # The leftmost and the rightmost column as the bot numbers them, where it does.
    columns: ClassVar[tuple[int, int] | None] = None
    # What, written to the bot, asks it for an answer or an acknowledgement: a regular expression.
    asks: ClassVar[bytes | re.Pattern[bytes]] = b""
    # What, written to the bot, says that its line was not understood and changed nothing.
    confused: ClassVar[tuple[bytes, ...]] = ()
    # How the answer to each of the bot's lines before a match begins: when it was carried out, and when it was not.
    replies: ClassVar[tuple[bytes, bytes] | None] = None
    # The tables of messages by who sends them, `bot` or `arena`, where the adapter works by such tables.
    grammar: ClassVar[tuple[tuple[str, tuple[Message, ...]], ...]] = ()
    # What each event does in each state, where the adapter steps by such a table.
    machine: ClassVar[Machine] = {}

    @classmethod
    def behind_answer(cls, data: bytes) -> bytes:
        """What is left of `data` behind the first answer; all of it when there is none."""
        _, end, rest = data.partition(b"\n")
        return rest if end else data

    @classmethod
    def on_the_wire(cls, move: str) -> str:
        """How the bot says this move of the rules; "" where that cannot be told from the move."""
        return move if cls.columns is None else f"{int(move) - 1 + cls.columns[0]}"

    @classmethod
    def first_refusal(cls, written: bytes) -> dict[str, str]:
        """`received`, `expected` and `hint` of the first refusal written to the bot; nothing where there is none."""
        return {}
