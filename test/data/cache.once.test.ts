import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createCache } from "../../src/data/cache/cache.js";
import type { Change, ChangeObserver, Changes } from "../../src/data/cache/changes.js";
import type { Computed } from "../../src/data/cache/computations.js";
import { limitTime } from "../../src/time-limit.js";

const NOW = new Date("2026-11-20T10:00:00.000Z");
const at = (now: Date, limitMs = 60_000) => ({ now, inTime: limitTime(limitMs) });
const later = (ms: number) => new Date(NOW.getTime() + ms);
/** Lets the callbacks of all settled promises run. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

/** Returns `changes` with functions that trigger their events. */
function driveChanges() {
  const observers: ChangeObserver[] = [];
  let isListening = true;
  const changes: Changes = {
    isListening: () => isListening,
    observe: (observer) => void observers.push(observer),
    note: (change) => {
      for (const observer of observers) observer.changed(change);
    },
    stop: async () => undefined,
  };
  return {
    changes,
    hear(isListeningNow: boolean) {
      isListening = isListeningNow;
    },
    change(table: string, organizationId: string | null) {
      for (const observer of observers) observer.changed({ table, organizationId });
    },
    lose() {
      isListening = false;
      for (const observer of observers) observer.lost();
    },
  };
}

interface Asked {
  readonly organization?: string;
  /** Null if the organization is known only from the result. */
  readonly askedFor?: string | null;
  readonly tables?: readonly string[];
  readonly until?: number;
  readonly now?: Date;
}

/** Creates a cache of strings, with functions to use and observe it. */
function startCache(maxSize = 100_000) {
  const { changes, ...driver } = driveChanges();
  const cache = createCache<string>({ changes, maxSize, sizeOf: ({ length }) => length });
  let computations = 0;
  const basisOf = ({
    organization = "acme",
    tables = ["records"],
    until = Number.POSITIVE_INFINITY,
  }: Asked) => ({
    organizationId: organization,
    tables: new Set(tables),
    until,
  });
  const recall = async (name: string, asked: Asked, compute: () => Promise<Computed<string>>) => {
    const { organization = "acme", askedFor = organization, now = NOW } = asked;
    return cache.getOrCompute(name, askedFor, at(now), () => {
      computations += 1;
      return compute();
    });
  };
  return {
    ...driver,
    cache,
    computations: () => computations,
    /** Gets a value that is computed at once. */
    ask: (name: string, value = "value", asked: Asked = {}) =>
      recall(name, asked, async () => ({ value, basis: basisOf(asked) })),
    /** Gets a value whose computation ends on demand. */
    begin(name: string, asked: Asked = {}) {
      let end: (computed: Computed<string>) => void = () => undefined;
      let fail: (error: Error) => void = () => undefined;
      const answer = recall(
        name,
        asked,
        () =>
          new Promise((resolve, reject) => {
            [end, fail] = [resolve, reject];
          }),
      );
      answer.catch(() => undefined);
      return {
        answer,
        end: (value: string) => end({ value, basis: basisOf(asked) }),
        endWithoutBasis: (value: string) => end({ value, basis: null }),
        fail: (message: string, details?: { code?: string }) =>
          fail(Object.assign(new Error(message), details)),
      };
    },
  };
}

/** Details of a failure to reach the database. */
const UNREACHABLE = { code: "ECONNREFUSED" };

