"""Proves what is certain about a position, with a compiled kernel and a book of openings; players do without."""
