"""Puzzles: positions of public matches in which one move alone keeps the win."""
