"""How strong the built-in players are, in matches: against those of before, and each level against the next lower one.

The players of before are kept in `before/`, as they were when the kernel came, so that anybody can repeat it.
"""
