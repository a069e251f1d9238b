import type { App } from "../../app.js";
import type { Config } from "../../config.js";
import { endpoints } from "../../rest/ext/index.js";
import { describePlace } from "../database-place.js";
import { CREATED } from "../runner.js";

/** Where requests are counted, by the store of the limits. */
const COUNTED = {
  redis: "counted in Redis",
  memory: "counted in this process",
  insurance: "counted in this process until Redis, which cannot be reached, is back",
};

interface Start {
  readonly app: App;
  readonly config: Config;
  /** Null if there is no key to show. */
  readonly demoKey: string | null;
  /** Whether the embedded database was created by this start. */
  readonly isNew: boolean;
}

/** What `serve` prints when it listens: its addresses, and calls to paste if there is a demonstration key. */
export function describeStart({ app, config, demoKey, isNew }: Start): string {
  const { url, metricsUrl, rateLimitStore } = app;
  const { sandbox, databaseUrl, dataDir } = config;
  const lines = [
    `Carbon Gateway is listening on ${url}`,
    "",
    `  GraphQL   ${url}/graphql${sandbox ? "   (open it in a browser for Apollo Sandbox)" : ""}`,
    ...(sandbox ? [`  Explorer  ${url}/graphiql   (works without internet access)`] : []),
    `  REST      ${url}/api/v1/ext/v1   (described in ${url}/openapi.json)`,
    `  Database  ${describePlace(databaseUrl, dataDir)}${isNew ? `, ${CREATED}` : ""}`,
    `  Limits    ${COUNTED[rateLimitStore()]}`,
    ...(metricsUrl === null ? [] : [`  Metrics   ${metricsUrl}/metrics`]),
  ];
  if (demoKey === null) return lines.join("\n");
  const calls = endpoints.map(({ path }) => `  curl -H 'X-API-Key: ${demoKey}' ${url}/api/v1/ext/v1${path}`);
  const graphql = `  curl -H 'X-API-Key: ${demoKey}' -H 'Content-Type: application/json' -d '{"query":"{ organization { name } emissions { totalCo2eTonnes } }"}' ${url}/graphql`;
  return [
    ...lines,
    `  Demo key  ${demoKey}   (for a made-up organization with sample data)`,
    "",
    "Try it:",
    "",
    ...calls,
    graphql,
    "",
  ].join("\n");
}
