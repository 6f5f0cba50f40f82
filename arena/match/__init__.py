"""The pure core of a match: `decide(state, command) -> events | Refusal` and `evolve(state, event) -> state`."""
