"""The facts about a protocol, as class attributes of its adapter: the single place where other code looks them up.

Every optional fact has a default, so that a new protocol only states what is different.
"""

from __future__ import annotations

from games.named import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import re
    from typing import ClassVar, Literal

    from arena.protocols.machine import Machine


class Key(NamedTuple):
    """One key of a message. `kind` describes its value in words."""

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
    """Facts that hold for every connection of one protocol."""

    __slots__ = ()

    slug: ClassVar[str]
    # For people.
    title: ClassVar[str]
    # The default port for connections of this protocol.
    port: ClassVar[int]
    # The variants it plays; all if empty.
    variants: ClassVar[tuple[str, ...]] = ()

    # -- the match -----------------------------------------------------------------------------------------------------

    # What happens to a seat that makes an illegal move.
    on_illegal: ClassVar[Literal["refuse", "ask_again", "lose"]] = "lose"
    # How many rounds a connection plays, None for any number.
    rounds: ClassVar[int | None] = None
    # Whether a running match can continue on a new connection.
    resumes: ClassVar[bool] = True
    # Whether a bot is sent positions and not only moves, so that a match may begin after an opening.
    tells_positions: ClassVar[bool] = True
    # Whether a bot is told each move; else the position that comes with its turn says what was played.
    hears_moves: ClassVar[bool] = True
    # Whether a bot may be told of offers: it can take a move back, and answers draw offers.
    hears_offers: ClassVar[bool] = False
    # Whether breaking the rules ends the whole series and not only one round.
    fault_ends_series: ClassVar[bool] = False
    # Whether lines sent before a request are dropped or answer later requests; otherwise they are answered at once.
    keeps_answers: ClassVar[bool] = False
    drops_unasked: ClassVar[bool] = False
    # Whether a bot is told that its match is over.
    says_the_end: ClassVar[bool] = True
    # Whether `Bye` tells the bot that its match is over.
    goodbye_ends_match: ClassVar[bool] = False
    # Whether one process may play several matches, because it is told all it must know of each.
    keeps: ClassVar[bool] = False
    # Whether a connection stays open for the next pairing of an event: the protocol does not end it with a match.
    stays: ClassVar[bool] = False
    # The default clock of a room opened for it; "none" for protocols that can do without one.
    clock: ClassVar[str] = "30s"
    # Seconds for the handshake, and for an acknowledgement if the protocol has any.
    ready_s: ClassVar[float] = 10.0
    ack_s: ClassVar[float | None] = None

    # -- coming in -----------------------------------------------------------------------------------------------------

    # Whether the bot names its room, and the lines with which it does; `{code}` stands for the room's code, `{name}`
    # for the bot's name.
    joins: ClassVar[bool] = False
    join_lines: ClassVar[tuple[str, ...]] = ()
    # The lines that a bot must send before it can be asked.
    greeting: ClassVar[tuple[bytes, ...]] = ()
    # Whether it can also be spoken over a websocket.
    websocket: ClassVar[bool] = False
    # The command line arguments of the sample bots, in order. Empty if bots read their input and print their moves;
    # such bots connect through the bridge.
    arguments: ClassVar[tuple[str, ...]] = ()
    # Local ports that known bots of this protocol connect to, and cannot be told to change.
    known_ports: ClassVar[tuple[int, ...]] = ()

    # -- the bytes -----------------------------------------------------------------------------------------------------

    # The line end of the bot's lines, None if it does not send lines.
    line_end: ClassVar[str | None] = None
    # The most lines of one answer: JSON may be printed over several.
    answer_lines: ClassVar[int] = 1
    # Whether the bot's messages are JSON.
    json: ClassVar[bool] = False
    # A regular expression for the longest beginning of an answer, if that is a line.
    begins: ClassVar[bytes] = b""
    # What an answer looks like, in a few words.
    expects: ClassVar[str] = ""
    # The words that the bot's commands begin with, if they do.
    commands: ClassVar[tuple[str, ...]] = ()
    # The bot's numbers of the leftmost and the rightmost column, if it numbers them.
    columns: ClassVar[tuple[int, int] | None] = None
    # A regular expression for output to the bot that asks it for an answer or an acknowledgement.
    asks: ClassVar[bytes | re.Pattern[bytes]] = b""
    # Output to the bot that says its line was not understood and changed nothing.
    confused: ClassVar[tuple[bytes, ...]] = ()
    # How the answer to each of the bot's lines before a match begins: on success, and on failure.
    replies: ClassVar[tuple[bytes, bytes] | None] = None
    # The tables of messages by sender, `bot` or `arena`, if the adapter uses such tables.
    grammar: ClassVar[tuple[tuple[str, tuple[Message, ...]], ...]] = ()
    # The transitions of each state, if the adapter uses such a table.
    machine: ClassVar[Machine] = {}

    @classmethod
    def behind_answer(cls, data: bytes) -> bytes:
        """The part of `data` after the first answer; all of it if there is none."""
        _, end, rest = data.partition(b"\n")
        return rest if end else data

    @classmethod
    def good_part(cls, received: bytes, expected: str) -> int:
        """How many bytes of this could still have become what was expected; `expected` says what is wrong, too."""
        from arena.protocols.beginnings import of_json, of_line  # imported only where needed: a runner starts sooner

        return of_json(received, expected) if cls.json else of_line(received, cls.begins)

    @classmethod
    def on_the_wire(cls, move: str) -> str:
        """How the bot writes this move of the rules; "" if that cannot be told from the move alone."""
        return move if cls.columns is None else f"{int(move) - 1 + cls.columns[0]}"

    @classmethod
    def in_its_words(cls, sentence: str) -> str:
        """A sentence of the rules, with squares named as the bot names them."""
        return sentence

    @classmethod
    def first_refusal(cls, written: bytes) -> dict[str, str]:
        """`received`, `expected` and `hint` of the first refusal that matters in the output `written` to it, or {}."""
        return {}
