/* Expanding Nim, from the text alone: each number goes out by itself, and its first move uses the reset.
   dribble [HOST PORT], else on its own input and output. */
#define _POSIX_C_SOURCE 200112L
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int in = 0, out = 1;

static void say(const char *text) {
    if (write(out, text, strlen(text)) < 0)
        exit(1);
}

static void open_connection(const char *host, int port) {
    struct sockaddr_in address = {0};
    int now = 1;
    address.sin_family = AF_INET;
    address.sin_port = htons((unsigned short)port);
    inet_pton(AF_INET, host, &address.sin_addr);
    in = out = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(in, (struct sockaddr *)&address, sizeof address) < 0)
        exit(2);
    setsockopt(in, IPPROTO_TCP, TCP_NODELAY, &now, sizeof now);
}

int main(int count, char **words) {
    char state[100], take[12];
    int first = 1;
    if (count > 2)
        open_connection(words[1], atoi(words[2]));
    for (;;) {
        long size = read(in, state, sizeof state - 1);
        int a, b, c, d, x;
        if (size <= 0)
            return 1;
        state[size] = 0;
        if (sscanf(state, "%d %d %d %d", &a, &b, &c, &d) != 4)
            return 3;
        if (d)
            return 0;
        x = c ? 3 : b + 1;
        if (x > a)
            x = a;
        sprintf(take, "%d", x);
        say(take);
        say(" ");
        say(first ? "1" : "0");
        first = 0;
    }
}
