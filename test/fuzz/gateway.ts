import { createLogger } from "../../src/log.js";
import { addBenchmark, addTenantData } from "../support/fixtures.js";
import { hear } from "../support/heard.js";
import { type Gateway, makeKey, startGateway } from "../support/server.js";
import { requireGoodExchange } from "./answer.js";
import { exchange, type WireAnswer, type WireRequest } from "./wire.js";

/** Texts and numbers of the tenant that nobody asks for; no generator makes them by chance. */
const CANARY = { name: "Kanarienvogel", digits: 7_373_737_373, framework: "TCFD" } as const;
const OWN = { name: "Own", digits: 1_000, framework: "CCTS" } as const;

const UNLIMITED = { AUTH_FAILURES_PER_MINUTE: "999999999", SESSION_REQUESTS_PER_HOUR: "999999999" };

/** A line of the levels error and fatal. */
const IS_FAILURE = /^\{"level":(?:50|60)\b/;

export interface FuzzedGateway extends Gateway {
  /** The tenant that asks. */
  readonly ownSlug: string;
  /** The tenant that nobody asks for. */
  readonly otherSlug: string;
  /** A key of the tenant that has rows everywhere, with enough of its budget left. */
  key(): Promise<string>;
  /** Cursors and ids of the other tenant, to try them with. */
  readonly stolen: readonly string[];
  /** Sends a request and throws unless all that comes back is good; resolves to the answers. */
  send(request: WireRequest): Promise<readonly WireAnswer[]>;
  /** Throws unless the gateway is as well as before, and has logged no failure. */
  requireHealth(): Promise<void>;
}

/** Starts the real application with two tenants, one of which nobody may ever hear of. */
export async function startFuzzedGateway(env: Record<string, string> = {}): Promise<FuzzedGateway> {
  const failures: string[] = [];
  const lines: string[] = [];
  hear(() => lines.join(""));
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

  let uses = 0;
  let current = "";
  return {
    ...gateway,
    ownSlug: OWN.name.toLowerCase(),
    otherSlug: CANARY.name.toLowerCase(),
    stolen,
    async key() {
      if (uses % 5_000 === 0) ({ key: current } = await makeKey(database, OWN.name.toLowerCase()));
      uses += 1;
      return current;
    },
    async send(request) {
      const result = await exchange(gateway.url, request);
      requireGoodExchange(result, forbidden);
      if (failures.length > 0) throw new Error(`it logged: ${failures.splice(0).join("")}`);
      return result.answers;
    },
    async requireHealth() {
      const ready = await gateway.call<{ status: string }>("/health/ready");
      if (ready.body.status !== "ok") throw new Error(`it is ${ready.body.status}`);
      const { status } = await gateway.rest("/emissions", current || canaryKey.key);
      if (status !== 200) throw new Error(`a plain request got ${status}`);
      if (failures.length > 0) throw new Error(`it logged: ${failures.join("")}`);
    },
  };
}
