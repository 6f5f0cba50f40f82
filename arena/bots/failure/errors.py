"""Every way in which a bot can fail, with the texts for its author: code, title, sentence, advice. One table.

A protocol's own mistakes are in the `hints.py` of its folder. Codes keep their meaning: scripts and pages use them.
"""

from __future__ import annotations

from functools import cache

from arena.bots.failure.process_errors import PROCESS
from arena.protocols import own_parts
from arena.protocols.hints import BotError

_FLUSH = (
    "print(move, flush=True) in Python, fflush(stdout) in C, $stdout.sync = true in Ruby, System.out.flush() in Java, "
    "$| = 1 in Perl, fflush() in awk (mawk also needs -W interactive)"
)

_GENERAL: dict[str, tuple[BotError, ...]] = {
    "Bytes and lines": (
        BotError(
            "no_line_end",
            "No line end yet",
            "`{unfinished}` came without the end of a line, so the answer was never complete.",
            f"End every answer with \\n and flush it: {_FLUSH}.",
        ),
        BotError(
            "escaped_line_end",
            "A backslash and an n, and no line end",
            "`{received}` holds a backslash and the letter n: two characters, and not the end of a line.",
            "Let the language make a line end of it: printf '3\\n' or echo 3 in a shell, double quotes in Perl or PHP.",
        ),
        BotError(
            "incomplete_answer",
            "Half an answer",
            "`{unfinished}` came, and nothing after it completed it.",
            "Send the whole answer in one piece: {expected}.",
        ),
        BotError(
            "carriage_return",
            "A CR before the line end",
            "`{received}` ends in \\r\\n. This protocol ends lines with \\n alone, and the \\r makes the answer wrong.",
            "Write \\n only. On Windows open standard output without translation: in Python "
            "sys.stdout.reconfigure(newline='\\n'), in C _setmode(_fileno(stdout), _O_BINARY), in "
            "Tcl fconfigure stdout -translation lf.",
        ),
        BotError(
            "blank_line",
            "An empty line",
            "An empty line came where {expected} was expected.",
            "Print one line for each answer: a text that ends in \\n already, printed with a function that adds one, "
            "makes a second, empty line.",
        ),
        BotError(
            "extra_characters",
            "An answer with something around it",
            "`{received}` is an answer with something around it that does not belong: a blank, quotes, a sign, zeros "
            "or a fraction.",
            "Print the answer alone: {expected}.",
        ),
        BotError(
            "line_too_long",
            "A line without an end",
            "`{received}` has no end: it was cut off while it was read. Expected: {expected}.",
            "Send one short answer and end it with \\n. Print messages for yourself on standard error.",
        ),
        BotError(
            "byte_order_mark",
            "A byte order mark before the text",
            "`{received}` begins with \\xef\\xbb\\xbf, the byte order mark of UTF-8, which spoils the answer.",
            "Write UTF-8 without it: in .NET new UTF8Encoding(false), in Python the encoding utf-8 and not utf-8-sig.",
        ),
        BotError(
            "utf_16",
            "Text in UTF-16",
            "`{received}` is text in UTF-16, in which each letter takes two bytes. Expected: {expected}.",
            "Write ASCII or UTF-8: in PowerShell set $OutputEncoding and [Console]::OutputEncoding to "
            "[Text.Encoding]::ASCII, in C# set Console.OutputEncoding, in C use printf and not wprintf.",
        ),
        BotError(
            "nul_byte",
            "A NUL byte in the text",
            "`{received}` holds \\x00, a NUL byte. Expected: {expected}.",
            "Send the letters of a string without the NUL at its end, strlen(text) bytes and not sizeof(text), and no "
            "UTF-16, in which half of the bytes are NUL.",
        ),
        BotError(
            "not_text",
            "Bytes that are not text",
            "`{received}` holds bytes that no message of this protocol has.",
            "Send ASCII text: digits from 0 to 9, no colours, not the bytes of an integer, a pickle or a struct, no "
            "writeUTF and no BinaryWriter.",
        ),
        BotError(
            "debug_output",
            "A debug print was taken as the answer",
            "`{received}` was read as an answer: everything that the bot prints counts as one, even a greeting. "
            "Expected: {expected}.",
            "Print the answer alone, with no words around it. Messages for yourself belong on standard error, "
            "print(text, file=sys.stderr) or fprintf(stderr, …): it is kept and shown here.",
        ),
        BotError(
            "printed_value",
            "A value as the language shows it",
            "`{received}` is how a program shows a value, not an answer. Expected: {expected}.",
            "None, null, undefined and nan mean that no move was found. Take the number out of its list, tuple, object "
            "or bytes before you print it: print(move[0]), text.decode().",
        ),
        BotError(
            "repeats_input",
            "The bot repeats what it reads",
            "It wrote lines that had been sent to it, and they count as its own. Expected: {expected}.",
            "Do not print what was read. In JavaScript give createInterface terminal: false, or no output.",
        ),
        BotError(
            "other_protocol",
            "That looks like another protocol",
            "Your bot sent `{received}`. {other} answers like that; this seat speaks {protocol}.",
            "Choose {other} for this seat, or answer with {expected}.",
        ),
        BotError(
            "web_client",
            "That is a web client",
            "`{received}` is how HTTP, TLS or SSH begins. Expected: {expected}.",
            "Open a plain TCP socket and speak {protocol} on it. Pages have another port, and so do bots that speak "
            "native on a websocket: docs/protocols/native.md.",
        ),
        BotError(
            "refused",
            "What it sent was refused",
            "`{received}` was refused, and no better line followed: {refusal}",
            "Read what comes: each `refused` says what was expected, here {expected}. A refusal costs only time.",
        ),
        BotError(
            "bad_output",
            "Not an answer of this protocol",
            "`{received}` came where {expected} was expected.",
            "Compare with the grammar of {protocol}: /protocols/{slug}/ shows each message byte by byte.",
        ),
        BotError(
            "flood",
            "Too many lines",
            "The bot sent far more lines than it was asked for.",
            "Answer once for each question. A loop that goes on printing at the end of its input must stop there.",
        ),
    ),
    "Question and answer": (
        BotError(
            "not_flushed",
            "The bot waits, and so do we",
            "It is blocked reading its input and has not answered `{asked}`: either its answer is unflushed in a "
            "buffer, or it waits for a second line.",
            f"Flush after each answer: {_FLUSH}. If it waits for more input: nothing comes before it has answered. "
            "A bot of another protocol does not know this request, nor does one that compares a line together with its "
            "\\n or takes each read for one line.",
        ),
        BotError(
            "before_asked",
            "An answer before the question",
            "`{received}` came before it was asked for.",
            "Read the request first, then answer it: a move made without the board would be blind.",
        ),
        BotError(
            "answered_twice",
            "More than one answer",
            "`{received}` came after an answer, when no request was open.",
            "Send one answer for each request and wait for the next one. A debug print counts as an answer, too.",
        ),
        BotError(
            "spoke_after_end",
            "An answer after the end",
            "`{received}` came when the match was over.",
            "Stop when the match ends or the input does.",
        ),
        BotError(
            "resigned",
            "The bot gave up",
            "It resigned with `{asked}` before it.",
            "Nothing to do if it was meant. In santorini-json a bot resigns by answering with its own name.",
        ),
        BotError(
            "not_reset",
            "The last match is still in its memory",
            "{detail}",
            "Clear the board whenever a match begins: it may begin at any time, even in the middle of another.",
        ),
    ),
    "Moves": (
        BotError(
            "counts_from_0",
            "Columns counted from 0",
            "`{received}` is not a column here: columns run from {low} to {high}, and the bot seems to count from 0.",
            "Add 1 to each column that you send. The leftmost is {low}.",
        ),
        BotError(
            "counts_from_1",
            "Columns counted from 1",
            "`{received}` is not a column here: columns run from {low} to {high}, and the bot seems to count from 1.",
            "Subtract 1 from each column that you send, and add 1 to each that you read. The leftmost is {low}.",
        ),
        BotError(
            "no_such_column",
            "No such column",
            "`{received}` is not a column: columns run from {low} to {high}.",
            "Choose among the columns whose top place is free. -1 is often what a search gives that found no move.",
        ),
        BotError(
            "full_column",
            "A full column",
            "Column `{received}` is full.",
            "Look at the top place of a column before you choose it. If it looks free to the bot, check how it counts: "
            "the leftmost column is {low}.",
        ),
        BotError(
            "build_after_win",
            "A build after a winning step",
            "`{received}` steps up to height 3, which wins at once: the build after it breaks the rule.",
            "Leave the build out of a winning turn.",
        ),
        BotError(
            "no_build",
            "A turn without its build",
            "`{received}` does not reach height 3, so it needs a build.",
            "Build after every step that does not win.",
        ),
        BotError(
            "illegal_move",
            "A move that the rules do not allow",
            "`{received}` is not allowed here: {reason}.",
            "Set up this board in your bot and check which moves it considers legal.",
        ),
    ),
    "Time": (
        BotError(
            "start_too_slow",
            "Not started in time",
            "Nothing came within the {startup} for the start and the {clock} of the first turn: the bot was still "
            "busy.",
            "Load big tables after the first answer, or not at all: the time runs from the start of the process. "
            "A loop that never ends looks the same.",
        ),
        BotError(
            "too_slow",
            "Out of time",
            "When its time ended ({clock}) the bot was busy: it was not waiting for input.",
            "Measure the time of each move and stop the search early: the network and a busy machine cost time, too.",
        ),
        BotError(
            "answered_late",
            "An answer after the time",
            "`{received}` came when the time was over ({clock}).",
            "Measure the time of each move and stop the search early: the network and a busy machine cost time, too.",
        ),
        BotError(
            "failed_silently",
            "An error, and no answer",
            "It wrote an error to its standard error in place of an answer, and runs on: {detail}",
            "An error in a thread or a callback ends only that: mend it, and let such an error end the program.",
        ),
        BotError(
            "no_answer",
            "No complete answer in time",
            "No complete answer came within its time ({clock}).",
            f"Was it still computing? Does each answer end as the protocol says, and is it flushed: {_FLUSH}? "
            "manage.py check_bot tells which.",
        ),
    ),
    "Connecting": (
        BotError(
            "asks_first",
            "It asks something before it connects",
            "{reason}.",
            "Nobody types there. Give it the answers with its command, as in sh -c \"printf '1\\n100\\n' | ./my_bot\", "
            "or start it yourself behind arena-bridge.py --listen, where it reads what you type.",
        ),
        BotError(
            "never_connected",
            "Nobody connected",
            "{reason}.",
            "Try `nc -v HOST PORT` from the bot's machine. The usual reasons are a firewall, another port, and "
            "localhost, which is another machine there.",
        ),
        BotError(
            "connected_but_silent",
            "Connected, but silent",
            "Your bot has sent nothing, and in this protocol it speaks first: {expected}.",
            f"Is its output flushed? {_FLUSH}.",
        ),
        BotError(
            "not_ready",
            "Not ready in time",
            "The handshake of this protocol was not finished within {startup}. Expected: {expected}.",
            "Send the first message of the protocol, and flush it.",
        ),
        BotError(
            "sent_away",
            "Sent away",
            "The arena ended the bot's connection in the middle of a match, and told it why: {refusal}",
            "Do what the sentence says. A bot that may come back has a minute to do so: until then its seat is kept.",
        ),
        BotError(
            "connection_lost",
            "The connection is gone",
            "The bot ended its connection in the middle of a match: {reason}.",
            "Stay connected to the end: the arena closes the connection. Its own log or screen says whether it "
            "crashed.",
        ),
        BotError(
            "left_early",
            "Gone before its match",
            "It connected, and its connection was over before a match had begun: {reason}.",
            "Start it by hand and read what it prints: a bot that crashes says so there. It must stay connected and "
            "wait: the arena closes the connection at the end.",
        ),
        BotError(
            "does_not_read",
            "The bot does not read",
            "More than 64 KiB waited for it unread.",
            "Read everything that comes, even while it is the other side's turn.",
        ),
    ),
    "The process": PROCESS,
}


@cache
def every_error() -> dict[str, tuple[BotError, ...]]:
    """All errors by section, including those of each protocol. Built on first use, as it loads all protocols."""
    errors = dict(_GENERAL)
    for hints in own_parts("hints").values():
        for section, rows in getattr(hints, "ERRORS", {}).items():
            errors[section] = (*errors.get(section, ()), *rows)
    return errors