describe("a cache", () => {
  it("answers from memory synchronously", async () => {
    const { ask, cache, computations } = startCache();
    expect(await ask("total", "1")).toBe("1");
    expect(await ask("total", "2")).toBe("1");
    expect(
      cache.getOrCompute("total", "acme", at(NOW), () => Promise.reject(new Error("computed again"))),
    ).toBe("1");
    expect(computations()).toBe(1);
    expect(await ask("other", "3")).toBe("3");
  });

  it.each([
    ["of the tenant's rows of a table that was read", "records", "acme", true],
    ["of all tenants' rows of a table that was read", "records", null, true],
    ["of another tenant's rows", "records", "globex", false],
    ["of another table of the tenant", "prices", "acme", false],
    ["of all tenants' rows of another table", "prices", null, false],
  ])("acts on a change %s: evicts after %s %s: %s", async (_what, table, owner, forgets) => {
    const { ask, change } = startCache();
    await ask("total", "before");
    change(table, owner);
    expect(await ask("total", "after")).toBe(forgets ? "after" : "before");
  });

  it.each([
    ["of the tenant's rows of a table that was read", "records", "acme", false],
    ["of all tenants' rows of a table that was read", "records", null, false],
    ["of another tenant's rows", "records", "globex", true],
    ["of another table of the tenant", "prices", "acme", true],
  ])(
    "acts on a change during the computation, %s: stores after %s %s: %s",
    async (_what, table, owner, remembers) => {
      for (const askedFor of ["acme", null]) {
        const { ask, begin, change } = startCache();
        const computing = begin("total", { askedFor });
        change(table, owner);
        computing.end("begun before");
        expect(await computing.answer).toBe("begun before");
        expect(await ask("total", "begun after")).toBe(remembers ? "begun before" : "begun after");
      }
    },
  );

  it("does not store a result that is ready at the moment of a change", async () => {
    const { ask, begin, change } = startCache();
    const computing = begin("total");
    computing.end("begun before");
    change("records", "acme");
    expect(await computing.answer).toBe("begun before");
    expect(await ask("total", "begun after")).toBe("begun after");
  });

  it("does not let callers after a change join a computation from before it", async () => {
    const { begin, change } = startCache();
    const before = begin("total");
    change("records", "acme");
    const after = begin("total");
    after.end("begun after");
    before.end("begun before");
    expect([await before.answer, await after.answer]).toEqual(["begun before", "begun after"]);
  });

  it("keeps a result computed after a change when one from before it ends later", async () => {
    const { ask, begin, change } = startCache();
    const before = begin("total");
    change("records", "acme");
    const after = begin("total");
    after.end("begun after");
    await after.answer;
    before.end("begun before");
    await before.answer;
    expect(await ask("total", "computed again")).toBe("begun after");
  });

  it("clears everything when changes may have been missed, including pending results", async () => {
    const { ask, begin, lose, hear } = startCache();
    await ask("total", "before");
    const computing = begin("other");
    lose();
    hear(true);
    const joining = begin("other");
    computing.end("begun before");
    joining.end("begun after");
    expect([await computing.answer, await joining.answer]).toEqual(["begun before", "begun after"]);
    expect(await ask("total", "after")).toBe("after");
    expect(await ask("other", "computed again")).toBe("begun after");
  });

  it("neither answers nor stores nor shares while change notifications are down", async () => {
    const { ask, begin, hear, computations } = startCache();
    await ask("total", "heard");
    hear(false);
    expect(await ask("total", "not heard")).toBe("not heard");
    const computing = [begin("total"), begin("total")];
    expect(computations()).toBe(4);
    for (const [index, { end }] of computing.entries()) end(`${index}`);
    expect(await Promise.all(computing.map(({ answer }) => answer))).toEqual(["0", "1"]);
    // No announcement was missed.
    hear(true);
    expect(await ask("total", "heard again")).toBe("heard");
  });

  it("keeps a value until it expires on its own", async () => {
    const { ask } = startCache();
    const asked = { until: later(1_000).getTime() };
    await ask("feed", "connected", asked);
    expect(await ask("feed", "silent", { now: later(999) })).toBe("connected");
    expect(await ask("feed", "silent", { now: later(1_000) })).toBe("silent");
    expect(await ask("feed", "unknown", { now: later(5_000) })).toBe("silent");
  });

  it("does not store a value without a basis", async () => {
    const { ask, begin } = startCache();
    const computing = begin("total");
    computing.endWithoutBasis("of the moment");
    expect(await computing.answer).toBe("of the moment");
    expect(await ask("total", "next")).toBe("next");
  });

  it("does not store a failure", async () => {
    const { ask, begin } = startCache();
    const computing = begin("total");
    computing.fail("away");
    await expect(computing.answer).rejects.toThrow("away");
    expect(await ask("total", "next")).toBe("next");
  });

  it("evicts the least recently used values when it is full, and never stores very large ones", async () => {
    // Room for ten values with the overhead of their entries.
    const { ask } = startCache(102_000);
    const value = "x".repeat(9_500);
    for (let n = 10; n < 19; n += 1) await ask(`name${n}`, value);
    await ask("name10", "asked once more");
    for (let n = 20; n < 23; n += 1) await ask(`name${n}`, value);
    const kept = async (name: string) => (await ask(name, "forgotten")) === value;
    expect([await kept("name10"), await kept("name22")]).toEqual([true, true]);
    expect(await kept("name11")).toBe(false);

    await ask("large", "x".repeat(200_000));
    expect(await ask("large", "computed again")).toBe("computed again");
  });
});

