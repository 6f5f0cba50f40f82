/* A bot for the protocol `santorini-course`: Santorini on 6 by 6. C99 and POSIX sockets, nothing else.

       cc -std=c99 -O2 -o santorini_course_bot santorini_course_bot.c
       ./santorini_course_bot NAME HOST 4206                                                  on a server
       manage.py match santorini-6x6 "santorini-course:./santorini_course_bot NAME" builtin:club   here

   JSON values both ways: we say our name, read our opponent's, and answer each list of workers with a place and each
   board with a turn. A cell of the board is a height, or the text "2max1" for worker 1 of max on height 2; board[y][x]
   is counted from the north-west. */

#define _POSIX_C_SOURCE 200112L
#include <ctype.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { SIZE = 6, LONGEST = 8192 };
static const char *const EAST_WEST[3] = {"WEST", "PUT", "EAST"}, *const NORTH_SOUTH[3] = {"NORTH", "PUT", "SOUTH"};

typedef struct { int x, y; } Square;
typedef struct { Square start, to, site; int wins, worth; } Turn;

static int height[SIZE][SIZE];
static int worker[SIZE][SIZE]; /* 1 or 2 for ours, -1 or -2 for the opponent's, 0 for nobody */
static char me[64];

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

/* Read one whole JSON value, however it comes. 0 at the end. Names hold letters only: nothing is escaped. */
static int read_value(FILE *in, char *value)
{
    int length = 0, depth = 0, in_text = 0;
    for (int c; length < LONGEST - 1 && (c = getc(in)) != EOF;) {
        if (isspace(c) && !in_text)
            continue;
        value[length++] = (char)c;
        if (c == '"')
            in_text = !in_text;
        else if (!in_text)
            depth += (c == '[' || c == '{') - (c == ']' || c == '}');
        if (depth == 0 && !in_text)
            return value[length] = '\0', 1;
    }
    return 0;
}

/* Heights and workers from `[[0,"1max1",…],…]`. */
static void read_board(const char *text)
{
    int x = 0, y = -2; /* the first bracket opens the board, the second its first row */
    memset(height, 0, sizeof height);
    memset(worker, 0, sizeof worker);
    for (; *text; text++) {
        if (*text == '[')
            x = 0, y++;
        if (!isdigit((unsigned char)*text) || y < 0 || y >= SIZE || x >= SIZE)
            continue;
        height[y][x] = *text - '0';
        if (text[-1] == '"') {
            char name[64] = "";
            int id = 0;
            sscanf(text + 1, "%63[a-z]%d", name, &id);
            worker[y][x] = strcmp(name, me) ? -id : id;
            text = strchr(text, '"');
        }
        x++;
    }
}

static int on_board(Square at) { return at.x >= 0 && at.x < SIZE && at.y >= 0 && at.y < SIZE; }
static int is(Square a, Square b) { return a.x == b.x && a.y == b.y; }
static Square next_to(Square at, int way) { return (Square){at.x + way % 3 - 1, at.y + way / 3 - 1}; }

/* Whether the opponent can step to height 3 after this turn. */
static int loses(const Turn *turn)
{
    for (int i = 0; i < SIZE * SIZE; i++)
        for (int way = 0; way < 9; way++) {
            Square at = {i % SIZE, i / SIZE}, top = next_to(at, way);
            if (worker[at.y][at.x] < 0 && height[at.y][at.x] >= 2 && on_board(top) && !worker[top.y][top.x] &&
                !is(top, turn->to) && height[top.y][top.x] + is(top, turn->site) == 3)
                return 1;
        }
    return 0;
}

/* A win is best; a turn that lets the other step to height 3 is worst; between them, high is good. */
static void consider(Turn turn, Turn *best)
{
    int to = height[turn.to.y][turn.to.x];
    if (turn.wins)
        turn.worth = 1000;
    else {
        int site = height[turn.site.y][turn.site.x];
        turn.worth = 10 * to + (site <= to ? site : 0) - (loses(&turn) ? 500 : 0);
    }
    if (turn.worth > best->worth)
        *best = turn;
}

