"""The grammar of `native` in one table: the adapter reads and writes by it, and its page is made from it."""

from __future__ import annotations

from arena.protocols.facts import Key, Message

VERSION = 1
LONGEST_NAME = 32
NAME_CHARACTERS = "A-Z a-z 0-9 blank _ . -"

FROM_BOT = (
    Message(
        "hello",
        "The first message. Said again, it changes the name.",
        (
            Key("name", "text", f"what others see: 1 to {LONGEST_NAME} of {NAME_CHARACTERS}"),
            Key("token", "text", "proves the name; without it the bot plays unrated", needed=False),
            Key("version", "number", f"of this protocol: {VERSION}", needed=False),
            Key("offers", "true or false", "whether it is told of offers and may make some", needed=False),
        ),
    ),
    Message("join", "Take a seat in a room.", (Key("room", "text", "its code"),)),
    Message("queue", "Play with the next opponent.", (Key("variant", "text", "such as connect-four-7x6"),)),
    Message("challenge", "Play with somebody.", (Key("player", "text", "the name"),)),
    Message(
        "move",
        "Answer a turn.",
        (Key("ply", "number", "of the turn that it answers"), Key("move", "text", "one of its legal moves")),
    ),
    Message("resign", "Give the match up."),
    Message("pong", "Answer a ping."),
    Message("offer", "Offer a draw, or ask for a takeback.", (Key("what", "text", "draw or takeback"),)),
    Message("accept", "Accept an offer.", (Key("offer", "number", "of the offer"),)),
    Message(
        "decline", "Decline an offer. So does a move, and so does silence.", (Key("offer", "number", "of the offer"),)
    ),
    Message("withdraw", "Withdraw an offer of your own.", (Key("offer", "number", "of the offer"),)),
)

TO_BOT = (
    Message(
        "welcome",
        "Answers hello; with a token, once that is known to be good. Else `refused` comes, and the connection ends.",
        (Key("version", "number", "of this protocol"), Key("you", "text", "the name that others see")),
    ),
    Message(
        "seat",
        "A match is about to begin.",
        (
            Key("match", "text", "its id, as in its address"),
            Key("seat", "number", "0 moves first, 1 second"),
            Key("opponent", "text", "the other side's name"),
            Key("clock", "text", "5s (a move), 2m (in total), 1m+1s, or none"),
            Key("round", "number", "of this series, from 1"),
            Key("rounds", "number", "how many the series has"),
        ),
    ),
    Message(
        "start",
        "The match begins, or goes on where it stood.",
        (
            Key("variant", "text", "such as expanding-nim"),
            Key("settings", "object", "of the variant"),
            Key("position", "text", "complete, on one line"),
        ),
    ),
    Message(
        "turn",
        "Asks for a move.",
        (
            Key("ply", "number", "of the move that is asked for; the first is 1"),
            Key("position", "text", "complete, on one line"),
            Key("legal", "list of texts", "every legal move"),
            Key("left_ms", "list of two", "milliseconds of seat 0 and seat 1, null without a clock"),
        ),
    ),
    Message(
        "moved",
        "A side has moved, perhaps the bot itself.",
        (
            Key("ply", "number", "of the move"),
            Key("seat", "number", "who moved"),
            Key("move", "text", "the move"),
            Key("position", "text", "the one after it"),
            Key("left_ms", "list of two", "milliseconds of seat 0 and seat 1, null without a clock"),
        ),
    ),
    Message(
        "refused",
        "Something was not done and nothing has changed; a turn goes on.",
        (
            Key("code", "text", "stable, for programs"),
            Key("received", "text", "what came"),
            Key("expected", "text", "what was expected"),
            Key("hint", "text", "what to do, for people"),
        ),
    ),
    Message(
        "offer",
        "A side, perhaps the bot itself, offers a draw or asks for a takeback. It stands until the next move. Only a "
        "bot that has said `offers` in its hello is told.",
        (
            Key("offer", "number", "of the offer, to answer with"),
            Key("seat", "number", "who offers"),
            Key("what", "text", "draw or takeback"),
        ),
    ),
    Message(
        "answer",
        "An offer came to nothing. An accepted draw is told by `end`, an accepted takeback by `takeback`.",
        (
            Key("seat", "number", "who has said so"),
            Key("what", "text", "draw or takeback"),
            Key("how", "text", "declined or withdrew"),
        ),
    ),
    Message(
        "takeback",
        "Moves were taken back. The match goes on from this position; who is to move is asked by a new `turn`.",
        (
            Key("ply", "number", "how many moves stand"),
            Key("seat", "number", "who had asked for it"),
            Key("position", "text", "the one that stands"),
            Key("left_ms", "list of two", "milliseconds of seat 0 and seat 1, null without a clock"),
        ),
    ),
    Message(
        "end",
        "The match is over.",
        (
            Key("winner", "number or null", "the seat; null for a draw and where nothing counts"),
            Key("termination", "text", "why, for programs"),
            Key("reason", "text", "why, for people"),
            Key("result", "text", "1-0, 0-1, 1/2-1/2, or * where nothing counts"),
            Key("last", "true or false", "whether no match follows and the connection ends"),
        ),
    ),
    Message("ping", "Are you there? Answer pong."),
)
