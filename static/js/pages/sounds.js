// The tones of a match, where they are wanted.
import "../sound.js";
