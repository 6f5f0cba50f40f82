/* A bot for the protocol `fiar`: Connect Four on 7 columns and 6 rows. C99, nothing else.

       cc -std=c99 -O2 -o fiar_bot fiar_bot.c
       manage.py match connect-four-7x6 "fiar:./fiar_bot" builtin:club      here, without a server
       python3 arena-bridge.py HOST 4201 -- ./fiar_bot                      on a server

   Each line that comes in is `<own sign> <42 places>` and asks for one column, counted from 1. */

#include <stdio.h>
#include <string.h>

enum { COLUMNS = 7, ROWS = 6 };
static const int CENTRE_FIRST[COLUMNS] = {3, 2, 4, 1, 5, 0, 6};

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
    while (board[row * COLUMNS + column] != '.')
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
            if (board[CENTRE_FIRST[i]] == '.' && wins(board, CENTRE_FIRST[i], signs[s]))
                return CENTRE_FIRST[i];
    for (int i = 0; i < COLUMNS; i++)
        if (board[CENTRE_FIRST[i]] == '.')
            return CENTRE_FIRST[i];
    return 0; /* a full board is never sent */
}

int main(void)
{
    char line[256];
    while (fgets(line, sizeof line, stdin)) {
        if (strcspn(line, "\r\n") != 2 + COLUMNS * ROWS)
            continue;
        printf("%d\n", 1 + choose(line + 2, line[0], line[0] == '@' ? 'O' : '@'));
        fflush(stdout); /* what stays in a buffer never arrives */
    }
    return 0;
}
