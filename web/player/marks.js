// What an audit found bad: a row a kind under the time line, a bar a stretch of frames. A click
// jumps to the worst frame of the stretch; in the view, a ring stands where its worst is.
import * as THREE from "three";

// Colors that stay apart on light and on dark, also for those who do not tell red from green.
const COLORS = ["#d9541e", "#1f7fb4", "#8a4fbf", "#b8860b", "#2b8a5a", "#b43a6e", "#5b6b7a"];
const ROW = 12; // px
const LABELS = 118; // px, room for the kinds' names at the left

export class MarkStrip {
  constructor(box, onJump) {
    this.box = box;
    this.canvas = box.querySelector("canvas");
    this.label = box.querySelector("span");
    this.marks = [];
    this.kinds = [];
    this.canvas.addEventListener("pointermove", (event) => this.hover(this.at(event)));
    this.canvas.addEventListener("pointerleave", () => this.hover(null));
    this.canvas.addEventListener("click", (event) => {
      const mark = this.at(event);
      if (mark) onJump(mark.worst);
    });
  }

  setMarks(marks, frames) {
    this.marks = marks ?? [];
    this.frames = frames;
    this.kinds = [...new Set(this.marks.map((mark) => mark.kind))];
    this.box.hidden = this.marks.length === 0;
    this.box.style.display = this.marks.length ? "" : "none";
    this.canvas.style.height = `${ROW * this.kinds.length}px`;
    this.hovered = null;
  }

  // Along the canvas, from 0 to 1, of the left edge of a frame's bar.
  x(frame, width) {
    return LABELS + (frame / Math.max(1, this.frames)) * (width - LABELS);
  }

  // The mark under the pointer; a bar of less than some pixels is met beside it as well.
  at(event) {
    const area = this.canvas.getBoundingClientRect();
    const kind = this.kinds[Math.floor((event.clientY - area.top) / ROW)];
    const px = event.clientX - area.left;
    let best = null, least = 4;
    for (const mark of this.marks) {
      if (mark.kind !== kind) continue;
      const from = this.x(mark.first, area.width), to = this.x(mark.last + 1, area.width);
      const away = Math.max(from - px, px - to, 0);
      if (away < least) [best, least] = [mark, away];
    }
    return best;
  }

  hover(mark) {
    this.hovered = mark;
    this.canvas.style.cursor = mark ? "pointer" : "default";
    this.say(this.frame);
  }

  // Those that hold a frame, the longest first.
  of(frame) {
    return this.marks.filter((mark) => mark.first <= frame && frame <= mark.last);
  }

  say(frame) {
    const shown = this.hovered ? [this.hovered] : this.of(frame);
    this.label.textContent = shown.map((mark) => mark.text).join("   ·   ");
    this.label.title = this.label.textContent;
  }

  draw(frame) {
    if (!this.marks.length) return;
    this.frame = frame;
    this.say(frame);
    const ratio = Math.min(window.devicePixelRatio, 2);
    const width = this.canvas.clientWidth, height = this.canvas.clientHeight;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    const pen = this.canvas.getContext("2d");
    pen.scale(ratio, ratio);
    const style = getComputedStyle(document.documentElement);
    pen.font = "10px system-ui, sans-serif";
    pen.textBaseline = "middle";
    this.kinds.forEach((kind, row) => {
      pen.fillStyle = style.getPropertyValue("--faint");
      pen.fillText(kind.replaceAll("_", " "), 2, (row + 0.5) * ROW);
      pen.fillStyle = style.getPropertyValue("--press");
      pen.fillRect(LABELS, row * ROW + 2, width - LABELS, ROW - 4);
      pen.fillStyle = COLORS[row % COLORS.length];
      for (const mark of this.marks) {
        if (mark.kind !== kind) continue;
        const from = this.x(mark.first, width), to = this.x(mark.last + 1, width);
        pen.fillRect(from, row * ROW + 2, Math.max(1.5, to - from), ROW - 4);
      }
    });
    pen.fillStyle = style.getPropertyValue("--ink");
    pen.fillRect(this.x(frame + 0.5, width) - 0.5, 0, 1, height);
  }
}

// Rings at the places of the marks whose worst frame is near the present one.
export class MarkRings {
  constructor(clip, size) {
    this.group = new THREE.Group();
    this.near = Math.max(1, Math.round(0.1 * clip.rate)); // frames
    this.rings = [];
    const kinds = [...new Set(clip.marks.map((mark) => mark.kind))];
    const radius = Math.min(0.05 * size, 0.014); // m
    const shape = new THREE.TorusGeometry(radius, 0.12 * radius, 8, 40);
    const paints = kinds.map((_, row) => new THREE.MeshBasicMaterial({
      color: COLORS[row % COLORS.length], depthTest: false, transparent: true, opacity: 0.9,
    }));
    for (const mark of clip.marks) {
      if (!mark.point_world) continue;
      const ring = new THREE.Mesh(shape, paints[kinds.indexOf(mark.kind)]);
      ring.position.fromArray(mark.point_world);
      ring.renderOrder = 20;
      ring.visible = false;
      this.rings.push({ ring, frame: mark.worst });
      this.group.add(ring);
    }
  }

  update(frame, camera) {
    for (const { ring, frame: worst } of this.rings) {
      ring.visible = Math.abs(frame - worst) <= this.near;
      if (ring.visible) ring.quaternion.copy(camera.quaternion);
    }
  }
}
