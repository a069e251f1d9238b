import { fileURLToPath } from "node:url";

const built = (file: string) => fileURLToPath(new URL(`../../dist/${file}`, import.meta.url));

/** The gateway's entry point, built by global-setup.ts. */
export const MAIN = built("main.js");

/** Its parts, for tests that start it in their own process. */
export const SERVED = built("served.js");

/** The program that it runs. */
export const PROGRAM = built("program.js");
