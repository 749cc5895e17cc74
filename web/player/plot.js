// Total contact force over time with a playhead; dragging on it scrubs.
export class ForcePlot {
  constructor(canvas, label, onScrub) {
    this.canvas = canvas;
    this.label = label;
    this.values = null;
    const scrub = (event) => {
      const box = canvas.getBoundingClientRect();
      onScrub(Math.min(1, Math.max(0, (event.clientX - box.left) / box.width)));
    };
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      scrub(event);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (event.buttons & 1) scrub(event);
    });
  }

  setValues(values) {
    this.values = values;
    this.most = values ? values.reduce((a, b) => Math.max(a, b), 1e-9) : 1;
    this.canvas.parentElement.hidden = !values;
    this.canvas.parentElement.style.display = values ? "" : "none";
  }

  draw(fraction, frame) {
    if (!this.values) return;
    const style = getComputedStyle(document.documentElement);
    const ratio = Math.min(window.devicePixelRatio, 2);
    const width = Math.round(this.canvas.clientWidth * ratio);
    const height = Math.round(this.canvas.clientHeight * ratio);
    if (this.canvas.width !== width || this.canvas.height !== height) {
      this.canvas.width = width;
      this.canvas.height = height;
    }
    const pen = this.canvas.getContext("2d");
    const accent = style.getPropertyValue("--accent");
    pen.clearRect(0, 0, width, height);
    const top = 14 * ratio, base = height - 1.5 * ratio;
    const x = (f) => (this.values.length > 1 ? (f / (this.values.length - 1)) * width : width / 2);
    const y = (v) => base - (v / this.most) * (base - top);

    pen.strokeStyle = style.getPropertyValue("--line");
    pen.lineWidth = ratio;
    pen.beginPath();
    pen.moveTo(0, base);
    pen.lineTo(width, base);
    pen.stroke();

    pen.beginPath();
    pen.moveTo(x(0), y(this.values[0]));
    for (let f = 1; f < this.values.length; ++f) pen.lineTo(x(f), y(this.values[f]));
    pen.strokeStyle = accent;
    pen.lineWidth = 1.6 * ratio;
    pen.lineJoin = "round";
    pen.stroke();
    pen.lineTo(x(this.values.length - 1), base);
    pen.lineTo(x(0), base);
    pen.globalAlpha = 0.14;
    pen.fillStyle = accent;
    pen.fill();
    pen.globalAlpha = 1;

    const at = fraction * width;
    pen.strokeStyle = style.getPropertyValue("--ink");
    pen.lineWidth = ratio;
    pen.beginPath();
    pen.moveTo(at, 0);
    pen.lineTo(at, height);
    pen.stroke();
    pen.fillStyle = accent;
    pen.beginPath();
    pen.arc(at, y(this.values[frame]), 3.4 * ratio, 0, 2 * Math.PI);
    pen.fill();
    this.label.textContent =
      `contact force ${this.values[frame].toFixed(1)} N  (peak ${this.most.toFixed(1)} N)`;
  }
}
