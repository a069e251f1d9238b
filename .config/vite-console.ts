import { readdir, readFile, writeFile } from "node:fs/promises";
import { promisify } from "node:util";
import { brotliCompress, gzip } from "node:zlib";
import { defineConfig, type Plugin } from "vite";

/** Writes two compressed copies next to each file, so that nothing is compressed while serving. */
const compress: Plugin = {
  name: "compress",
  async writeBundle({ dir = "" }) {
    for (const entry of await readdir(dir, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const file = `${entry.parentPath}/${entry.name}`;
      const content = await readFile(file);
      await writeFile(`${file}.gz`, await promisify(gzip)(content, { level: 9 }));
      await writeFile(`${file}.br`, await promisify(brotliCompress)(content));
    }
  },
};

export default defineConfig({
  root: new URL("../src/console", import.meta.url).pathname,
  base: "/console/",
  publicDir: false,
  build: {
    outDir: "../../dist/console",
    emptyOutDir: true,
    target: "es2022",
    modulePreload: { polyfill: false },
    // The page's policy allows no inline styles or scripts, and data: URLs only for images.
    assetsInlineLimit: 0,
    rolldownOptions: { checks: { pluginTimings: false } },
  },
  plugins: [compress],
});
