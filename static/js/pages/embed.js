// A match in a frame of another site: it listens, and the clocks run.
import "../connection.js";
import "../clock.js";
