// The admin's live pages.
import "../tournament.js";
import "../control.js";
