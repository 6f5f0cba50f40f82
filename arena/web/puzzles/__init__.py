"""Puzzles: positions of public matches in which only one move keeps the win."""
