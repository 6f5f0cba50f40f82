/* Santorini, from the text alone: no JSON library, byte by byte to the end of a value, compact answers without a
   newline. It says nothing first; whoever on the board is not the opponent is itself.
   byhand [HOST PORT], else on its own input and output. */
#define _POSIX_C_SOURCE 200112L
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define SIZE 6

typedef struct {
    int height, id;
    char player[64];
} Cell;

static const char *EAST_WEST[] = {"WEST", "PUT", "EAST"};
static const char *NORTH_SOUTH[] = {"NORTH", "PUT", "SOUTH"};
static Cell board[SIZE][SIZE];
static char opponent[64];
static int in = 0, out = 1;

/* One whole value: brackets are counted, those in strings are not. */
static int hear(char *value, int size) {
    int length = 0, depth = 0, quoted = 0;
    char byte;
    while (length < size - 1 && read(in, &byte, 1) == 1) {
        value[length++] = byte;
        value[length] = 0;
        if (byte == '"')
            quoted = !quoted;
        else if (!quoted && (byte == '[' || byte == '{'))
            depth++;
        else if (!quoted && (byte == ']' || byte == '}'))
            depth--;
        if (depth == 0 && !quoted && strchr("]}\"", byte))
            return 1;
    }
    return 0;
}

static void say(const char *value) {
    size_t length = strlen(value);
    if (write(out, value, length) != (ssize_t)length)
        exit(1);
}

/* The board: only cells hold digits; a quoted one has a worker on it. */
static void read_board(const char *text) {
    int x = 0, y = -1;
    memset(board, 0, sizeof board);
    for (text = strchr(text, '['), text++; *text; text++) {
        if (*text == '[') {
            x = 0;
            y++;
        } else if (*text >= '0' && *text <= '9' && x < SIZE && y < SIZE && y >= 0) {
            Cell *cell = &board[y][x++];
            int letters = 0;
            cell->height = *text - '0';
            while (text[1] >= 'a' && text[1] <= 'z' && letters < 63)
                cell->player[letters++] = *++text;
            if (letters)
                cell->id = *++text - '0';
        }
    }
}

static int inside(int x, int y) { return x >= 0 && y >= 0 && x < SIZE && y < SIZE; }

/* A direction as dx + 1 + 3 * (dy + 1); 4 is no step at all. */
static int builds(int from_x, int from_y, int x, int y, char *answer) {
    int step;
    for (step = 0; step < 9; step++) {
        int site_x = x + step % 3 - 1, site_y = y + step / 3 - 1;
        if (step == 4 || !inside(site_x, site_y) || board[site_y][site_x].height > 3)
            continue;
        if (board[site_y][site_x].id && !(site_x == from_x && site_y == from_y))
            continue;
        sprintf(answer, ",[\"build\",[\"%s\",\"%s\"]]", EAST_WEST[step % 3], NORTH_SOUTH[step / 3]);
        return 1;
    }
    return 0;
}

static void take_turn(void) {
    char best[300] = "", turn[300], build[100];
    int x, y, step, highest = -1;
    for (y = 0; y < SIZE; y++)
        for (x = 0; x < SIZE; x++)
            for (step = 0; step < 9; step++) {
                Cell *worker = &board[y][x], *target;
                int to_x = x + step % 3 - 1, to_y = y + step / 3 - 1;
                if (!worker->id || !strcmp(worker->player, opponent) || step == 4 || !inside(to_x, to_y))
                    continue;
                target = &board[to_y][to_x];
                if (target->id || target->height > 3 || target->height > worker->height + 1)
                    continue;
                build[0] = 0;
                if (target->height < 3 && !builds(x, y, to_x, to_y, build))
                    continue;
                snprintf(turn, sizeof turn, "[[\"move\",{\"player\":\"%s\",\"id\":%d},[\"%s\",\"%s\"]]%s]",
                         worker->player, worker->id, EAST_WEST[step % 3], NORTH_SOUTH[step / 3], build);
                if (target->height > highest) {
                    highest = target->height;
                    strcpy(best, turn);
                }
            }
    say(best);
}

/* The first free corner or, behind those, the first place of the second row. */
static void place(const char *workers) {
    static const int places[][2] = {{0, 0}, {5, 5}, {0, 5}, {5, 0}};
    char at[40], answer[60];
    int number;
    for (number = 0; number < 3; number++) {
        sprintf(at, "\"x\":%d,\"y\":%d", places[number][0], places[number][1]);
        if (!strstr(workers, at))
            break;
    }
    sprintf(answer, "[\"place\",%d,%d]", places[number][0], places[number][1]);
    say(answer);
}

/* Blanks mean nothing outside strings, and inside ours there are none. */
static void squeeze(char *text) {
    char *to = text;
    for (; *text; text++)
        if (*text != ' ' && *text != '\n')
            *to++ = *text;
    *to = 0;
}

static void open_connection(const char *host, int port) {
    struct sockaddr_in address = {0};
    address.sin_family = AF_INET;
    address.sin_port = htons((unsigned short)port);
    inet_pton(AF_INET, host, &address.sin_addr);
    in = out = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(in, (struct sockaddr *)&address, sizeof address) < 0)
        exit(2);
}

int main(int count, char **words) {
    char value[4096];
    if (count > 2)
        open_connection(words[1], atoi(words[2]));
    while (hear(value, sizeof value)) {
        squeeze(value);
        if (!strncmp(value, "[\"place\",", 9))
            place(value + 9);
        else if (!strncmp(value, "[\"turn\",", 8)) {
            read_board(value + 8);
            take_turn();
        } else {
            if (!strncmp(value, "[\"new_game\",\"", 13))
                sscanf(value + 13, "%63[a-z]", opponent);
            say("\"OK\"");
        }
    }
    return 0;
}
