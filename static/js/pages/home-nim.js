// The same where Nim is played.
import "./home.js";
import "../nim.js";
