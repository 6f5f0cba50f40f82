// A board that plays without a network; js/offline.js stands beside it, for it names a worker by its address.
import "../prefs.js";
import "../visited.js";
import "../roving.js";
