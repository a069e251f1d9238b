import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readAuditTrail } from "../support/audit.js";
import { timed } from "../support/durations.js";
import { IS_FULL } from "../support/full.js";
import { signUp, type TestPerson } from "../support/people.js";
import { type RunningProcess, startInProduction } from "../support/process.js";
import { redisUrl } from "../support/redis-url.js";
import type { Client } from "../support/server.js";
import { useDatabase } from "../support/use.js";

const KILLS = Number(process.env["KILLS"] ?? (IS_FULL ? 15 : 5));

let env: Record<string, string>;
let gateways: RunningProcess[];

const start = () => startInProduction(env);

const database = useDatabase();
beforeAll(async () => {
  env = { DATABASE_URL: database.url ?? "", REDIS_URL: redisUrl ?? "" };
  gateways = await Promise.all([start(), start()]);
});
afterAll(() => Promise.all(gateways.map((gateway) => gateway.stop("SIGKILL"))));

/** Creates a user whose session begins now, by the gateways' clock. */
const signUpNow = () => signUp({ database, ...(gateways[0] as Client) } as never, { now: new Date() });

/** Adds a record at a gateway with an Idempotency-Key. */
async function add(gateway: Client, { session }: TestPerson, key: string) {
  const response = await fetch(`${gateway.url}/v1/emissions/records`, {
    method: "POST",
    headers: {
      Authorization: `Bearer ${session.token}`,
      "Content-Type": "application/json",
      "Idempotency-Key": key,
    },
    body: JSON.stringify({ recorded_on: "2026-01-31", scope: "scope_1", co2e_tonnes: 1, note: key }),
  });
  const body = await response.text();
  return { status: response.status, body, isReplay: response.headers.has("idempotency-replayed") };
}

const codeOf = ({ body }: { body: string }) => JSON.parse(body).error?.code;
const recordsOf = ({ organization: { id } }: TestPerson) =>
  database.prisma.emissionRecord.findMany({ where: { organizationId: id }, select: { note: true } });

describe("an Idempotency-Key on two gateways", () => {
  it("lets one of 50 concurrent requests write; the others get its bytes, or 409 while it runs", {
    timeout: 60_000,
  }, async () => {
    const ada = await signUpNow();
    const before = (await readAuditTrail(database, ada.organization.id)).length;
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) => add(gateways[index % 2] as Client, ada, "k")),
    );
    const [first, ...others] = answers.filter(({ status, isReplay }) => status === 201 && !isReplay);
    expect(others).toEqual([]);
    for (const answer of answers) {
      if (answer.status === 201) expect(answer.body).toBe(first?.body);
      else expect([answer.status, codeOf(answer)]).toEqual([409, "IDEMPOTENCY_IN_PROGRESS"]);
    }
    expect(await recordsOf(ada)).toHaveLength(1);
    expect(await readAuditTrail(database, ada.organization.id)).toHaveLength(before + 1);
  });

  it("changes data once per key, however often a gateway is killed", {
    timeout: 10_000 + KILLS * 10_000,
  }, async () => {
    const ada = await signUpNow();
    const keys: string[] = [];
    const outcomes = { created: 0, replayed: 0, lost: 0 };
    /** Sends a request until its outcome is known. */
    const settle = async (key: string) => {
      for (;;) {
        const answer = await add(gateways[1] as Client, ada, key);
        if (answer.status === 201) outcomes[answer.isReplay ? "replayed" : "created"] += 1;
        else if (codeOf(answer) === "IDEMPOTENCY_ANSWER_LOST") outcomes.lost += 1;
        else {
          expect(codeOf(answer)).toBe("IDEMPOTENCY_IN_PROGRESS");
          await delay(20);
          continue;
        }
        return;
      }
    };
    for (let round = 0; round < KILLS; round += 1) {
      const victim = gateways[0] as RunningProcess;
      const next = start();
      const sent = Array.from({ length: 5 }, () => randomUUID());
      keys.push(...sent);
      const [first = "", second = "", ...others] = sent;
      // The first request of a process takes longer than the others.
      await add(victim, ada, first);
      const { ms: msOfOne } = await timed(() => add(victim, ada, second));
      const sending = (async () => {
        for (const key of others) await add(victim, ada, key);
      })().catch(() => undefined);
      // At a random moment of a request, before or after its COMMIT.
      await delay(Math.random() * others.length * msOfOne);
      await victim.stop("SIGKILL");
      await sending;
      // Lets time pass: nothing stores the answers of a process that died.
      await database.transaction((sql) =>
        sql.query(
          "UPDATE idempotency_keys SET created_at = created_at - interval '15 seconds' WHERE status IS NULL",
        ),
      );
      for (const key of sent) await settle(key);
      gateways[0] = await next;
    }
    const notes = (await recordsOf(ada)).map(({ note }) => note);
    expect(notes.toSorted()).toEqual(keys.toSorted());
    expect(outcomes.created + outcomes.replayed + outcomes.lost).toBe(keys.length);
    if (process.env["KILLS"]) console.info(outcomes);
  });
});
