// Beside the script of every page, for who has a name here: a first visit loads none of it.
import "../challenges.js";
