/* A bot for the protocol `gamestate`: Connect Four on 8 columns and 8 rows. C99, nothing else.

       cc -std=c99 -O2 -o gamestate_bot gamestate_bot.c
       manage.py match connect-four-8x8 "gamestate:./gamestate_bot" builtin:club      here, without a server
       python3 arena-bridge.py HOST 4200 -- ./gamestate_bot                           on a server

   `ASSIGN_PLAYER: n` says who it is, `GAMESTATE: <64 places>` shows the board after every move of either side, and
   `REQUEST_MOVE` asks for one column, counted from 0. Nothing may be printed but that digit. */

#include <stdio.h>
#include <string.h>

enum { COLUMNS = 8, ROWS = 8 };
static const int CENTRE_FIRST[COLUMNS] = {3, 4, 2, 5, 1, 6, 0, 7};

/* How many discs of `sign` lie next to this place in one direction. */
static int run(const char *board, int row, int column, int down, int right, char sign)
{
    int length = 0;
    for (;;) {
        row += down, column += right;
        if (row < 0 || row >= ROWS || column < 0 || column >= COLUMNS || board[row * COLUMNS + column] != sign)
            return length;
        length++;
    }
}

/* Whether a disc of `sign` dropped into this column makes four in a row. */
static int wins(const char *board, int column, char sign)
{
    static const int lines[4][2] = {{0, 1}, {1, 0}, {1, 1}, {1, -1}};
    int row = ROWS - 1;
    while (board[row * COLUMNS + column] != '-')
        row--;
    for (int i = 0; i < 4; i++) {
        int down = lines[i][0], right = lines[i][1];
        if (run(board, row, column, down, right, sign) + run(board, row, column, -down, -right, sign) >= 3)
            return 1;
    }
    return 0;
}

/* A column that wins, else one where the other would win, else the free one nearest to the centre. */
static int choose(const char *board, char mine, char other)
{
    const char signs[2] = {mine, other};
    for (int s = 0; s < 2; s++)
        for (int i = 0; i < COLUMNS; i++)
            if (board[CENTRE_FIRST[i]] == '-' && wins(board, CENTRE_FIRST[i], signs[s]))
                return CENTRE_FIRST[i];
    for (int i = 0; i < COLUMNS; i++)
        if (board[CENTRE_FIRST[i]] == '-')
            return CENTRE_FIRST[i];
    return 0; /* a full board is never asked about */
}

int main(void)
{
    char line[256], board[COLUMNS * ROWS], mine = 'X';
    memset(board, '-', COLUMNS * ROWS);
    while (fgets(line, sizeof line, stdin)) {
        if (!strncmp(line, "ASSIGN_PLAYER: ", 15))
            mine = line[15] == '0' ? 'X' : 'O';
        else if (!strncmp(line, "GAMESTATE: ", 11) && strlen(line + 11) >= COLUMNS * ROWS)
            memcpy(board, line + 11, COLUMNS * ROWS);
        else if (!strncmp(line, "REQUEST_MOVE", 12)) {
            printf("%d\n", choose(board, mine, mine == 'X' ? 'O' : 'X'));
            fflush(stdout); /* what stays in a buffer never arrives */
        }
    }
    return 0;
}
