import { spawn } from "node:child_process";
import { onStopSignal } from "../src/commands/serve/stop-signal.js";

// Runs the gateway from its sources, and again when they change. On a second signal `tsx watch` kills the gateway, and
// a key press in a terminal sends several. So it runs in a process group of its own, and gets one.
const args = ["watch", "--clear-screen=false", "--include", "schema.graphql", "src/main.ts", "serve"];
const watcher = spawn("tsx", args, { stdio: ["ignore", "inherit", "inherit"], detached: true });
const { pid } = watcher;

/** Ends what a second SIGINT leaves. */
const endGroup = () => {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch {
    // It has ended.
  }
};
onStopSignal((signal) => watcher.kill(signal));
process.on("exit", endGroup);
watcher.on("exit", (code) => process.exit(code ?? 1));
