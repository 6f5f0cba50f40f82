"""Matches played in one blocking process: `play(spec) -> logs`, without Django, settings or asyncio.

The rules of a match (`arena.match`) and the protocols are shared with the server; only the code that waits differs.
This package imports nothing here, so that runners can start their bots before they load the referee.
"""