describe("a caller that joins a pending computation", () => {
  it("shares its result", async () => {
    const { begin, computations } = startCache();
    const all = Array.from({ length: 20 }, () => begin("total"));
    all[0]?.end("shared");
    expect(await Promise.all(all.map(({ answer }) => answer))).toEqual(all.map(() => "shared"));
    expect(computations()).toBe(1);
  });

  it("computes itself if that fails, and the failure concerns only the first caller", async () => {
    const { begin, ask, computations } = startCache();
    const [first, second, third] = [begin("total"), begin("total"), begin("total")];
    first.fail("away");
    await expect(first.answer).rejects.toThrow("away");
    await settle();
    expect(computations()).toBeGreaterThan(1);
    second.end("recovered");
    third.end("recovered");
    expect(await second.answer).toBe("recovered");
    expect(await third.answer).toBe("recovered");
    expect(await ask("next", "next")).toBe("next");
  });

  it("fails too if the database is unavailable", async () => {
    const { begin, lose, computations } = startCache();
    const both = [begin("total"), begin("total")];
    lose();
    both[0]?.fail("away", UNREACHABLE);
    for (const { answer } of both) await expect(answer).rejects.toThrow("away");
    expect(computations()).toBe(1);
  });

  it("computes itself if the failure has another reason, e.g. the first caller's spent key", async () => {
    const { begin, lose } = startCache();
    const [first, second] = [begin("total"), begin("total")];
    lose();
    first.fail("the first's budget is spent");
    await expect(first.answer).rejects.toThrow("the first's budget is spent");
    await settle();
    second.end("second's");
    expect(await second.answer).toBe("second's");
  });

  it("computes itself if the value has no basis, because it belongs to the first caller", async () => {
    const { begin } = startCache();
    const [first, second] = [begin("total"), begin("total")];
    first.endWithoutBasis("first's");
    await settle();
    second.endWithoutBasis("second's");
    expect([await first.answer, await second.answer]).toEqual(["first's", "second's"]);
  });

  it("waits no longer than its own timeout, while the computation continues", async () => {
    const { begin, ask, cache } = startCache();
    const first = begin("total");
    const joined = cache.getOrCompute("total", "acme", at(NOW, 20), () =>
      Promise.reject(new Error("computed again")),
    );
    await expect(joined).rejects.toThrow("The request took longer than 0.02 seconds.");
    first.end("late");
    expect(await first.answer).toBe("late");
    expect(await ask("total", "computed again")).toBe("late");
  });
});

const TABLES = ["records", "prices"] as const;
const OWNERS = ["acme", "globex", null] as const;

type Step =
  | { readonly do: "write"; readonly table: (typeof TABLES)[number]; readonly owner: (typeof OWNERS)[number] }
  | { readonly do: "announce" | "settle" | "lose" | "stall" | "hear" }
  | { readonly do: "ask"; readonly what: number }
  | { readonly do: "read" | "end" | "endWithoutBasis" | "fail"; readonly which: number };

const QUESTIONS = [
  { organization: "acme", askedFor: "acme", tables: ["records"] },
  { organization: "acme", askedFor: "acme", tables: ["records", "prices"] },
  { organization: "globex", askedFor: "globex", tables: ["prices"] },
  { organization: "globex", askedFor: null, tables: ["records"] },
] as const;

const oneOf = <Item>(items: readonly Item[]) => fc.constantFrom(...items);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: oneOf(["write"] as const), table: oneOf(TABLES), owner: oneOf(OWNERS) }),
  },
  { weight: 5, arbitrary: fc.record({ do: oneOf(["announce", "settle", "settle"] as const) }) },
  { weight: 2, arbitrary: fc.record({ do: oneOf(["lose", "stall", "hear", "hear"] as const) }) },
  { weight: 6, arbitrary: fc.record({ do: oneOf(["ask"] as const), what: fc.nat(QUESTIONS.length - 1) }) },
  {
    weight: 8,
    arbitrary: fc.record({
      do: oneOf(["read", "read", "end", "end", "end", "endWithoutBasis", "fail"] as const),
      which: fc.nat(5),
    }),
  },
);

describe("in any order of events", () => {
  it("no value is older than the last change known before the call", async () => {
    let answers = 0;
    let remembered = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 80 }), async (steps) => {
        const world = playWorld();
        for (const one of steps) await world.play(one);
        const played = await world.end();
        answers += played.answers;
        remembered += played.remembered;
      }),
      { numRuns: 1_000 },
    );
    // The steps produce enough answers, cached ones among them.
    expect(answers).toBeGreaterThan(5_000);
    expect(remembered).toBeGreaterThan(500);
  }, 60_000);
});

