"""Proves what is certain about a position, with two things that rules and players do without: a compiled kernel and a
book.
"""
