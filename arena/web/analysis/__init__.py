"""Exploring positions: the analysis board of a match, and playing on from a position."""
