"""How programs fail: they do not start, end by themselves, or use too much; and what they then write to stderr."""

from __future__ import annotations

from arena.protocols.hints import BotError

NO_MEMORY = r"MemoryError|bad_alloc|[Cc]annot allocate memory|heap out of memory|OutOfMemory|out of memory"
NO_PROGRAM = r"no such (?:command|program)|first line names|(?:setpriv: failed|^env:) .*No such file|: not found$"
# Without a first line that names the interpreter, a shell runs the file and understands neither Python nor machine
# code.
NOT_RUN = (
    r"not executable|(?:setpriv|env|sh|bash): .*(?:Permission denied|Exec format error)"
    r"|: \d+: (?:import|from|.*Syntax error|.*[^\x20-\x7e\n])|: line \d+: (?:import:|from:|syntax error near)"
)
# A shell and env name the carriage return behind a word, and we its byte.
WINDOWS_LINES = r"(?:\r|\\r|\^M)['\u2019]?: |0x0d, a carriage return"
NO_FILE = (
    r"can't open file|can't open '|Unable to access jarfile|Cannot find module '[./]|Could not open input file"
    r"|Could not find or load main class"
)
NO_MODULE = (
    r"ModuleNotFoundError|ImportError|Cannot find (?:module|package)|cannot load such file|loading shared librar"
    r"|NoClassDefFoundError|Can't locate \S+ in @INC|module '\S+' not found"
)
NOBODY_THERE = r"[Cc]onnection refused|[Nn]etwork is unreachable|ECONNREFUSED|ENETUNREACH"
# Python 3's messages about Python 2 code, in which old bots may be written.
PYTHON_2 = (
    r"Missing parentheses in call to '(?:print|exec)'|multiple exception types must be parenthesized|TabError"
    r"|name '(?:raw_input|xrange|unicode|unichr|long|reduce|basestring)' is not defined"
    r"|no attribute '(?:has_key|iteritems|itervalues|iterkeys)'|a bytes-like object is required, not 'str'"
    r"|No module named '(?:Queue|ConfigParser|StringIO|cStringIO|Tkinter|urllib2|cPickle|SocketServer|httplib)'"
)

PROCESS = (
    BotError(
        "interpreter_missing",
        "The program or its interpreter was not found",
        "It did not start ({exit}): {last_error}",
        "Name a program that this machine has, with its full path if it is not in PATH. A script's first line "
        "must name its interpreter.",
    ),
    BotError(
        "script_line_ends",
        "A script with the line ends of Windows",
        "It stopped ({exit}): {last_error}",
        "The byte 0x0d, \\r, before the end of a line counts as part of the last word: in the first line, of the name "
        "of the interpreter. Save it with \\n at the end of each line, and not \\r\\n: sed -i 's/\\r$//' FILE.",
    ),
    BotError(
        "script_byte_order_mark",
        "A script with a byte order mark",
        "It did not start ({exit}): {last_error}",
        "A script is known by #! as its first two bytes. Save it as UTF-8 without a byte order mark: "
        "sed -i '1s/^\\xef\\xbb\\xbf//' FILE.",
    ),
    BotError(
        "not_executable",
        "The program may not be run",
        "It did not start ({exit}): {last_error}",
        "chmod +x it, give a script a first line such as #!/usr/bin/env python3, or put the interpreter before it: "
        "python3 bot.py. A binary must be built for this machine.",
    ),
    BotError(
        "file_missing",
        "A file was not found",
        "The bot stopped ({exit}): {last_error}",
        "The command is run in the folder you call it from, or in the bot's own: write paths from there.",
    ),
    BotError(
        "module_missing",
        "A library was not found",
        "The bot stopped ({exit}): {last_error}",
        "Start it with the interpreter that has the library, such as .venv/bin/python bot.py: from the "
        "environment it gets only PATH, HOME, LANG and TZ.",
    ),
    BotError(
        "python_2",
        "Python 2 code under Python 3",
        "It stopped ({exit}): {last_error}",
        "Start it with python2 if the machine has it, or update it: print(x), input() for raw_input(), range() "
        "for xrange(), // for whole division, and bytes on a socket: send(text.encode()), recv(1024).decode().",
    ),
    BotError(
        "connects_itself",
        "The bot opened a socket of its own",
        "It stopped ({exit}): {last_error}",
        "A program that is started here reads its input and prints its moves. One that connects by itself is started "
        "by you: match waits for it at tcp:{slug}:PORT, check_bot at --port PORT, a server at its port for {protocol}.",
    ),
    BotError(
        "traceback",
        "The bot raised an error",
        "It stopped ({exit}): {last_error}",
        "The lines of stderr are the end of what it wrote there; the board is the one it was asked about.",
    ),
    BotError(
        "out_of_memory",
        "Out of memory",
        "The bot stopped ({exit}) because it needed more memory than it may use.",
        "Limit your tables, and set the limit of the runtime: node --max-old-space-size=256, java -Xmx256m.",
    ),
    BotError(
        "out_of_cpu_time",
        "Out of computing time",
        "The bot was stopped: in all its threads together it had used more computing time than a match allows.",
        "Stop searching when the answer is sent, and do not think on the other side's time.",
    ),
    BotError(
        "killed_by_signal",
        "The bot crashed",
        "It was {exit}.",
        "SIGSEGV and SIGABRT are faults of its own memory or assertions: build it with -g -fsanitize=address and "
        "set up this board. SIGKILL comes from outside, often because memory ran out.",
    ),
    BotError(
        "exited",
        "Your bot stopped",
        "It ended by itself ({exit}) although the match went on.",
        "Answer in a loop until the input ends, and start nothing in the background: processes left over are killed.",
    ),
    BotError(
        "exited_with_error",
        "Your bot stopped",
        "It stopped by itself with {exit}{last_words}.",
        "What it wrote to stderr at its end is shown here. If it wrote nothing, start it by hand and type what it was "
        "asked.",
    ),
    BotError(
        "closed_output",
        "The bot closed its output",
        "It closed its standard output, and did not exit.",
        "Keep standard output open: an answer can come no other way.",
    ),
    BotError(
        "closed_input",
        "The bot closed its input",
        "It closed its standard input, and did not exit: `{asked}` could not be sent to it.",
        "Keep standard input open, and read one line of it for each answer.",
    ),
    BotError(
        "resource_limit",
        "Over a limit",
        "The bot was stopped because it went over a limit: {reason}.",
        "docs/sandbox.md names what a bot may use.",
    ),
    BotError(
        "stderr_flood",
        "Too much on standard error",
        "The bot wrote {detail} to standard error in one match; the last 64 KiB are kept.",
        "Write a few lines for each move. Output that nobody reads costs the bot its own time.",
    ),
    BotError(
        "ended_with_input",
        "The bot ended with its input",
        "It ended ({exit}) when its input did. That is as it should be: nothing is wrong.",
        "Nothing to do. An error message at the end of the input is normal for bots that read without checking.",
    ),
)
