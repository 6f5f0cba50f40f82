"""Four in a row, from the text alone: a loop over its input, print without a flush, a word to stderr each move."""

import sys

for line in sys.stdin:
    sign, cells = line.split()
    rows = [cells[start : start + 7] for start in range(0, 42, 7)]
    heights = [sum(row[column] != "." for row in rows) for column in range(7)]
    lowest = min(heights)
    print(sign, "sees", heights, file=sys.stderr)
    print(heights.index(lowest) + 1)
