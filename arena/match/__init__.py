"""The core of a match, pure: `decide(state, command) -> events | Refusal`, `evolve(state, event) -> state`."""
