/* Santorini 5x5 and 6x6: alpha-beta to a given depth, the search of games/players/search.py with santorini_search.py, node
 * for node.
 *
 * A board has one bit a cell, row by row. levels[k] marks the cells built to at least k + 1. Values are those of
 * search.py: WIN less the ply at which the mover wins, the negative for a loss, else an estimate.
 */
typedef unsigned long long board;

enum { MOST_CELLS = 36, MOST_STEPS = 16, WIN = 1000000, TABLE_BITS = 18, EXACT = 255 };
enum { ONE, TWO, THREE, DOME, LEVELS };

struct node { int ply; board mine, theirs, levels[LEVELS]; };
struct step { int worth; board from, to; };
struct entry { board key; int depth, low, high, choice; };

static struct entry table[1 << TABLE_BITS];
static unsigned visited, allowed;
static int cut; /* whether an estimate went into the value */
static int size;
static board every, near[MOST_CELLS];
static int centrality[MOST_CELLS];

static int count(board cells) { return __builtin_popcountll(cells); }
static int cell(board bit) { return __builtin_ctzll(bit); }
static int least(int a, int b) { return a < b ? a : b; }

static void prepare(int wanted) {
    if (size == wanted) return;
    size = wanted, every = ((board)1 << size * size) - 1;
    for (int at = 0; at < size * size; at++) {
        int row = at / size, column = at % size;
        near[at] = 0;
        for (int r = row ? row - 1 : 0; r <= least(row + 1, size - 1); r++)
            for (int c = column ? column - 1 : 0; c <= least(column + 1, size - 1); c++)
                if (r != row || c != column) near[at] |= (board)1 << (r * size + c);
        centrality[at] = least(least(row, column), least(size - 1 - row, size - 1 - column));
    }
}

static int height(board at, const board *levels) {
    int found = 0;
    while (found < LEVELS && at & levels[found]) found++;
    return found;
}

static board targets(board worker, board free, const board *levels) {
    board too_high = worker & levels[TWO] ? 0 : worker & levels[ONE] ? levels[THREE] : levels[TWO];
    return near[cell(worker)] & free & ~too_high;
}

static board free_cells(const struct node *at) { return every & ~(at->mine | at->theirs | at->levels[DOME]); }

static int can_step(const struct node *at) {
    board free = free_cells(at);
    for (board left = at->mine; left; left &= left - 1)
        if (targets(left & -left, free, at->levels)) return 1;
    return 0;
}

/* The cells next to those of the workers that stand on height 2. */
static board reach(board workers, const board *levels) {
    board found = 0;
    for (board left = workers & levels[TWO]; left; left &= left - 1) found |= near[cell(left)];
    return found;
}

static board safe_sites(const struct node *at) {
    const board *levels = at->levels;
    board next = reach(at->theirs, levels), wins = next & levels[THREE] & ~levels[DOME];
    if (!wins) return every & ~(next & levels[TWO] & ~levels[THREE]);
    return wins & (wins - 1) ? 0 : wins;
}

static int worth(board workers, board free, const board *levels) {
    int total = 0;
    for (board left = workers; left; left &= left - 1) {
        board worker = left & -left, steps = near[cell(worker)] & free;
        if (worker & levels[TWO]) total += 60 + 15 * count(steps & levels[THREE]);
        else if (worker & levels[ONE]) total += 24, steps &= ~levels[THREE];
        else steps &= ~levels[TWO];
        total += centrality[cell(worker)] + 2 * count(steps) + 3 * count(steps & levels[ONE]) + 9 * count(steps & levels[TWO]);
    }
    return total;
}

/* All steps, those that climb and go to the centre first. */
static int steps_of(const struct node *at, struct step *found) {
    board free = free_cells(at);
    int all = 0;
    for (board left = at->mine; left; left &= left - 1) {
        board from = left & -left;
        for (board to = targets(from, free, at->levels); to; to &= to - 1) {
            board target = to & -to;
            int climb = height(target, at->levels) - height(from, at->levels), place = all++;
            struct step made = {8 * climb + centrality[cell(target)], from, target};
            /* Of equal worth the later one first: both workers and their targets come in ascending order. */
            for (; place && found[place - 1].worth <= made.worth; place--) found[place] = found[place - 1];
            found[place] = made;
        }
    }
    return all;
}

static struct node after(const struct node *at, board from, board to, board site) {
    struct node child = {at->ply + 1, at->theirs, (at->mine ^ from) | to,
                         {at->levels[ONE], at->levels[TWO], at->levels[THREE], at->levels[DOME]}};
    child.levels[height(site, at->levels)] |= site;
    return child;
}

