"""How strong the built-in players are, in matches: against earlier ones, and each level against the next lower one.

The earlier players are kept in `before/`, as they were when the kernel was added, so that anybody can repeat it.
"""
