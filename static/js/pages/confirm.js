// For who has chosen to confirm moves, beside the scripts of a running match.
import "../confirm.js";
