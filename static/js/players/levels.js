// How strong each level plays: the table of games/players/level.py, to the letter (tests/web/test_players_in_browser.py).
export const LEVELS = {
  random: { sees_win: 0, sees_danger: 0, central: false, depth: 0, slip: 0, seconds: 0.1, proves: false },
  beginner: { sees_win: 0.5, sees_danger: 0.5, central: false, depth: 0, slip: 0, seconds: 0.1, proves: false },
  casual: { sees_win: 1, sees_danger: 1, central: true, depth: 0, slip: 0, seconds: 0.1, proves: false },
  club: { sees_win: 1, sees_danger: 1, central: false, depth: 4, slip: 0.15, seconds: 0.1, proves: false },
  expert: { sees_win: 1, sees_danger: 1, central: false, depth: 9, slip: 0.03, seconds: 1, proves: false },
  best: { sees_win: 1, sees_danger: 1, central: false, depth: 200, slip: 0, seconds: null, proves: true },
};
