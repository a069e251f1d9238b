import { runProgram } from "./commands/program.js";

await runProgram(process.env, () => new Date());
