/* Connect Four 7x6, exact: the search of games/players/connect_four_exact.py, node for node.
 *
 * A board is one word with seven bits a column from the bottom, of which the seventh stays 0. A score is for the player to
 * move: 22 minus the stones that the winner has used at the end, negative for a loss, 0 for a draw.
 * Sources: James D. Allen, "The Complete Book of Connect 4" (threats); Pascal Pons, "Solving Connect 4" (the score and
 * null-window search). The code is our own.
 */
typedef unsigned long long board;

enum { COLUMNS = 7, ROWS = 6, STEP = ROWS + 1, CELLS = COLUMNS * ROWS, TABLE_BITS = 19, ZERO = 64, AT_LEAST = 128 };

static const board BOTTOM = 0x0000040810204081ULL, FULL = 0x0000040810204081ULL * ((1 << ROWS) - 1);
static const int FROM_CENTRE[COLUMNS] = {3, 2, 4, 1, 5, 0, 6};

static board table[1 << TABLE_BITS]; /* key << 8 | whether a lower bound | score + ZERO */
static unsigned visited, allowed;

static int count(board cells) { return __builtin_popcountll(cells); }

/* The empty cells in which one more stone completes a line of four. */
static board completing(board stones, board mask) {
    board cells = stones << 1 & stones << 2 & stones << 3;
    for (int step = STEP - 1; step <= STEP + 1; step++) {
        board pair = stones & stones >> step, triple = pair & stones >> 2 * step;
        cells |= triple << 3 * step | triple >> step;
        cells |= (pair & stones >> 3 * step) << 2 * step | (stones & pair >> 2 * step) << step;
    }
    return cells & (FULL ^ mask);
}

/* The moves with the most threats first, of equal ones that nearest to the centre; `threats` are those after each. */
static int ordered(board mover, board mask, board moves, board *played, board *threats) {
    int worth[COLUMNS], found = 0;
    for (int i = 0; i < COLUMNS; i++) {
        board move = moves & (board)((1 << ROWS) - 1) << FROM_CENTRE[i] * STEP;
        if (!move) continue;
        board made = completing(mover | move, mask | move);
        int at = found++, threat_count = count(made);
        for (; at && worth[at - 1] < threat_count; at--) {
            worth[at] = worth[at - 1], played[at] = played[at - 1], threats[at] = threats[at - 1];
        }
        worth[at] = threat_count, played[at] = move, threats[at] = made;
    }
    return found;
}

/* The score between alpha and beta, or a bound beyond them. The mover has no win in one; `theirs` completes a line for
 * the other. Without meaning once more nodes were visited than are allowed. */
static int value(board mover, board mask, board theirs, int alpha, int beta) {
    if (++visited > allowed) return alpha;
    int left = CELLS - count(mask);
    board playable = (mask + BOTTOM) & FULL, forced = playable & theirs;
    board moves = (forced ? forced : playable) & ~(theirs >> 1);
    if (!moves || forced & (forced - 1)) return -(left / 2);
    if (left <= 2) return 0;
    int least = -((left - 2) / 2), most = (left - 1) / 2;
    if (alpha < least) alpha = least;
    if (beta > most) beta = most;
    if (alpha >= beta) return alpha == least ? alpha : beta;

    board key = mover + mask + BOTTOM, *entry = &table[key * 0x9E3779B97F4A7C15ULL >> (64 - TABLE_BITS)];
    if (*entry >> 8 == key) {
        int known = (int)(*entry & (AT_LEAST - 1)) - ZERO;
        if (*entry & AT_LEAST ? known >= beta : known <= alpha) return known;
        if (*entry & AT_LEAST && known > alpha) alpha = known;
        if (!(*entry & AT_LEAST) && known < beta) beta = known;
    }
    board played[COLUMNS], threats[COLUMNS];
    int found = ordered(mover, mask, moves, played, threats);
    for (int i = 0; i < found; i++) {
        int score = -value(mover ^ mask, mask | played[i], threats[i], -beta, -alpha);
        if (visited > allowed) return alpha;
        if (score >= beta) return *entry = key << 8 | AT_LEAST | (board)(score + ZERO), score;
        if (score > alpha) alpha = score;
    }
    *entry = key << 8 | (board)(alpha + ZERO);
    return alpha;
}

/* Bring the bounds low <= score <= high nearer to each other by visiting at most `nodes` positions: first whether the
 * mover wins or loses, then how soon. Both come back, each plus ZERO: high * 256 + low. */
__attribute__((export_name("connect_four_7x6_narrow")))
int connect_four_7x6_narrow(board mover, board mask, int low, int high, unsigned nodes) {
    visited = 0, allowed = nodes;
    int left = CELLS - count(mask);
    if (completing(mover, mask) & (mask + BOTTOM)) low = high = (left + 1) / 2;
    board theirs = completing(mover ^ mask, mask);
    while (low < high) {
        int middle = low <= 0 && high > 0 ? 0 : low < 0 && high == 0 ? -1 : low + (high - low) / 2;
        int score = value(mover, mask, theirs, middle, middle + 1);
        if (visited > allowed) break;
        if (score > middle) low = score; else high = score;
    }
    return (high + ZERO) << 8 | (low + ZERO);
}

/* How many positions the last call visited. */
__attribute__((export_name("connect_four_7x6_visited")))
unsigned connect_four_7x6_visited(void) { return visited; }

/* Forget everything: the next call visits what it would visit in a new instance. */
__attribute__((export_name("connect_four_7x6_forget")))
void connect_four_7x6_forget(void) { for (int i = 0; i < 1 << TABLE_BITS; i++) table[i] = 0; }
