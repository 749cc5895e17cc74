// gltf-validator over every GLB of a folder: no error, no warning.
//   node validate.mjs FOLDER
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

const require = createRequire(new URL("../../web/package.json", import.meta.url));
const validator = require("gltf-validator");

let failed = 0;
const folder = process.argv[2];
for (const name of fs.readdirSync(folder).filter((file) => file.endsWith(".glb")).sort()) {
  const bytes = new Uint8Array(fs.readFileSync(path.join(folder, name)));
  const { issues, info } = await validator.validateBytes(bytes, { uri: name, maxIssues: 0 });
  const ok = issues.numErrors === 0 && issues.numWarnings === 0;
  console.log(
    `${ok ? "ok" : "FAILED"}: gltf-validator on ${name}: ${issues.numErrors} errors, ` +
    `${issues.numWarnings} warnings, ${info.totalVertexCount} vertices`);
  if (ok) continue;
  failed += 1;
  for (const m of issues.messages.filter((m) => m.severity < 2).slice(0, 5))
    console.log(`  ${m.code} at ${m.pointer}: ${m.message}`);
}
process.exit(failed ? 1 : 0);
