"""The nouns of Arena as tables: fields, constraints, names. No decision is made here."""

from __future__ import annotations

from arena.models.account import AccessToken, KeptName, OneTimeCode
from arena.models.audit import Audit
from arena.models.bot import Bot, WireChunk
from arena.models.chat import ChatLine, ChatReport, Mute
from arena.models.match import Event, Match, Move, PackedLog, Ruling, Seat
from arena.models.player import JoinedGuest, Player
from arena.models.puzzle import Mistake, Puzzle, PuzzleStanding, PuzzleTry
from arena.models.rating import Rating, RatingChange
from arena.models.room import Place, Room
from arena.models.running import Drain, Handed, Lease, Minute
from arena.models.tournament import Entry, Pairing, Tournament
from arena.models.webhook import Delivery, Webhook
from arena.models.work import Analysis, LogSlice, Machine, Returned, Work

__all__ = [
    "AccessToken",
    "Analysis",
    "Audit",
    "Bot",
    "ChatLine",
    "ChatReport",
    "Delivery",
    "Drain",
    "Entry",
    "Event",
    "Handed",
    "JoinedGuest",
    "KeptName",
    "Lease",
    "LogSlice",
    "Machine",
    "Match",
    "Minute",
    "Mistake",
    "Move",
    "Mute",
    "Pairing",
    "OneTimeCode",
    "PackedLog",
    "Place",
    "Player",
    "Puzzle",
    "PuzzleStanding",
    "PuzzleTry",
    "Rating",
    "RatingChange",
    "Returned",
    "Room",
    "Ruling",
    "Seat",
    "Tournament",
    "Webhook",
    "WireChunk",
    "Work",
]
