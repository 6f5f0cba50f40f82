/* 8 by 8, from the text alone: word by word with scanf, answers with printf, and never flushes. */
#include <stdio.h>
#include <string.h>

int main(void) {
    char word[80], board[80] = "";
    int player = 0, column, asked = 0;
    while (scanf("%79s", word) == 1) {
        if (!strcmp(word, "ASSIGN_PLAYER:")) {
            if (scanf("%d", &player) != 1)
                return 1;
        } else if (!strcmp(word, "GAMESTATE:")) {
            if (scanf("%79s", board) != 1)
                return 1;
        } else if (!strcmp(word, "REQUEST_MOVE")) {
            for (column = (asked++ * 3 + player) % 8; board[column] != '-';)
                column = (column + 1) % 8;
            printf("%d\n", column);
        }
    }
    return 0;
}
