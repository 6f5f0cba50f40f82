"""Ratings: pure maths, and the code that applies it."""
