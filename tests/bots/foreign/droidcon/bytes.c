/* Connect Four of the hackathon, from the text alone: byte by byte, commands in small letters with CRLF ("NOT case
   sensitive"), each waits for its SUCCESS. bytes NAME CHANNEL [HOST PORT], else on its own input and output. */
#define _POSIX_C_SOURCE 200112L
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int in = 0, out = 1;

static int hear(char *line, int size) {
    int length = 0;
    char byte;
    while (read(in, &byte, 1) == 1) {
        if (byte == '\n') {
            line[length] = 0;
            return 1;
        }
        if (length < size - 1)
            line[length++] = byte;
    }
    return 0;
}

static void say(const char *word, const char *argument) {
    char line[200];
    int length = snprintf(line, sizeof line, "%s %s\r\n", word, argument);
    if (write(out, line, (size_t)length) != length)
        exit(1);
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
    char line[200], column[12];
    int discs[7] = {0}, put = 0;
    if (count < 3)
        return 2;
    if (count > 4)
        open_connection(words[3], atoi(words[4]));
    say("name", words[1]);
    if (!hear(line, sizeof line) || strcmp(line, "SUCCESS"))
        return 3;
    say("join", words[2]);
    if (!hear(line, sizeof line) || strcmp(line, "SUCCESS"))
        return 4;
    while (hear(line, sizeof line)) {
        if (!strcmp(line, "NEW_GAME")) {
            memset(discs, 0, sizeof discs);
        } else if (!strncmp(line, "PUT ", 4)) {
            discs[atoi(line + 4)]++;
        } else if (!strcmp(line, "YOUR_MOVE")) {
            for (put = (put + 2) % 7; discs[put] == 6;)
                put = (put + 1) % 7;
            discs[put]++;
            sprintf(column, "%d", put);
            say("put", column);
        } else if (!strncmp(line, "Error", 5)) {
            return 5;
        }
    }
    return 0;
}
