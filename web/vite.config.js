// Bundles the player into one HTML file that needs nothing else.
import path from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

const web = path.dirname(fileURLToPath(import.meta.url));

function inlineEverything() {
  return {
    name: "inline-everything",
    enforce: "post",
    generateBundle(_, bundle) {
      const page = bundle["index.html"];
      for (const [name, part] of Object.entries(bundle)) {
        if (part.type !== "chunk") continue;
        const code = part.code.replaceAll("</script", "<\\/script");
        page.source = page.source.replace(/<script type="module"[^>]*><\/script>/, "");
        page.source = page.source.replace(
          "</body>", () => `<script type="module">${code}</script>\n</body>`);
        delete bundle[name];
      }
      for (const [name, part] of Object.entries(bundle)) {
        if (!name.endsWith(".css")) continue;
        page.source = page.source.replace(/<link rel="stylesheet"[^>]*>/, () => `<style>${part.source}</style>`);
        delete bundle[name];
      }
    },
  };
}

export default defineConfig({
  root: path.join(web, "player"),
  build: { outDir: path.join(web, "dist"), emptyOutDir: true, cssCodeSplit: false, modulePreload: false },
  plugins: [inlineEverything()],
});
