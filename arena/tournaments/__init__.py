"""Tournaments: pure maths (schedules, tie-breaks, standings, openings) beside the glue that plays and stores them."""
