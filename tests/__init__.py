"""The tests of Arena: a folder for each of `arena`, `games` and `tools`, and their helpers beside them.

PYTEST_DONT_REWRITE: pytest has imported this module before conftest.py can ask for all that is in it to be rewritten.
"""
