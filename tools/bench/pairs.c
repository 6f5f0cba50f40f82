/* Load: pairs of `droidcon` bots that play one drawn game again and again, without thinking.
 *
 *     pairs PORT ROOMS [WATCH_PORT]
 *
 * joins all rooms, says "Ready" when every first mover has been asked, and then does what its input says, a line each:
 * "play" lets the bots move, "hold" keeps every next move back, "count" prints the moves made so far. With WATCH_PORT
 * as many websockets are opened there, and what they bring is read and thrown away. It ends with its input.
 *
 * In C because the same in Python takes longer for a move than the server does, and then the server is measured idling.
 */
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

/* 42 moves without four in a row, columns from 0: found by random play. */
static const char DRAWN[] = "436014551150160155104632660465204242223333";

static const char UPGRADE[] =
    "GET /watch HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n";

struct peer {
    int fd, ply, asked, watches, filled;
    char line[512];
};

static struct peer *peers;
static int rooms, waiting, playing, announced;
static long moves;

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static void say(const char *text) {
    puts(text);
    fflush(stdout);
}

static int dial(int port) {
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM, 0), on = 1;
    if (fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof to)) fail("connect");
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return fd;
}

static void put(int fd, const char *bytes, int length) {
    if (write(fd, bytes, length) != length) fail("write");
}

static void move(struct peer *bot) {
    char line[] = "PUT x\n";
    line[4] = DRAWN[bot->ply++ % 42];
    bot->asked = 0;
    moves++;
    put(bot->fd, line, 6);
}

static void asked(struct peer *bot) {
    if (playing) {
        move(bot);
        return;
    }
    bot->asked = 1;
    if (++waiting == rooms && !announced) {
        announced = 1;
        say("Ready");
    }
}

static void heard(struct peer *bot, const char *line) {
    if (!strncmp(line, "PUT", 3))
        bot->ply++;
    else if (!strcmp(line, "YOUR_MOVE"))
        asked(bot);
    else if (!strcmp(line, "NEW_GAME"))
        bot->ply = 0;
    else if (!strncmp(line, "Error", 5) || !strcmp(line, "YOU_LOST")) {
        fprintf(stderr, "a bot was told: %s\n", line);
        exit(1);
    }
}

static void receive(struct peer *peer) {
    static char ignored[65536];
    if (peer->watches) {
        if (read(peer->fd, ignored, sizeof ignored) <= 0) fail("a watcher was cut off");
        return;
    }
    int got = read(peer->fd, peer->line + peer->filled, sizeof peer->line - 1 - peer->filled);
    if (got <= 0) fail("a bot was cut off");
    peer->filled += got;
    peer->line[peer->filled] = 0;
    char *begin = peer->line, *end;
    while ((end = strchr(begin, '\n'))) {
        *end = 0;
        heard(peer, begin);
        begin = end + 1;
    }
    peer->filled -= begin - peer->line;
    memmove(peer->line, begin, peer->filled);
}

static void play(void) {
    playing = 1;
    waiting = 0;
    for (int i = 0; i < 2 * rooms; i++)
        if (peers[i].asked) move(&peers[i]);
}

static void commands(void) {
    char text[256];
    int got = read(0, text, sizeof text - 1);
    if (got <= 0) exit(0);
    text[got] = 0;
    for (char *word = strtok(text, "\n"); word; word = strtok(NULL, "\n"))
        if (!strcmp(word, "play"))
            play();
        else if (!strcmp(word, "hold"))
            playing = 0;
        else if (!strcmp(word, "count")) {
            printf("%ld\n", moves);
            fflush(stdout);
        }
}

static void add(int epoll, struct peer *peer) {
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = peer};
    if (epoll_ctl(epoll, EPOLL_CTL_ADD, peer ? peer->fd : 0, &event)) fail("epoll");
}

static void join(int epoll, int port) {
    for (int i = 0; i < 2 * rooms; i++) {
        char hello[64];
        int length = snprintf(hello, sizeof hello, "NAME b%d\nJOIN bench%d-%d\n", i, getpid(), i / 2);
        peers[i].fd = dial(port);
        put(peers[i].fd, hello, length);
        add(epoll, &peers[i]);
    }
}

static void watch(int epoll, int port) {
    for (int i = 2 * rooms; i < 3 * rooms; i++) {
        peers[i].fd = dial(port);
        peers[i].watches = 1;
        put(peers[i].fd, UPGRADE, sizeof UPGRADE - 1);
        add(epoll, &peers[i]);
    }
}

int main(int count, char **words) {
    if (count < 3) {
        fprintf(stderr, "usage: pairs PORT ROOMS [WATCH_PORT]\n");
        return 2;
    }
    rooms = atoi(words[2]);
    peers = calloc(3 * rooms, sizeof *peers);
    int epoll = epoll_create1(0);
    add(epoll, NULL);
    if (count > 3) watch(epoll, atoi(words[3]));
    join(epoll, atoi(words[1]));
    for (;;) {
        struct epoll_event events[64];
        int ready = epoll_wait(epoll, events, 64, -1);
        for (int i = 0; i < ready; i++)
            if (events[i].data.ptr)
                receive(events[i].data.ptr);
            else
                commands();
    }
}
