// Five short tones, made here. They come when somebody asks for them (loud.js); what they say is always visible as well.

const main = document.querySelector("main[data-match]");
const live = () => document.getElementById("live").dataset;
// Each a list of [hertz, seconds].
const TONES = { drop: [[220, 0.07]], other: [[330, 0.07]], turn: [[440, 0.06], [660, 0.09]], low: [[880, 0.05], [880, 0.05]], end: [[523, 0.1], [659, 0.1], [784, 0.18]] };
const wanted = () => document.documentElement.dataset.sound === "on";
let context;
let before = main && { ...live() };
let lowTold = false;

export function tone(name) {
  if (!wanted() || !context) return;
  let at = context.currentTime;
  for (const [hertz, seconds] of TONES[name]) {
    const [voice, volume] = [context.createOscillator(), context.createGain()];
    voice.frequency.value = hertz;
    volume.gain.setValueAtTime(0.12, at);
    volume.gain.exponentialRampToValueAtTime(0.001, at + seconds);
    voice.connect(volume).connect(context.destination);
    voice.start(at);
    voice.stop((at += seconds));
  }
  document.dispatchEvent(new CustomEvent("arena:tone", { detail: name }));
}

// A browser lets a page sound only after it was touched.
function open() {
  if (wanted()) context ??= new AudioContext();
}

function asked() {
  open();
  tone("turn");
}

function heard() {
  const now = { ...live() };
  const mine = document.getElementById("status").classList.contains("accent");
  if (now.status === "ended" && before.status !== "ended") tone("end");
  else if (now.ply !== before.ply) tone(!main.dataset.seat ? "other" : mine ? "turn" : "drop");
  before = now;
  lowTold = lowTold && document.querySelector("#p-near .low");
}

function low() {
  if (lowTold || !document.querySelector("#p-near .clock.low[data-running]")) return;
  lowTold = true;
  tone("low");
}

if (main) {
  document.addEventListener("arena:preference", ({ detail }) => detail.name === "sound" && asked());
  document.addEventListener("htmx:wsAfterMessage", heard);
  document.addEventListener("arena:second", low);
  for (const touch of ["pointerdown", "keydown"]) document.addEventListener(touch, open, true);
  if (navigator.userActivation?.hasBeenActive) asked();
}
