"""Why a bot is refused or sent away: the reasons after `SEAT REFUSED`, in close reasons and in `refused`.

Unlike the failures of `errors` these belong to no match; the sentence sent to a bot may contain more details.
"""

from __future__ import annotations

from arena.protocols.hints import BotError

REFUSALS = (
    BotError(
        "unknown_token",
        "Unknown token",
        "No bot and no seat has this token. It was mistyped, replaced or revoked, or its room is closed.",
        "Copy it whole: arn_ and 26 letters and digits. A bot's page makes a new one, a room's page opens the seat "
        "again.",
    ),
    BotError(
        "no_token",
        "No token",
        "A websocket of a bot was opened without the header that shows its token.",
        "Open it with the header Authorization: Bearer and the token of the bot or of the seat.",
    ),
    BotError(
        "not_understood",
        "Not a line of this protocol",
        "The line that came before a match is not one that this protocol knows; the words after the code say what it "
        "expects.",
        "Compare it with the example on the protocol's page, and check whether the port belongs to another protocol.",
    ),
    BotError(
        "wrong_protocol",
        "Not the protocol of the seat",
        "The token belongs to a bot or a seat of a protocol other than the one spoken at this port.",
        "Connect where its own protocol is spoken, or register the bot for the one that it speaks.",
    ),
    BotError(
        "wrong_seat",
        "The token of another seat",
        "The port belongs to one seat or one bot, the token to another.",
        "Show the token at the public door, or connect to the port shown next to it on the page.",
    ),
    BotError(
        "seat_taken",
        "The seat has its connection",
        "A bot is connected to this seat already, and a seat has one connection.",
        "End the program that is still connected; its seat is kept for a minute, and a bot that comes back the same "
        "way gets it.",
    ),
    BotError(
        "other_bot",
        "Not the bot that had the seat",
        "The bot that plays on this seat has lost its connection, and nobody else gets the seat. That bot had shown a "
        "token that this one did not show, or came in by its name at the public door.",
        "Come back the same way, with the same token.",
    ),
    BotError(
        "seat_expired",
        "The address has expired",
        "Nothing connected to this seat in 15 minutes, or its series is over: its port and its token no longer exist.",
        "Open it again on the page of its room: you get a new port and a new token.",
    ),
    BotError(
        "place_kept",
        "The seat now belongs to somebody else",
        "The person who opened the room has chosen another player for this seat.",
        "Ask them, or play in another room: the moves played so far stay.",
    ),
    BotError(
        "kicked",
        "Disconnected by a referee",
        "Staff have ended this connection; the sentence says why.",
        "Ask them before you connect again.",
    ),
    BotError(
        "no_such_room",
        "No room with this code",
        "The bot wants to join a room that does not exist, by a protocol that does not name a game for it.",
        "Open the room on the page first, or queue for a variant.",
    ),
    BotError(
        "channel_is_full",
        "Both seats are taken",
        "The room has two players already, or its free seat is kept for somebody else.",
        "Name another room. A bot that comes back gets its seat by its token, or by the same name from the same "
        "address.",
    ),
    BotError(
        "already_in_channel",
        "It has a seat already",
        "The bot asks for a seat while it has one.",
        "Wait for the match. To play elsewhere, connect again.",
    ),
    BotError(
        "invalid_command",
        "A room of another game",
        "The room plays a game that this protocol does not.",
        "Name a room of its own game, or connect at a door for the room's game.",
    ),
    BotError(
        "unknown_variant",
        "No such game",
        "There is no game with the name that the bot wants to queue for.",
        "The sentence lists the games.",
    ),
    BotError(
        "not_waiting",
        "Nobody by that name is waiting",
        "The player whom the bot challenges is not waiting for anybody.",
        "The home page lists the waiting players. Queue for a variant to play the next bot that comes.",
    ),
    BotError(
        "too_many",
        "Too many at once",
        "This address has more connections, or opens or holds more rooms, than one address may. The sentence says how "
        "many it has and when it may have another.",
        "Close unused connections, wait, or join an existing room. If many bots share one address, the administrator "
        "puts it into `ARENA_TRUSTED_NETS`.",
    ),
    BotError(
        "no_wish",
        "No seat was asked for",
        "The bot gave its name but asked for no seat within half a minute. A bot with a token may wait.",
        "Ask for a seat right after the name: for a room by its code, for a variant, or for an opponent.",
    ),
    BotError(
        "busy",
        "Try again",
        "The arena is still busy with the bot's last message, or has more to store than it can. Nothing was done.",
        "Send it again after a moment.",
    ),
    BotError(
        "bot_disabled",
        "The bot is disabled",
        "The registered bot whose token was shown is disabled.",
        "Its page says why, and how it is enabled again.",
    ),
    BotError(
        "token_replaced",
        "The token was replaced",
        "The bot's owner made a new token: connections with the old one are closed.",
        "Come back with the new token. In a running match the seat is kept for a minute.",
    ),
    BotError(
        "token_revoked",
        "The token was revoked",
        "The bot's owner revoked its token, so its connections were closed.",
        "Make a new token on the bot's page.",
    ),
    BotError(
        "port_changed",
        "The bot's port was changed",
        "The bot's own port was changed or taken away, so its connections there were closed.",
        "Come back by the new port, or with its token. In a running match the seat is kept for a minute.",
    ),
)

# Those for which the arena ends the connection of a bot in the middle of a match.
ENDINGS = frozenset({"kicked", "place_kept", "bot_disabled", "token_replaced", "token_revoked", "port_changed"})
