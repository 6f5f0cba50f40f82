"""Proves what is certain about a position, with a compiled kernel and a book of openings, which rules and players do
without.
"""
