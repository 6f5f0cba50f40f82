/* A bot for the protocol `nyu-nim`: Expanding Nim with resets. C99 and POSIX sockets, nothing else.

       cc -std=c99 -O2 -o nyu_nim_bot nyu_nim_bot.c
       ./nyu_nim_bot HOST 4202                                              on a server
       manage.py match expanding-nim "nyu-nim:./nyu_nim_bot" builtin:club   here, without a server

   `a b c d` asks for a move: a stones are left, b is the largest take so far (2 at least), c is 1 when the other has
   just reset, d is 1 at the end. The answer is `x y`: take x stones, y is 1 to reset. Nothing has a line end. */

#define _POSIX_C_SOURCE 200112L
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

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

/* Stones to take: win now, else leave the other a number that it cannot finish. */
static int choose(int stones, int largest, int bound, int may_reset, int *reset)
{
    int most = bound ? 3 : largest + 1;
    *reset = 0;
    if (stones <= most)
        return stones;
    for (int take = 1; take <= most; take++) {
        int others_most = (take > largest ? take : largest) + 1;
        if ((stones - take) % (others_most + 1) == 0)
            return take;
    }
    *reset = may_reset && stones - 4 >= 1 && stones - 4 <= most;
    return *reset ? stones - 4 : 1; /* the other may take 1 to 3 of the last 4, and we the rest */
}

int main(int count, char **words)
{
    int in = 0, out = 1, resets = 1; /* one reset a match is allowed everywhere */
    if (count == 3 && (in = out = dial(words[1], words[2])) < 0)
        return fprintf(stderr, "nothing listens on %s port %s\n", words[1], words[2]), 1;
    char unread[256] = "", answer[32];
    ssize_t got;
    size_t have = 0;
    while ((got = read(in, unread + have, sizeof unread - 1 - have)) > 0) {
        int stones, largest, bound, over, used, reset;
        have += (size_t)got;
        unread[have] = '\0';
        while (sscanf(unread, "%d %d %1d %1d%n", &stones, &largest, &bound, &over, &used) == 4) {
            memmove(unread, unread + used, (have -= (size_t)used) + 1);
            if (over)
                return 0;
            int take = choose(stones, largest, bound, resets > 0, &reset);
            resets -= reset;
            if (write(out, answer, (size_t)sprintf(answer, "%d %d", take, reset)) < 0)
                return 0;
        }
    }
    return 0;
}
