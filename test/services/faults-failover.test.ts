import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { verifyIntegrity } from "../../src/actions/verify-integrity.js";
import { verifyChain } from "../../src/data/audit/verify-chain.js";
import { migrate } from "../../src/data/database/schema/migrations.js";
import { openPostgres } from "../../src/data/database/server/postgres.js";
import type { Database } from "../../src/data/database/types.js";
import { MIGRATIONS_FOLDER } from "../../src/paths.js";
import { askAll, makeQuestions, startLoad } from "../support/constant-load.js";
import { IS_FULL } from "../support/full.js";
import { hasNoPatroni, startPatroni } from "../support/patroni.js";
import { signUp, type TestPerson } from "../support/people.js";
import { type RunningProcess, startInProduction } from "../support/process.js";
import { redisUrl } from "../support/redis-url.js";
import { type Client, makeKey } from "../support/server.js";
import { use } from "../support/use.js";

/** Number of failovers in a row. */
const FAILOVERS = Number(process.env["FAILOVERS"] ?? (IS_FULL ? 10 : 1));
const READS_PER_SECOND = 20;
/** Share of reads that may fail: those in progress when a server is killed or promoted. */
const MAX_FAILED_READS = 0.05;
const WRITERS = ["reference", "key", "reference", "key"] as const;

/** An acknowledged change. */
interface Write {
  readonly name: string;
  readonly sentAt: number;
  readonly acknowledgedAt: number;
}