static board key_of(const struct node *at) {
    board words[2 + LEVELS] = {at->mine, at->theirs, at->levels[ONE], at->levels[TWO], at->levels[THREE], at->levels[DOME]};
    board mixed = size;
    for (int i = 0; i < 2 + LEVELS; i++) {
        mixed = (mixed ^ words[i]) * 0x9E3779B97F4A7C15ULL;
        mixed ^= mixed >> 32;
    }
    return mixed;
}

struct best { int value, choice, alpha, beta; };

static int value(const struct node *at, int depth, int alpha, int beta);

/* Try a turn; whether nothing more has to be tried. */
static int tried(const struct node *at, int turn, int depth, struct best *best) {
    board bits[3] = {(board)1 << (turn & 63), (board)1 << (turn >> 6 & 63), (board)1 << (turn >> 12 & 63)};
    struct node child = after(at, bits[0], bits[1], bits[2]);
    int score = -value(&child, depth - 1, -best->beta, -best->alpha);
    if (visited > allowed) return 1;
    if (score > best->value) {
        best->value = score, best->choice = turn;
        if (score > best->alpha) best->alpha = score;
    }
    return best->value >= best->beta;
}

static void try_all(const struct node *at, int depth, struct best *best) {
    struct step steps[MOST_STEPS];
    board sites = safe_sites(at), free = free_cells(at);
    int all = steps_of(at, steps);
    for (int i = 0; i < all; i++) {
        board around = near[cell(steps[i].to)] & (free | steps[i].from) & sites;
        board too_high = at->levels[height(steps[i].to, at->levels)];
        int turn = cell(steps[i].from) | cell(steps[i].to) << 6;
        for (board left = around & ~too_high; left; left &= left - 1)
            if (tried(at, turn | cell(left) << 12, depth, best)) return;
        for (board left = around & too_high; left; left &= left - 1)
            if (tried(at, turn | cell(left) << 12, depth, best)) return;
    }
}

static int value(const struct node *at, int depth, int alpha, int beta) {
    if (++visited > allowed) return 0;
    if (!can_step(at)) return at->ply - WIN;
    board wins = reach(at->theirs, at->levels) & at->levels[THREE] & ~at->levels[DOME];
    if (wins & (wins - 1)) return at->ply + 2 - WIN;
    if (depth <= 0) {
        board free = free_cells(at);
        return cut = 1, worth(at->mine, free, at->levels) - worth(at->theirs, free, at->levels);
    }
    board key = key_of(at);
    struct entry *kept = &table[key >> (64 - TABLE_BITS)];
    int first = -1;
    if (kept->depth && kept->key == key) {
        if (kept->depth >= depth && (kept->low >= beta || kept->high <= alpha || kept->low == kept->high)) {
            cut |= kept->depth < EXACT;
            return kept->high <= alpha ? kept->high : kept->low;
        }
        first = kept->choice;
    }
    int cut_before = cut;
    struct best best = {-WIN, -1, alpha, beta};
    cut = 0;
    if (first < 0 || !tried(at, first, depth, &best)) try_all(at, depth, &best);
    if (visited > allowed) return 0;
    if (best.choice < 0) best.value = at->ply + 2 - WIN; /* every turn lets the other step up to height 3 */
    int low = best.value > alpha ? best.value : -WIN, high = best.value < beta ? best.value : WIN;
    *kept = (struct entry){key, cut ? depth : EXACT, low, high, best.choice};
    cut |= cut_before;
    return best.value;
}

/* The value of a position `depth` plies ahead, exact between alpha and beta, else a bound beyond them; times 4, plus 2
 * where an estimate went into it, or 1 alone where more than `nodes` positions had to be visited. The mover has no step
 * up to height 3. */
__attribute__((export_name("santorini_value")))
int santorini_value(int wanted, int ply, board mine, board theirs, board one, board two, board three, board dome,
                    int depth, int alpha, int beta, unsigned nodes) {
    struct node at = {ply, mine, theirs, {one, two, three, dome}};
    prepare(wanted);
    visited = 0, allowed = nodes, cut = 0;
    int found = value(&at, depth, alpha, beta);
    return visited > allowed ? 1 : found * 4 + 2 * cut;
}

/* How many positions the last call visited. */
__attribute__((export_name("santorini_visited")))
unsigned santorini_visited(void) { return visited; }

/* Forget everything. */
__attribute__((export_name("santorini_forget")))
void santorini_forget(void) { for (int i = 0; i < 1 << TABLE_BITS; i++) table[i].depth = 0; }
