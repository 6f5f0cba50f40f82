"""Long programs, one in each module, that attack a real arena for minutes or hours and count what went wrong.

A module has a docstring, whose first line says what it does, and `main(arguments: list[str]) -> int`, which prints its
figures and returns 0 only if nothing went wrong. `make test` keeps a small seeded sample of each.
"""
