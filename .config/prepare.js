// Builds after an installation, or says what is missing for it.
import { spawnSync } from "node:child_process";

try {
  import.meta.resolve("vite");
} catch {
  console.error(
    "The build needs the development dependencies, which NODE_ENV=production and --omit=dev leave out. Run npm ci --include=dev, then npm prune --omit=dev.",
  );
  process.exit(1);
}
process.exit(spawnSync("npm run build", { shell: true, stdio: "inherit" }).status ?? 1);
