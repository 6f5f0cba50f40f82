// The same where Nim was played.
import "./match-over.js";
