import { fileURLToPath } from "node:url";

const built = (file: string) => fileURLToPath(new URL(`../../dist/${file}`, import.meta.url));

/** The gateway's program, as global-setup.ts builds it. */
export const MAIN = built("main.js");

/** What that runs. */
export const PROGRAM = built("program.js");
