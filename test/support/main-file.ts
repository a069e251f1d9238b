import { fileURLToPath } from "node:url";

const built = (file: string) => fileURLToPath(new URL(`../../dist/${file}`, import.meta.url));

/** The gateway's entry point, built by global-setup.ts. */
export const MAIN = built("main.js");

/** The program that it runs. */
export const PROGRAM = built("program.js");
