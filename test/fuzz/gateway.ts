import type { Database } from "../../src/data/database/types.js";
import { createLogger } from "../../src/log.js";
import { addBenchmark, addTenantData } from "../support/fixtures.js";
import { watchOutput } from "../support/secrets.js";
import { type Gateway, makeKey, startGateway } from "../support/server.js";
import { requireGoodExchange } from "./answer.js";
import { requireQuickNeighbour } from "./neighbour.js";
import { parseExchange, receive, type WireAnswer, type WireRequest } from "./wire.js";

/** Strings and numbers of the other tenant, which no generator creates by chance. */
const CANARY = { name: "Kanarienvogel", digits: 7_373_737_373, framework: "TCFD" } as const;
const OWN = { name: "Own", digits: 1_000, framework: "CCTS" } as const;

const UNLIMITED = { AUTH_FAILURES_PER_MINUTE: "999999999", SESSION_REQUESTS_PER_HOUR: "999999999" };

/** Matches log lines of the levels error and fatal. */
const IS_FAILURE = /^\{"level":(?:50|60)\b/;

export interface FuzzedGateway extends Gateway {
  /** The tenant that sends the cases. */
  readonly ownSlug: string;
  /** The tenant that no case may read, write or slow down. */
  readonly otherSlug: string;
  /** Returns a key of the sending tenant with enough budget left. */
  key(): Promise<string>;
  /** Cursors and ids of the other tenant, for cases to try. */
  readonly stolen: readonly string[];
  /** Sends a request and returns the answers. Throws if one is not allowed, or if the other tenant had to wait. */
  send(request: WireRequest): Promise<readonly WireAnswer[]>;
  /** Throws unless the gateway is healthy and has logged no failure. */
  requireHealth(): Promise<void>;
}

/** Starts the real application with two tenants, one of which must stay hidden. */
export async function startFuzzedGateway(env: Record<string, string> = {}): Promise<FuzzedGateway> {
  const failures: string[] = [];
  const lines: string[] = [];
  watchOutput(() => lines.join(""));
  const log = createLogger("info", {
    write(line) {
      lines.push(line);
      if (IS_FAILURE.test(line)) failures.push(line);
    },
  });
  const gateway = await startGateway({ env: { ...UNLIMITED, ...env }, log });
  const { database } = gateway;
  await addBenchmark(database, { region: "Global" });
  for (const tenant of [OWN, CANARY]) await addTenantData(database, tenant);

  const canaryKey = await makeKey(database, CANARY.name.toLowerCase());
  const { body } = await gateway.graphql(
    `{ emissions { facilities { nodes { facility { id } } pageInfo { endCursor } } records { pageInfo { endCursor } } }
       credits { batches { pageInfo { endCursor } } } market { instruments { pageInfo { endCursor } } } }`,
    canaryKey.key,
  );
  const stolen = JSON.stringify(body.data).match(/(?<=:")[\w-]{20,}(?=")/g) ?? [];
  const forbidden = [CANARY.name, String(CANARY.digits), canaryKey.key];

  const key = keepKey(database, OWN.name.toLowerCase());
  const neighbourKey = keepKey(database, CANARY.name.toLowerCase());
  const ask = async () => {
    const { status } = await gateway.rest("/emissions", await neighbourKey());
    if (status !== 200) throw new Error(`the other tenant's request got ${status}`);
  };
  return {
    ...gateway,
    ownSlug: OWN.name.toLowerCase(),
    otherSlug: CANARY.name.toLowerCase(),
    stolen,
    key,
    async send(request) {
      const received = await requireQuickNeighbour(() => receive(gateway.url, request), ask);
      // The gateway runs in this process: parsing megabytes in the meantime would make the neighbour wait.
      const result = parseExchange(received, request);
      requireGoodExchange(result, forbidden);
      if (failures.length > 0) throw new Error(`it logged: ${failures.splice(0).join("")}`);
      return result.answers;
    },
    async requireHealth() {
      const ready = await gateway.call<{ status: string }>("/health/ready");
      if (ready.body.status !== "ok") throw new Error(`it is ${ready.body.status}`);
      await ask();
      if (failures.length > 0) throw new Error(`it logged: ${failures.join("")}`);
    },
  };
}

/** Returns a function that returns a key of an organization with enough budget left. */
function keepKey(database: Database, slug: string): () => Promise<string> {
  let uses = 0;
  let current: Promise<{ key: string }> | undefined;
  return async () => {
    if (uses % 5_000 === 0) current = makeKey(database, slug);
    uses += 1;
    return (await current)?.key ?? "";
  };
}
