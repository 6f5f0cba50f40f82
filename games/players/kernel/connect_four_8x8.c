/* Connect Four 8x8: alpha-beta to a given depth, the search of games/players/search.py with connect_four_search.py, node
 * for node.
 *
 * A board has nine bits a column from the bottom, of which the ninth stays 0: 72 bits. Values are those of search.py:
 * WIN less the ply at which the mover wins, the negative for a loss, 0 for a draw, else an estimate.
 */
typedef unsigned long long word;
typedef unsigned __int128 board;

enum { COLUMNS = 8, ROWS = 8, STEP = ROWS + 1, WIN = 1000000, TABLE_BITS = 18, EXACT = 255, NONE = 255 };

#define COLUMN(n) ((board)((1 << ROWS) - 1) << (n) * STEP)
#define BOTTOM ((board)0x8040201008040201ULL)
#define FULL (BOTTOM * ((1 << ROWS) - 1))
#define ODD_ROWS (BOTTOM * 0x55) /* counted from 1 */
#define CENTRE (COLUMN(2) | COLUMN(3) | COLUMN(4) | COLUMN(5))

struct node { board mover, mask, mine, theirs; };
struct entry { word key; unsigned char key_rest, depth, choice; int low, high; };

static const int FROM_CENTRE[COLUMNS] = {3, 4, 2, 5, 1, 6, 0, 7};
static const board FILES[COLUMNS] = {COLUMN(0), COLUMN(1), COLUMN(2), COLUMN(3), COLUMN(4), COLUMN(5), COLUMN(6), COLUMN(7)};
static struct entry table[1 << TABLE_BITS];
static unsigned visited, allowed;
static int cut; /* whether an estimate went into the value */

static int count(board cells) {
    return __builtin_popcountll((word)cells) + __builtin_popcountll((word)(cells >> 64));
}

/* Always inlined, so that all shifts are by constants: shifting 128 bits by a variable needs a library. */
static inline __attribute__((always_inline)) board along(board stones, const int step) {
    board pair = stones & stones >> step, triple = pair & stones >> 2 * step;
    return triple << 3 * step | triple >> step | (pair & stones >> 3 * step) << 2 * step |
           (stones & pair >> 2 * step) << step;
}

/* The empty cells in which one more stone completes a line of four. */
static board completing(board stones, board empty) {
    board cells = stones << 1 & stones << 2 & stones << 3;
    cells |= along(stones, STEP - 1) | along(stones, STEP) | along(stones, STEP + 1);
    return cells & empty;
}

static board playable(board mask) { return (mask + BOTTOM) & FULL; }

/* The moves that are not lost at once; nothing where the other's wins cannot all be stopped. */
static board sound(const struct node *at) {
    board open = playable(at->mask), forced = open & at->theirs;
    return forced & (forced - 1) ? 0 : (forced ? forced : open) & ~(at->theirs >> 1);
}

static int estimate(const struct node *at) {
    board mine = count(at->mask) & 1 ? FULL ^ ODD_ROWS : ODD_ROWS;
    int threats = 4 * (count(at->mine) - count(at->theirs));
    int parity = 8 * (count(at->mine & mine) - count(at->theirs & (FULL ^ mine)));
    int stones = count(at->mover & CENTRE) - count((at->mover ^ at->mask) & CENTRE);
    return threats + parity + 2 * stones;
}

static struct node after(const struct node *at, board move) {
    board threats = completing(at->mover | move, FULL ^ at->mask ^ move);
    return (struct node){at->mover ^ at->mask, at->mask | move, at->theirs & ~move, threats};
}

/* The nodes after each move, those with most threats first; `columns` are the moves. */
static int children(const struct node *at, board moves, struct node *found, unsigned char *columns) {
    int order[COLUMNS], all = 0;
    for (int i = 0; i < COLUMNS; i++) {
        board move = moves & FILES[FROM_CENTRE[i]];
        if (!move) continue;
        struct node child = after(at, move);
        int worth = count(child.theirs), place = all++;
        for (; place && order[place - 1] < worth; place--) {
            order[place] = order[place - 1], found[place] = found[place - 1], columns[place] = columns[place - 1];
        }
        order[place] = worth, found[place] = child, columns[place] = FROM_CENTRE[i];
    }
    return all;
}

static struct entry *slot(board key) {
    word mixed = ((word)key ^ (word)(key >> 64) * 0xD6E8FEB86659FD93ULL) * 0x9E3779B97F4A7C15ULL;
    return &table[mixed >> (64 - TABLE_BITS)];
}

static int value(const struct node *at, int depth, int alpha, int beta) {
    if (++visited > allowed) return 0;
    if (!playable(at->mask)) return 0;
    board moves = sound(at);
    if (!moves) return count(at->mask) + 2 - WIN;
    if (depth <= 0) return cut = 1, estimate(at);
    board key = at->mover + at->mask;
    struct entry *kept = slot(key);
    int first = NONE;
    if (kept->key == (word)key && kept->key_rest == (word)(key >> 64) && kept->depth) {
        if (kept->depth >= depth && (kept->low >= beta || kept->high <= alpha || kept->low == kept->high)) {
            cut |= kept->depth < EXACT;
            return kept->high <= alpha ? kept->high : kept->low;
        }
        first = kept->choice;
    }
    int cut_before = cut, best = -WIN, highest = alpha, choice = NONE;
    cut = 0;
    struct node found[COLUMNS];
    unsigned char columns[COLUMNS];
    int all = first == NONE ? children(at, moves, found, columns) : -1;
    for (int i = first == NONE ? 0 : -1; i < all || i < 0; i++) {
        struct node ahead;
        if (i < 0) ahead = after(at, moves & FILES[first]);
        int score = -value(i < 0 ? &ahead : &found[i], depth - 1, -beta, -highest);
        if (visited > allowed) return 0;
        if (score > best) {
            best = score, choice = i < 0 ? first : columns[i];
            if (score > highest) highest = score;
            if (score >= beta) break;
        }
        if (i < 0) all = children(at, moves, found, columns);
    }
    int low = best > alpha ? best : -WIN, high = best < beta ? best : WIN;
    kept = slot(key);
    *kept = (struct entry){(word)key, (word)(key >> 64), cut ? depth : EXACT, choice, low, high};
    cut |= cut_before;
    return best;
}

/* The value of a position `depth` plies ahead, exact between alpha and beta, else a bound beyond them; times 4, plus 2
 * where an estimate went into it, or 1 alone where more than `nodes` positions had to be visited. The mover has no win
 * in one. Boards come in two words, the lower one first. */
__attribute__((export_name("connect_four_8x8_value")))
int connect_four_8x8_value(word mover, word mover_rest, word mask, word mask_rest, int depth, int alpha, int beta,
                           unsigned nodes) {
    board mine = (board)mover_rest << 64 | mover, all = (board)mask_rest << 64 | mask, empty = FULL ^ all;
    struct node at = {mine, all, completing(mine, empty), completing(mine ^ all, empty)};
    visited = 0, allowed = nodes, cut = 0;
    int found = value(&at, depth, alpha, beta);
    return visited > allowed ? 1 : found * 4 + 2 * cut;
}

/* How many positions the last call visited. */
__attribute__((export_name("connect_four_8x8_visited")))
unsigned connect_four_8x8_visited(void) { return visited; }

/* Forget everything. */
__attribute__((export_name("connect_four_8x8_forget")))
void connect_four_8x8_forget(void) { for (int i = 0; i < 1 << TABLE_BITS; i++) table[i].depth = 0; }
