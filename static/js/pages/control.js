// The admin's live pages.
import "../opened.js";
import "../control.js";