/* The best of all legal turns. A step to height 3 wins, and goes without a build. */
static Turn choose(void)
{
    Turn best = {.worth = -10000};
    for (int i = 0; i < SIZE * SIZE * 9; i++) {
        Turn turn = {.start = {i / 9 % SIZE, i / 9 / SIZE}};
        int here = height[turn.start.y][turn.start.x];
        turn.to = next_to(turn.start, i % 9);
        if (worker[turn.start.y][turn.start.x] <= 0 || !on_board(turn.to) || worker[turn.to.y][turn.to.x] ||
            height[turn.to.y][turn.to.x] > (here < 2 ? here + 1 : 3))
            continue;
        turn.wins = height[turn.to.y][turn.to.x] == 3;
        for (int way = 0; way < (turn.wins ? 1 : 9); way++) {
            Square site = turn.site = next_to(turn.to, way);
            if (turn.wins || (on_board(site) && !is(site, turn.to) && height[site.y][site.x] < 4 &&
                              (is(site, turn.start) || !worker[site.y][site.x])))
                consider(turn, &best);
        }
    }
    return best;
}

static void take_turn(FILE *out)
{
    Turn turn = choose();
    if (turn.worth == -10000) { /* no turn is left, which the arena knows before we do; our own name gives up */
        fprintf(out, "\"%s\"\n", me);
        return;
    }
    fprintf(out, "[\"%s%d\",\"%s\",\"%s\"", me, worker[turn.start.y][turn.start.x],
            EAST_WEST[turn.to.x - turn.start.x + 1], NORTH_SOUTH[turn.to.y - turn.start.y + 1]);
    if (!turn.wins)
        fprintf(out, ",\"%s\",\"%s\"", EAST_WEST[turn.site.x - turn.to.x + 1],
                NORTH_SOUTH[turn.site.y - turn.to.y + 1]);
    fputs("]\n", out);
}

/* The first of four squares around the centre that no worker of `[["max1",2,2],…]` has. */
static void place(const char *text, FILE *out)
{
    static const Square centre[4] = {{2, 2}, {3, 3}, {2, 3}, {3, 2}};
    for (int i = 0; i < 4; i++) {
        int taken = 0, x, y;
        for (const char *p = text; (p = strstr(p, "\",")); p++)
            taken |= sscanf(p, "\",%d,%d", &x, &y) == 2 && is(centre[i], (Square){x, y});
        if (!taken) {
            fprintf(out, "[%d,%d]\n", centre[i].x, centre[i].y);
            return;
        }
    }
}

int main(int count, char **words)
{
    if (count != 2 && count != 4)
        return fprintf(stderr, "usage: santorini_course_bot NAME [HOST PORT]\n"), 2;
    int fd = count == 4 ? dial(words[2], words[3]) : -1;
    if (count == 4 && fd < 0)
        return fprintf(stderr, "nothing listens on %s port %s\n", words[2], words[3]), 1;
    FILE *in = fd < 0 ? stdin : fdopen(fd, "r"), *out = fd < 0 ? stdout : fdopen(dup(fd), "w");
    char value[LONGEST];
    snprintf(me, sizeof me, "%s", words[1]);
    fprintf(out, "\"%s\"\n", me);
    fflush(out); /* what stays in a buffer never arrives */
    while (read_value(in, value)) {
        char first;
        int x;
        if (sscanf(value, "[\"playing-as\",\"%63[a-z]", me) == 1 || value[0] != '[')
            continue; /* our name, or our opponent's */
        if (sscanf(value, "[[\"%c", &first) == 1 ? isdigit((unsigned char)first) : !strncmp(value, "[[", 2)) {
            read_board(value);
            take_turn(out);
        } else if (!strcmp(value, "[]") || sscanf(value, "[[\"%*[a-z]%*[12]\",%d", &x) == 1)
            place(value, out);
        else
            fprintf(stderr, "over: %s\n", value);
        fflush(out);
    }
    return 0;
}
