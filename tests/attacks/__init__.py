"""Attacks from addresses that are not this machine's: a network namespace, a server in it, and what strangers do.

Tests count what comes of them, `make bench ARGS=attacks` measures what they cost an honest match.
"""
