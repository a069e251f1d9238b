import type { App } from "../../app.js";
import type { Config } from "../../config.js";
import { endpoints } from "../../rest/ext/index.js";
import { describeLocation } from "../database-location.js";
import { JUST_CREATED } from "../runner.js";
import type { Demonstration } from "./first-start.js";

/** Descriptions of where requests are counted, by store. */
const COUNTED = {
  redis: "counted in Redis",
  memory: "counted in this process",
  insurance: "counted in this process until Redis is available again",
};

interface Start {
  readonly app: App;
  readonly config: Config;
  readonly demonstration: Demonstration;
  /** True if this start created the embedded database. */
  readonly isNew: boolean;
}

/**
 * Returns the text that `serve` prints once it is listening: its URLs and, with sample data, a sign-in link and example
 * calls.
 */
export function describeStart({ app, config, demonstration, isNew }: Start): string {
  const { url, site, metricsUrl, rateLimitStore } = app;
  const { key: demoKey, signInToken } = demonstration;
  const { sandbox, databaseUrl, dataDir } = config;
  const lines = [
    `Carbon Gateway is listening on ${url}`,
    "",
    // First, because it is the link that most people need.
    ...(signInToken === null
      ? []
      : [
          "Sign in as the owner of the demo organization (works once, for 15 minutes):",
          "",
          `  ${site.link("sign-in", signInToken)}`,
          "",
        ]),
    ...(config.console ? [`  Console   ${site.url()}/console/`] : []),
    `  GraphQL   ${url}/graphql${sandbox ? "   (open in a browser for Apollo Sandbox)" : ""}`,
    ...(sandbox ? [`  Explorer  ${url}/graphiql   (works offline)`] : []),
    `  REST      ${url}/api/v1/ext/v1   (documented in ${url}/openapi.json)`,
    `  Database  ${describeLocation(databaseUrl, dataDir)}${isNew ? `, ${JUST_CREATED}` : ""}`,
    `  Limits    ${COUNTED[rateLimitStore()]}`,
    ...(metricsUrl === null ? [] : [`  Metrics   ${metricsUrl}/metrics`]),
  ];
  if (demoKey !== null) {
    const call = `  curl -H 'X-API-Key: ${demoKey}'`;
    const graphql = `-H 'Content-Type: application/json' -d '{"query":"{ organization { name } emissions { totalCo2eTonnes } }"}'`;
    lines.push(
      `  Demo key  ${demoKey}   (for a fictitious demo organization)`,
      "",
      "Try it:",
      "",
      ...endpoints.map(({ path }) => `${call} ${url}/api/v1/ext/v1${path}`),
      `${call} ${graphql} ${url}/graphql`,
      "",
    );
  }
  return lines.join("\n");
}