describe.skipIf(hasNoPatroni)("two gateways on two PostgreSQL servers under Patroni, behind HAProxy", () => {
  let database: Database;
  let gateways: RunningProcess[] = [];
  let questions: Awaited<ReturnType<typeof makeQuestions>>;
  let turn = 0;
  const inTurn = (): Client => {
    turn += 1;
    return gateways[turn % gateways.length] as Client;
  };

  const cluster = use(startPatroni);
  beforeAll(async () => {
    await cluster.healthy();
    database = openPostgres(cluster.url, { statementTimeoutMs: 0, onError: () => undefined });
    await migrate(database, MIGRATIONS_FOLDER);
    questions = await makeQuestions(database);
    const env = {
      DATABASE_URL: cluster.url,
      DATABASE_REPLICA_URLS: cluster.serverUrls.join(),
      REDIS_URL: redisUrl ?? "",
    };
    gateways = await Promise.all([startInProduction(env), startInProduction(env)]);
    for (const gateway of gateways) await askAll(gateway, questions);
  });
  afterAll(async () => {
    await Promise.all(gateways.map((gateway) => gateway.stop("SIGKILL")));
    await database?.close();
  });

  /** Sends a record until it is acknowledged; counts answers that ask to try again, and throws for any other. */
  async function writeOnce(person: TestPerson, by: "reference" | "key", refusals: Refusals): Promise<Write> {
    const name = randomUUID();
    const sentAt = performance.now();
    const json = { recorded_on: "2026-01-31", scope: "scope_1", co2e_tonnes: 1, note: name };
    for (;;) {
      const client = inTurn();
      const { status, headers, body } = await client.call<{
        error: { code: string; message: string } | null;
      }>("/v1/emissions/records", {
        method: "POST",
        headers: {
          Authorization: `Bearer ${person.session.token}`,
          "Content-Type": "application/json",
          ...(by === "key" && { "Idempotency-Key": name }),
        },
        body: JSON.stringify(by === "key" ? json : { ...json, reference: name }),
      });
      const code = body.error?.code;
      if (status === 201 || (by === "reference" && status === 200) || code === "IDEMPOTENCY_ANSWER_LOST")
        return { name, sentAt, acknowledgedAt: performance.now() };
      const refusal = `${status} ${code}`;
      if (!headers.has("retry-after")) throw new Error(`${refusal}: ${body.error?.message}`);
      refusals.count(refusal);
      await delay(100);
    }
  }

  /** Counts answers that ask to try again. */
  const createRefusals = () => {
    const counts = new Map<string, number>();
    let lastAt = Number.NEGATIVE_INFINITY;
    return {
      count(refusal: string) {
        counts.set(refusal, (counts.get(refusal) ?? 0) + 1);
        // The change is committed; only its answer is pending.
        if (!refusal.includes("IDEMPOTENCY_IN_PROGRESS")) lastAt = performance.now();
      },
      counts,
      lastAt: () => lastAt,
    };
  };
  type Refusals = ReturnType<typeof createRefusals>;

  /** Lets several users write, each one record after another. */
  function startWriting(people: readonly TestPerson[]) {
    const refusals = createRefusals();
    const written = new Map<TestPerson, Write[]>(people.map((person) => [person, []]));
    let isOver = false;
    onTestFinished(() => {
      isOver = true;
    });
    const writing = Promise.all(
      [...written].flatMap(([person, writes]) =>
        WRITERS.map(async (by) => {
          while (!isOver) writes.push(await writeOnce(person, by, refusals));
        }),
      ),
    );
    // `stop` awaits it.
    writing.catch(() => undefined);
    return {
      written,
      refusals,
      /** Resolves once each user has had a record acknowledged that was sent from now on; returns the first such time. */
      async continued(): Promise<number> {
        const since = performance.now();
        const firsts = () =>
          [...written.values()].map(
            (writes) =>
              writes.find(({ sentAt }) => sentAt > since)?.acknowledgedAt ?? Number.POSITIVE_INFINITY,
          );
        await expect.poll(() => Math.max(...firsts())).toBeLessThan(Number.POSITIVE_INFINITY);
        return Math.max(...firsts());
      },
      async stop() {
        isOver = true;
        await writing;
      },
    };
  }

  /** Returns a key's remaining requests, as one of the gateways reports them. */
  const remainingOf = async (key: string) => {
    const { headers } = await inTurn().rest("/emissions", key);
    return Number(headers.get("x-ratelimit-remaining"));
  };

  /** Lets a fault happen under load, ends it with `restore`, and expects that the promises of all failovers hold. */
  async function survive(
    what: string,
    happen: () => Promise<unknown>,
    restore: () => Promise<unknown> = async () => undefined,
  ): Promise<void> {
    await cluster.healthy();
    const gateway = { ...(gateways[0] as Client), database } as never;
    const people = [await signUp(gateway, { now: new Date() }), await signUp(gateway, { now: new Date() })];
    const { key } = await makeKey(database, people[0]?.organization.slug ?? "");
    const remaining = await remainingOf(key);
    const reading = startLoad(inTurn, questions, "/health/live", READS_PER_SECOND);
    const writing = startWriting(people);
    await writing.continued();

    const at = performance.now();
    await happen();
    const continuedAt = await writing.continued();
    await restore();
    await cluster.healthy();
    await writing.continued();
    await writing.stop();
    const reads = await reading.stop();

    const failed = reads.filter(({ result }) => result !== "right");
    const { refusals, written } = writing;
    const lastRefusal = Math.max(0, refusals.lastAt() - at);
    const writes = [...written.values()].flat();
    console.log(
      `| ${what} | ${seconds(continuedAt - at)} | ${seconds(lastRefusal)} | ${writes.length} | ${[...refusals.counts].map(([refusal, count]) => `${count} × ${refusal}`).join(", ") || "none"} | ${failed.length} of ${reads.length} |`,
    );
    expect(reads.filter(({ result }) => typeof result === "object")).toEqual([]);
    expect(failed.length).toBeLessThan(reads.length * MAX_FAILED_READS);
    // The key's budget was not reset.
    expect(await remainingOf(key)).toBeLessThan(remaining);

    for (const [{ organization }, own] of written) {
      const rows = await database.prisma.emissionRecord.findMany({
        where: { organizationId: organization.id },
      });
      expect(rows.map(({ note }) => note).toSorted()).toEqual(own.map(({ name }) => name).toSorted());
      expect(await verifyChain(database, organization.id)).toMatchObject({ ok: true });
    }
    expect(await verifyChain(database, null)).toMatchObject({ ok: true });
    expect(await verifyIntegrity(database, false)).toMatchObject({
      differences: 0,
      balances: { differences: 0 },
      changes: { differences: 0 },
    });
  }

  const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;

  it.each(Array.from({ length: FAILOVERS }, (_, index) => index + 1))(
    "lose no acknowledged change and make none twice when the primary is killed and returns: failover %i",
    (time) => survive(`primary killed, ${time}`, () => cluster.killPrimary()),
  );

  it("lose and repeat none when etcd loses its leader", async () => {
    let restart: () => Promise<void> = async () => undefined;
    await survive(
      "leader of etcd killed",
      async () => {
        restart = await cluster.killEtcdLeader();
      },
      () => restart(),
    );
  });

  it.runIf(IS_FULL)("lose and repeat none when HAProxy restarts", () =>
    survive("HAProxy restarted", () => cluster.restartProxy()),
  );

  it.runIf(IS_FULL)(
    "lose and repeat none when a whole machine dies, with an outage of Patroni's ttl",
    async () => {
      let restart: () => Promise<void> = async () => undefined;
      await survive(
        "machine of the primary dies",
        async () => {
          restart = await cluster.killMachine();
        },
        () => restart(),
      );
    },
  );
});