/** Simulates a database of versions that writes increase, and callers that check how recent their answers are. */
function playWorld() {
  const { changes, change, hear, lose } = driveChanges();
  type Versions = Record<string, number>;
  const cache = createCache<Versions>({ changes, maxSize: 10_000, sizeOf: () => 1 });
  const keyOf = (table: string, owner: string | null) => `${table} ${owner ?? "*"}`;
  const keys = TABLES.flatMap((table) => OWNERS.map((owner) => keyOf(table, owner)));
  const none = () => Object.fromEntries(keys.map((key) => [key, 0]));
  const stored: Versions = none();
  const heard: Versions = none();
  const announcements: (Change & { table: string; version: number })[] = [];
  let isLost = false;

  interface Computing {
    readonly basis: NonNullable<Computed<Versions>["basis"]>;
    read: Versions | undefined;
    resolve(computed: Computed<Versions>): void;
    reject(error: Error): void;
  }
  const computing: Computing[] = [];
  const askers: Promise<void>[] = [];
  const counts = { answers: 0, remembered: 0 };

  const announce = () => {
    const next = announcements.shift();
    if (!next) return;
    heard[keyOf(next.table, next.organizationId)] = next.version;
    change(next.table, next.organizationId);
  };
  const end = (which: number, how: "end" | "endWithoutBasis" | "fail") => {
    const [one] = computing.splice(which % Math.max(1, computing.length), 1);
    if (!one) return;
    const value = one.read ?? { ...stored };
    if (how === "fail") one.reject(Object.assign(new Error("failed"), UNREACHABLE));
    else one.resolve({ value, basis: how === "end" ? one.basis : null });
  };
  const ask = (what: number) => {
    const { organization, askedFor, tables } = QUESTIONS[what] as (typeof QUESTIONS)[number];
    const atLeast = { ...heard };
    let ownFailed = false;
    let wasComputed = false;
    const compute = () => {
      wasComputed = true;
      return new Promise<Computed<Versions>>((resolve, reject) => {
        const basis = {
          organizationId: organization,
          tables: new Set(tables),
          until: Number.POSITIVE_INFINITY,
        };
        computing.push({
          basis,
          read: undefined,
          resolve,
          reject(error) {
            ownFailed = true;
            reject(error);
          },
        });
      });
    };
    const answer = Promise.resolve(cache.getOrCompute(`${what}`, askedFor, at(NOW), compute));
    const check = (value: Versions) => {
      counts.answers += 1;
      if (!wasComputed) counts.remembered += 1;
      for (const table of tables) {
        for (const owner of [organization, null]) {
          const key = keyOf(table, owner);
          expect(value[key], `${what}: ${key}`).toBeGreaterThanOrEqual(atLeast[key] ?? 0);
        }
      }
    };
    askers.push(
      answer.then(check, (error: Error) => {
        expect(error.message).toBe("failed");
        // A failure of another caller is shared only while the database is unreachable.
        if (!ownFailed) expect(sharedFailures).toBe(true);
      }),
    );
  };
  let sharedFailures = false;

  const play = async (one: Step) => {
    switch (one.do) {
      case "write": {
        const key = keyOf(one.table, one.owner);
        const version = (stored[key] ?? 0) + 1;
        stored[key] = version;
        if (!isLost) announcements.push({ table: one.table, organizationId: one.owner, version });
        break;
      }
      case "announce":
        announce();
        break;
      case "settle":
        await settle();
        break;
      case "ask":
        ask(one.what);
        break;
      case "read": {
        const at = computing[one.which % Math.max(1, computing.length)];
        if (at) at.read ??= { ...stored };
        break;
      }
      case "lose":
        sharedFailures = true;
        isLost = true;
        announcements.length = 0;
        lose();
        break;
      case "stall":
        sharedFailures = true;
        hear(false);
        break;
      case "hear":
        // The answer to LISTEN or a heartbeat arrives after all earlier announcements.
        while (announcements.length > 0) announce();
        isLost = false;
        Object.assign(heard, stored);
        hear(true);
        break;
      default:
        end(one.which, one.do);
    }
  };
  return {
    play,
    async end() {
      // Callers that joined a computation may start their own once it ends.
      for (let rounds = 0; rounds < 1_000; rounds += 1) {
        await settle();
        if (computing.length === 0) break;
        end(0, "end");
      }
      await Promise.all(askers);
      return counts;
    },
  };
}
