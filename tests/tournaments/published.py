"""Published tables of real events, as results.

* Candidates Tournament 2014, double round robin: the crosstable of chessgames.com, tournament 83141; ranks, points and
  tie-breaks (3 wins and 57.25 for Anand) in the final standings on Wikipedia, "Candidates Tournament 2014".
* Hamilton Chess Club championship 2018, Swiss in six rounds with byes: results and tie-breaks as published on
  hamiltonchess.net, "Richard on tie break", 11 April 2018, by the standard of the New Zealand Chess Federation.
* The fourteen players whose Swiss event Mario Held pairs step by step in "Mastering the Dutch", FIDE Arbiters' Manual
  2014, pages 65 to 92; pairings and results of four rounds.
"""

from __future__ import annotations

import re

from arena.tournaments.tiebreaks import PairingResult

# One line a round: who moves first, who second, and the result of the first; `F` is a loss by forfeit. Number 12 was
# not there in the second round, in which number 14 had the bye.
HELD_2014 = (
    "1-8 1  9-2 0  3-10 1  11-4 ½  5-12 1  13-6 0  7-14 1",
    "5-1 1  2-7 1  6-3 ½  4-9 1  8-11 0  10-13 1  14-bye 1",
    "14-1 0  2-5 ½  3-4 ½  11-6 F  7-10 1  12-8 ½  9-13 1",
    "1-3 1  6-2 0  4-5 ½  11-7 1  8-9 ½  10-14 ½  13-12 1",
)

CANDIDATES_2014 = {
    "Anand": "** ½½ ½½ 1½ ½½ 1½ ½½ ½1",
    "Karjakin": "½½ ** 01 ½½ ½½ 01 ½1 ½½",
    "Kramnik": "½½ 10 ** 1½ ½½ ½½ ½0 01",
    "Mamedyarov": "0½ ½½ 0½ ** 1½ 01 1½ ½½",
    "Andreikin": "½½ ½½ ½½ 0½ ** ½1 0½ 1½",
    "Aronian": "0½ 10 ½½ 10 ½0 ** 1½ ½½",
    "Svidler": "½½ ½0 ½1 0½ 1½ 0½ ** 10",
    "Topalov": "½0 ½½ 10 ½½ 0½ ½½ 01 **",
}

# One line a player: points, then round by round the result, the colour and the opponent. `--` is a round without it.
HAMILTON_2018 = """
 1 5.5 +W10 +B17 +W12 =W2 +B4 +B3
 2 5.5 +B27 +W16 +W9 =B1 +W8 +B10
 3 4.0 =BYE +W11 +B6 =W4 +B5 -W1
 4 4.0 +W22 +B15 =W8 =B3 -W1 +B13
 5 4.0 -W16 +B14 +W22 +B15 -W3 +B8
 6 4.0 -W21 +B27 -W3 +B23 +W16 +B14
 7 4.0 -W9 -B23 +W27 +B19 +W15 +B12
 8 3.5 +B25 +W21 =B4 +W13 -B2 -W5
 9 3.5 +B7 +W13 -B2 =BYE -- +W18
10 3.5 -B1 +W25 +W26 =B12 +B17 -W2
11 3.5 =BYE -B3 -W14 +B25 +W20 +W17
12 3.0 +B20 +W18 -B1 =W10 =B14 -W7
13 3.0 +W23 -B9 +W19 -B8 +W21 -W4
14 3.0 =BYE -W5 +B11 +B22 =W12 -W6
15 3.0 +B26 -W4 +B21 -W5 -B7 +W24
16 3.0 +B5 -B2 -W17 +W24 -B6 +B22
17 2.5 +B24 -W1 +B16 =BYE -W10 -B11
18 2.5 +W19 -B12 +W23 =BYE -- -B9
19 2.5 -B18 +W20 -B13 -W7 =B25 +W21
20 2.5 -W12 -B19 =W25 +B27 -B11 +W26
21 2.0 +B6 -B8 -W15 +W26 -B13 -B19
22 2.0 -B4 +W24 -B5 -W14 +B26 -W16
23 2.0 -B13 +W7 -B18 -W6 -B24 +W27
24 2.0 -W17 -B22 +BYE -B16 +W23 -B15
25 2.0 -W8 -B10 =B20 -W11 =W19 +BYE
26 1.0 -W15 +BYE -B10 -B21 -W22 -B20
27 1.0 -W2 -W6 -B7 -W20 +BYE -B23
"""
_SCORES = {"+": 1.0, "1": 1.0, "=": 0.5, "½": 0.5, "-": 0.0, "0": 0.0}


def candidates_2014() -> list[PairingResult]:
    """Entries are the players' numbers in the table from 0, rounds the two halves."""
    found = []
    for a, row in enumerate(CANDIDATES_2014.values()):
        for b, cell in enumerate(row.split()):
            for leg, sign in enumerate(cell if a < b else "", 1):
                found.append(PairingResult(leg, a, b, _SCORES[sign], 1 - _SCORES[sign]))
    return found


def hamilton_2018() -> tuple[list[PairingResult], dict[int, float]]:
    """The results, and everyone's points as they were published."""
    found, points = [], {}
    for line in HAMILTON_2018.strip().splitlines():
        number, total, *rounds = line.split()
        points[int(number)] = float(total)
        for round, text in enumerate(rounds, 1):
            found += _result(round, int(number), text)
    return found, points


def _result(round: int, entry: int, text: str) -> list[PairingResult]:
    score = _SCORES[text[0]]
    met = re.fullmatch(r".W(\d+)", text)
    if met:
        return [PairingResult(round, entry, int(met[1]), score, 1 - score)]
    return [] if text[1] == "B" and text[1:] != "BYE" else [PairingResult(round, entry, None, score, 0.0, played=False)]
