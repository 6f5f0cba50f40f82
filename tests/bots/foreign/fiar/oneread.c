/* Four in a row, from the text alone: one read is one line, one write one answer; the fullest column that is free. */
#include <stdio.h>
#include <unistd.h>

static int height(const char *cells, int column) {
    int row, discs = 0;
    for (row = 0; row < 6; row++)
        discs += cells[row * 7 + column] != '.';
    return discs;
}

int main(void) {
    char line[64], answer[12];
    while (read(0, line, sizeof line) == 45) {
        int column, best = -1, most = -1;
        for (column = 0; column < 7; column++) {
            int discs = height(line + 2, column);
            if (discs < 6 && discs > most) {
                most = discs;
                best = column;
            }
        }
        if (write(1, answer, (size_t)sprintf(answer, "%d\n", best + 1)) < 0)
            return 1;
    }
    return 0;
}
