// The player: opens the clip in the page (or a dropped one) and runs the controls.
import { loadClip, motionBounds, totalForce } from "./clip.js";
import { ContactMarks } from "./contacts.js";
import { Dress } from "./dress.js";
import { MarkRings, MarkStrip } from "./marks.js";
import { ForcePlot } from "./plot.js";
import { Stage } from "./stage.js";

const element = (id) => document.getElementById(id);
const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4];
const TOGGLES = [
  ["skin", "Skin", "s"], ["bones", "Bones", "b"], ["forces", "Forces", "f"],
  ["contacts", "Contacts", "c"], ["floor", "Floor", "g"], ["follow", "Follow", "v"],
];
const ICONS = {
  play: '<svg viewBox="0 0 14 14"><path d="M3 1.2v11.6L12.6 7z"/></svg>',
  pause: '<svg viewBox="0 0 14 14"><path d="M2.5 1h3v12h-3zM8.5 1h3v12h-3z"/></svg>',
};

const stage = new Stage(element("view"));
const plot = new ForcePlot(element("plot"), element("plot-label"), (fraction) => {
  state.playing = false;
  seek(fraction * (state.clip?.duration ?? 0));
});
const strip = new MarkStrip(element("marks-box"), (frame) => jump(frame));
const state = {
  clip: null, time: 0, playing: true, speed: 1, loop: true, theme: "light",
  shown: { skin: true, bones: false, forces: true, contacts: true, floor: true, follow: false },
};

function say(text) {
  element("message").textContent = text;
  element("message").hidden = !text;
}

function applyShown() {
  stage.changed = true;
  const { shown } = state;
  for (const [name] of TOGGLES) element("show-" + name).setAttribute("aria-pressed", shown[name]);
  stage.floor.visible = shown.floor;
  state.dress?.showSkin(shown.skin);
  // Without skin there is only the skeleton to look at.
  state.dress?.showBones(shown.bones || !shown.skin);
  state.marks?.show("forces", shown.forces);
  state.marks?.show("points", shown.contacts);
}

function toggle(name) {
  state.shown[name] = !state.shown[name];
  applyShown();
}

function setTheme(theme) {
  state.theme = theme;
  document.documentElement.dataset.theme = theme;
  stage.setTheme(theme);
  state.stale = true;
}

function setSpeed(index) {
  const at = Math.min(SPEEDS.length - 1, Math.max(0, index));
  state.speed = SPEEDS[at];
  element("speed").selectedIndex = at;
}

function setLoop(loop) {
  state.loop = loop;
  element("loop").setAttribute("aria-pressed", loop);
}

function play(playing) {
  if (playing && state.clip && !state.loop && state.time >= state.clip.duration) state.time = 0;
  state.playing = playing && (state.clip?.duration ?? 0) > 0;
  element("play").innerHTML = state.playing ? ICONS.pause : ICONS.play;
}

function seek(time) {
  state.time = Math.min(state.clip?.duration ?? 0, Math.max(0, time));
  state.stale = true;
  play(state.playing);
}

function step(frames) {
  if (!state.clip) return;
  play(false);
  seek((state.clip.frameAt(state.time) + frames) / state.clip.rate);
}

function jump(frame) {
  play(false);
  seek(frame / state.clip.rate);
}

// To the worst frame of the next bad stretch, or of the one before.
function nextMark(direction) {
  if (!state.clip?.marks.length) return;
  const now = state.clip.frameAt(state.time);
  const frames = state.clip.marks.map((mark) => mark.worst).sort((a, b) => direction * (a - b));
  jump(frames.find((frame) => direction * (frame - now) > 0) ?? frames[0]);
}

function resize() {
  const covered = element("view").clientHeight - document.querySelector("footer").getBoundingClientRect().top;
  stage.resize(window.innerWidth, window.innerHeight, covered);
  state.stale = true;
}

function subtitle(clip) {
  const parts = [];
  const count = (n, one, many) => n && parts.push(`${n} ${n === 1 ? one : many}`);
  count(clip.hands.length, "hand", "hands");
  if (clip.objects.length) parts.push(clip.objects.map((object) => object.name).join(", "));
  parts.push(clip.frames === 1 ? "one pose" : `${clip.duration.toFixed(2)} s at ${+clip.rate.toFixed(2)} Hz`);
  return parts.join("  ·  ");
}

async function open(bytes, options = {}) {
  const clip = await loadClip(bytes);
  if (state.clip) stage.scene.remove(state.clip.scene, state.marks.group, state.rings.group);
  const bounds = motionBounds(clip);
  state.clip = clip;
  state.dress = new Dress(clip);
  state.marks = new ContactMarks(clip, bounds.min.distanceTo(bounds.max));
  state.rings = new MarkRings(clip, bounds.min.distanceTo(bounds.max));
  stage.scene.add(clip.scene, state.marks.group, state.rings.group);
  strip.setMarks(clip.marks, clip.frames);
  plot.setValues(clip.frames > 1 ? totalForce(clip) : null);
  const title = options.title || clip.name || "Clip";
  element("title").textContent = document.title = title;
  element("subtitle").textContent = subtitle(clip);
  element("scrub").max = clip.frames - 1;
  element("force-row").hidden = !(state.marks.strongest > 0);
  for (const [name, empty] of [["forces", !(state.marks.strongest > 0)], ["contacts", state.marks.most === 0],
    ["bones", state.dress.bones.length === 0], ["skin", state.dress.skins.length === 0]])
    element("show-" + name).disabled = empty;
  say("");
  resize();
  stage.frame(bounds, clip.floorHeight);
  applyShown();
  state.dress.setOpacity(+element("opacity").value);
  seek(0);
  play(options.autoplay ?? true);
}

