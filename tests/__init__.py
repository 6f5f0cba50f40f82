"""The tests of Arena: a folder for each of `arena`, `games` and `tools`, and in `kit` the cast that they share.

PYTEST_DONT_REWRITE: pytest has imported this module before conftest.py can ask for all that is in it to be rewritten.
"""
