/* A bot for the protocol `droidcon`: Connect Four on 7 columns and 6 rows. C99 and POSIX sockets, nothing else.

       cc -std=c99 -O2 -o droidcon_bot droidcon_bot.c
       ./droidcon_bot NAME ROOM HOST 4242                                             on a server
       manage.py match connect-four-7x6 "droidcon:./droidcon_bot me x" builtin:club   here, without a server

   `PUT c` is the other side's move, `YOUR_MOVE` asks for ours; columns are counted from 0. Nobody sends the board, so
   it is kept here. After the last of the four rounds the arena ends the connection. */

#define _POSIX_C_SOURCE 200112L
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { COLUMNS = 7, ROWS = 6, FREE = '.', MINE = 'x', OTHER = 'o' };
static const int CENTRE_FIRST[COLUMNS] = {3, 2, 4, 1, 5, 0, 6};

static char board[ROWS][COLUMNS];

/* A socket to HOST PORT, or -1. */
static int dial(const char *host, const char *port)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *found;
    if (getaddrinfo(host, port, &hints, &found))
        return -1;
    for (struct addrinfo *a = found; a; a = a->ai_next) {
        int fd = socket(a->ai_family, a->ai_socktype, a->ai_protocol);
        if (fd >= 0 && !connect(fd, a->ai_addr, a->ai_addrlen))
            return fd;
        close(fd);
    }
    return -1;
}

/* The row where a disc in this column comes to rest, -1 in a full one. */
static int landing(int column)
{
    int row = ROWS - 1;
    while (row >= 0 && board[row][column] != FREE)
        row--;
    return row;
}

/* How many discs of `sign` lie next to this place in one direction. */
static int run(int row, int column, int down, int right, char sign)
{
    int length = 0;
    for (;;) {
        row += down, column += right;
        if (row < 0 || row >= ROWS || column < 0 || column >= COLUMNS || board[row][column] != sign)
            return length;
        length++;
    }
}

/* Whether a disc of `sign` dropped into this column makes four in a row. */
static int wins(int column, char sign)
{
    static const int lines[4][2] = {{0, 1}, {1, 0}, {1, 1}, {1, -1}};
    int row = landing(column);
    for (int i = 0; i < 4; i++) {
        int down = lines[i][0], right = lines[i][1];
        if (run(row, column, down, right, sign) + run(row, column, -down, -right, sign) >= 3)
            return 1;
    }
    return 0;
}

/* A column that wins, else one where the other would win, else the free one nearest to the centre. */
static int choose(void)
{
    static const char signs[2] = {MINE, OTHER};
    for (int s = 0; s < 2; s++)
        for (int i = 0; i < COLUMNS; i++)
            if (landing(CENTRE_FIRST[i]) >= 0 && wins(CENTRE_FIRST[i], signs[s]))
                return CENTRE_FIRST[i];
    for (int i = 0; i < COLUMNS; i++)
        if (landing(CENTRE_FIRST[i]) >= 0)
            return CENTRE_FIRST[i];
    return 0; /* a full board is never asked about */
}

/* A wrong move of the other side is told as well, just before it loses: it changes nothing. */
static void drop(int column, char sign)
{
    if (column >= 0 && column < COLUMNS && landing(column) >= 0)
        board[landing(column)][column] = sign;
}

int main(int count, char **words)
{
    if (count != 3 && count != 5)
        return fprintf(stderr, "usage: droidcon_bot NAME ROOM [HOST PORT]\n"), 2;
    int fd = count == 5 ? dial(words[3], words[4]) : -1;
    if (count == 5 && fd < 0)
        return fprintf(stderr, "nothing listens on %s port %s\n", words[3], words[4]), 1;
    FILE *in = fd < 0 ? stdin : fdopen(fd, "r"), *out = fd < 0 ? stdout : fdopen(dup(fd), "w");
    char line[600];
    memset(board, FREE, sizeof board);
    fprintf(out, "NAME %s\nJOIN %s\n", words[1], words[2]);
    fflush(out);
    while (fgets(line, sizeof line, in)) {
        if (strstr(line, "CHANNEL_IS_FULL"))
            return fprintf(stderr, "there are two players in %s already\n", words[2]), 1;
        else if (!strncmp(line, "NEW_GAME", 8))
            memset(board, FREE, sizeof board);
        else if (!strncmp(line, "PUT ", 4))
            drop(atoi(line + 4), OTHER);
        else if (!strncmp(line, "YOUR_MOVE", 9)) {
            int column = choose();
            drop(column, MINE);
            fprintf(out, "PUT %d\n", column);
            fflush(out); /* what stays in a buffer never arrives */
        } else if (strncmp(line, "SUCCESS", 7))
            fputs(line, stderr); /* how a round ended, or an error */
    }
    return 0;
}