function showReadout() {
  const { clip } = state;
  const frame = clip.frameAt(state.time);
  const fraction = clip.duration > 0 ? state.time / clip.duration : 0;
  element("time").innerHTML =
    `<b>${state.time.toFixed(2)}</b> / ${clip.duration.toFixed(2)} s  ·  <b>${frame}</b> / ${clip.frames - 1}`;
  if (document.activeElement !== element("scrub") || state.playing) element("scrub").value = frame;
  plot.draw(fraction, frame);
  strip.draw(frame);
  state.marks.update(frame);
}

let followed = null;
function follow() {
  const target = state.clip.hands[0]?.nodes[0] ?? state.clip.objects[0]?.node;
  if (!state.shown.follow || !target) {
    followed = null;
    return;
  }
  const place = target.getWorldPosition(stage.controls.target.clone());
  if (followed) {
    const moved = place.clone().sub(followed);
    stage.camera.position.add(moved);
    stage.controls.target.add(moved);
  }
  followed = place;
}

let last = 0;
function tick(now) {
  requestAnimationFrame(tick);
  const passed = Math.min(0.1, (now - last) / 1000);
  last = now;
  const { clip } = state;
  if (clip && (state.playing || state.stale)) {
    state.stale = false;
    stage.changed = true;
    if (state.playing) {
      state.time += passed * state.speed;
      if (state.time > clip.duration) {
        state.time = state.loop ? state.time % clip.duration : clip.duration;
        if (!state.loop) play(false);
      }
    }
    clip.pose(state.time);
    follow();
    showReadout();
  }
  state.rings?.update(clip.frameAt(state.time), stage.camera);
  stage.render();
}

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.tagName === "SELECT") return;
  const far = event.shiftKey ? 10 : 1;
  const speed = SPEEDS.indexOf(state.speed);
  const actions = {
    " ": () => play(!state.playing),
    ArrowLeft: () => step(-far),
    ArrowRight: () => step(far),
    Home: () => seek(0),
    End: () => { play(false); seek(state.clip?.duration ?? 0); },
    "[": () => setSpeed(speed - 1),
    "]": () => setSpeed(speed + 1),
    n: () => nextMark(event.shiftKey ? -1 : 1),
    l: () => setLoop(!state.loop),
    r: () => stage.home(),
    t: () => setTheme(state.theme === "dark" ? "light" : "dark"),
    "?": () => element("keys").showModal(),
  };
  for (const [name, , key] of TOGGLES) actions[key] = () => toggle(name);
  const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (!action) return;
  event.preventDefault();
  action();
}

function connect() {
  for (const [name, label, key] of TOGGLES) {
    const button = document.createElement("button");
    button.id = "show-" + name;
    button.className = "toggle";
    button.textContent = label;
    button.title = `${label} (${key.toUpperCase()})`;
    button.onclick = () => toggle(name);
    element("toggles").append(button);
  }
  for (const speed of SPEEDS) element("speed").append(new Option(`${speed}×`, speed));
  element("speed").onchange = () => setSpeed(element("speed").selectedIndex);
  element("play").onclick = () => play(!state.playing);
  element("back").onclick = () => step(-1);
  element("forward").onclick = () => step(1);
  element("loop").onclick = () => setLoop(!state.loop);
  element("reset").onclick = () => stage.home();
  element("theme").onclick = () => setTheme(state.theme === "dark" ? "light" : "dark");
  element("help").onclick = () => element("keys").showModal();
  element("keys").onclick = () => element("keys").close();
  element("scrub").oninput = () => {
    play(false);
    seek(element("scrub").value / (state.clip?.rate ?? 1));
  };
  element("opacity").oninput = () => {
    state.dress?.setOpacity(+element("opacity").value);
    stage.changed = true;
  };
  element("force-scale").oninput = () => {
    if (state.marks) state.marks.scale = 4 ** +element("force-scale").value;
    state.stale = true;
  };
  window.addEventListener("keydown", onKey);
  window.addEventListener("resize", resize);
  window.addEventListener("dragover", (event) => event.preventDefault());
  window.addEventListener("drop", async (event) => {
    event.preventDefault();
    const file = event.dataTransfer.files[0];
    if (file) open(await file.arrayBuffer(), { title: file.name }).catch((error) => say(`${file.name}: ${error.message}`));
  });
}

// Text of a placeholder that no clip has replaced yet counts as none.
function embedded(id) {
  const text = element(id).textContent.trim();
  return text.startsWith("PREHEND") ? "" : text;
}

function bytesOf(base64) {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; ++i) bytes[i] = text.charCodeAt(i);
  return bytes.buffer;
}

connect();
setSpeed(SPEEDS.indexOf(1));
play(false);
const options = JSON.parse(embedded("options") || "{}");
setTheme(options.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"));
applyShown();
resize();
requestAnimationFrame(tick);
// What tests and embedding pages may use.
window.player = { state, stage, strip, open, seek, play, toggle };
const clip = embedded("clip");
if (clip) {
  open(bytesOf(clip), options).catch((error) => say(`This clip cannot be shown: ${error.message}`));
} else {
  say("Drop a .glb file here to play it.");
}
