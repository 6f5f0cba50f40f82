"""What is certain about a position, from what the rules and players do without: a compiled kernel and a book."""
