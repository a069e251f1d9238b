import { describe, expect, it } from "vitest";
import { createFairQueue } from "../../src/data/database/fair-queue.js";

const refuse = () => new Error("refused");

/** Tasks that end on demand. `started` names them in the order in which they began. */
function holdTasks(options: Omit<Parameters<typeof createFairQueue>[0], "refuse">) {
  const enqueue = createFairQueue({ ...options, refuse });
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const begin = (name: string, msLeft = Number.POSITIVE_INFINITY) =>
    enqueue({ ownerId: name.charAt(0), msLeft }, () => {
      started.push(name);
      return new Promise<void>((resolve) => ends.set(name, resolve));
    });
  const end = async (name: string) => {
    ends.get(name)?.();
    await new Promise(setImmediate);
  };
  return { started, begin, end, enqueue };
}

describe("a fair queue", () => {
  it("are given to owners in turn, to each one's tasks in order, and never to more than may run", async () => {
    const { started, begin, end } = holdTasks({ perOwner: 2, total: 3 });
    for (const name of ["a1", "a2", "a3", "a4", "b1", "b2", "c1"]) begin(name);
    expect(started).toEqual(["a1", "a2", "b1"]);
    for (const name of ["a1", "a2", "b1", "a3"]) await end(name);
    expect(started.slice(3)).toEqual(["a3", "b2", "c1", "a4"]);
  });

  it("are refused to tasks that wait too long or find too many waiting", async () => {
    const { started, begin, end } = holdTasks({ perOwner: 1, maxWaiting: 1 });
    const running = begin("a1");
    const waiting = begin("a2", 20);
    await expect(begin("a3", 20)).rejects.toThrow("refused");
    await expect(waiting).rejects.toThrow("refused");
    const last = begin("a4", 60_000);
    await end("a1");
    await end("a4");
    await Promise.all([running, last]);
    expect(started).toEqual(["a1", "a4"]);
  });

  it("are free again after a failed task", async () => {
    const { enqueue } = holdTasks({ perOwner: 1, maxWaiting: 0 });
    const queued = { ownerId: "a", msLeft: 0 };
    await expect(enqueue(queued, () => Promise.reject(new Error("failed")))).rejects.toThrow("failed");
    expect(await enqueue(queued, async () => "done")).toBe("done");
  });
});
