"""Matches played in one blocking process: `play(spec) -> logs`, without Django, settings or asyncio. Rules and
protocols are the server's. Nothing is imported here, so that runners can start their bots first.
"""
