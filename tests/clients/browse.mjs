// Chromium opens the pages of a folder: no error, a picture, controls that work.
//   node browse.mjs FOLDER
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";

const require = createRequire(new URL("../../web/package.json", import.meta.url));
const { chromium } = require("playwright-core");

const folder = path.resolve(process.argv[2]);
const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
const args = [
  "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
  "--disable-background-networking", "--disable-component-update", "--disable-sync",
  "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
];

let failed = 0;
function check(ok, what) {
  console.log(`${ok ? "ok" : "FAILED"}: ${what}`);
  if (!ok) failed += 1;
}

// Colors in the picture: a blank canvas has one.
async function colors(page) {
  return page.evaluate(() => {
    const { stage } = window.player;
    stage.changed = true;
    stage.render();
    const gl = stage.renderer.getContext();
    const pixels = new Uint8Array(4 * gl.drawingBufferWidth * gl.drawingBufferHeight);
    gl.readPixels(0, 0, gl.drawingBufferWidth, gl.drawingBufferHeight, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
    const seen = new Set();
    for (let i = 0; i < pixels.length; i += 4 * 37)
      seen.add((pixels[i] >> 3) << 10 | (pixels[i + 1] >> 3) << 5 | (pixels[i + 2] >> 3));
    return seen.size;
  });
}

const browser = await chromium.launch({ executablePath, args });
const [width, height] = (process.env.VIEWPORT ?? "1100x700").split("x").map(Number);
for (const name of fs.readdirSync(folder).filter((file) => file.endsWith(".html")).sort()) {
  const context = await browser.newContext({ viewport: { width, height }, offline: true });
  const page = await context.newPage();
  const errors = [], requests = [];
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("request", (request) => {
    if (!/^(file|data|blob):/.test(request.url())) requests.push(request.url());
  });
  await page.goto(pathToFileURL(path.join(folder, name)).href);
  await page.waitForFunction(() => window.player?.state.clip, null, { timeout: 60000 });
  const moving = await page.evaluate(() => window.player.state.clip.duration > 0);
  if (moving) {
    const before = await page.evaluate(() => window.player.state.time);
    await page.waitForFunction((t) => window.player.state.time !== t, before, { timeout: 20000 });
    check(true, `${name}: playing moves the time`);
    await page.click("#play");
    const stopped = await page.evaluate(() => window.player.state.time);
    await page.waitForTimeout(300);
    check(stopped === await page.evaluate(() => window.player.state.time), `${name}: pause holds it`);
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowRight");
    const frame = await page.evaluate(() => window.player.state.clip.frameAt(window.player.state.time));
    check(frame === 1, `${name}: arrow keys step frames`);
    await page.evaluate(() => window.player.seek(0.75 * window.player.state.clip.duration));
    await page.waitForTimeout(300);
  }
  const marked = await page.evaluate(() => window.player.strip.marks.length);
  check((marked > 0) === (await page.isVisible("#marks")), `${name}: a strip where there are marks`);
  if (marked) {
    const { x, y, row, worst } = await page.evaluate(() => {
      const { strip } = window.player, mark = strip.marks[0];
      const area = strip.canvas.getBoundingClientRect();
      const middle = strip.x(0.5 * (mark.first + mark.last + 1), area.width);
      return { x: area.left + middle, y: area.top, row: strip.kinds.indexOf(mark.kind), worst: mark.worst };
    });
    await page.mouse.click(x, y + 12 * row + 6);
    await page.waitForTimeout(300);
    const [frame, said, rings] = await page.evaluate(() => [
      window.player.state.clip.frameAt(window.player.state.time),
      window.player.strip.label.textContent,
      window.player.state.rings.rings.filter(({ ring }) => ring.visible).length]);
    check(frame === worst, `${name}: a click on a mark jumps to its worst frame`);
    check(said.includes("index-distal") && rings === 1, `${name}: it says who, and a ring is there`);
    await page.keyboard.press("n");
    const next = await page.evaluate(() => window.player.state.clip.frameAt(window.player.state.time));
    check(next === 10, `${name}: N jumps to the next mark, round the end`);
  }
  check((await colors(page)) > 60, `${name}: the picture is not blank`);
  await page.waitForTimeout(300);
  await page.screenshot({ path: path.join(folder, name.replace(".html", ".png")) });

  await page.click("#show-skin");
  const shown = await page.evaluate(() => {
    const { dress } = window.player.state;
    return [dress.skins.some((skin) => skin.visible), dress.bones.every((bone) => bone.visible)];
  });
  check(!shown[0] && shown[1], `${name}: skin off shows the bones`);
  await page.$eval("#opacity", (slider) => {
    slider.value = 0.4;
    slider.dispatchEvent(new Event("input"));
  });
  await page.waitForTimeout(400);
  check((await colors(page)) > 60, `${name}: bones are drawn`);
  await page.screenshot({ path: path.join(folder, name.replace(".html", "_bones.png")) });
  await page.setViewportSize({ width: 420, height: 640 });
  await page.waitForTimeout(300);
  const fits = await page.evaluate(() =>
    document.documentElement.scrollWidth <= innerWidth && window.player.stage.camera.aspect < 1);
  check(fits, `${name}: fits a narrow window`);
  check(errors.length === 0, `${name}: no errors${errors.length ? ": " + errors.join(" | ") : ""}`);
  check(requests.length === 0, `${name}: no network${requests.length ? ": " + requests[0] : ""}`);
  await context.close();
}
await browser.close();
process.exit(failed ? 1 : 0);
