import { fileURLToPath } from "node:url";

/** The gateway's program, which global-setup.ts builds anew. */
export const MAIN = fileURLToPath(new URL("../../dist/main.js", import.meta.url));
