"""Matches played here and now, in one blocking process: `play(spec) -> logs`, without Django, settings and asyncio.

The rules of a match (`arena.match`) and the machines of the protocols are the server's own; only what waits is another.
Nothing is imported here: the runners start their bots before they load what referees them.
"""
