/** Returns a function that runs `work`, and then once more if it was called in the meantime. Ignores failures. */
export function coalesceCalls(work: () => Promise<void>): () => void {
  let state: "idle" | "running" | "again" = "idle";
  const run = async () => {
    do {
      state = "running";
      await work().catch(() => undefined);
    } while ((state as string) === "again");
    state = "idle";
  };
  return () => {
    if (state === "idle") void run();
    else state = "again";
  };
}
