import type { App } from "../../app.js";
import type { Config } from "../../config.js";
import { endpoints } from "../../rest/ext/index.js";
import { describeLocation } from "../database-location.js";
import { CREATED } from "../runner.js";
import type { Demonstration } from "./first-start.js";

/** Descriptions of the store that counts requests. */
const COUNTED = {
  redis: "counted in Redis",
  memory: "counted in this process",
  insurance: "counted in this process until Redis, which cannot be reached, is back",
};

interface Start {
  readonly app: App;
  readonly config: Config;
  readonly demonstration: Demonstration;
  /** True if this start created the embedded database. */
  readonly isNew: boolean;
}

/**
 * Returns the text that `serve` prints when it listens: its URLs, and with sample data also a sign-in link and calls to
 * paste.
 */
export function describeStart({ app, config, demonstration, isNew }: Start): string {
  const { url, site, metricsUrl, rateLimitStore } = app;
  const { key: demoKey, signInToken } = demonstration;
  const { sandbox, databaseUrl, dataDir } = config;
  const lines = [
    `Carbon Gateway is listening on ${url}`,
    "",
    // First, because it is the link to click.
    ...(signInToken === null
      ? []
      : [
          "Sign in as the owner of the sample data, once, within 15 minutes:",
          "",
          `  ${site.link("sign-in", signInToken)}`,
          "",
        ]),
    ...(config.console ? [`  Console   ${site.url()}/console/`] : []),
    `  GraphQL   ${url}/graphql${sandbox ? "   (open it in a browser for Apollo Sandbox)" : ""}`,
    ...(sandbox ? [`  Explorer  ${url}/graphiql   (works without internet access)`] : []),
    `  REST      ${url}/api/v1/ext/v1   (described in ${url}/openapi.json)`,
    `  Database  ${describeLocation(databaseUrl, dataDir)}${isNew ? `, ${CREATED}` : ""}`,
    `  Limits    ${COUNTED[rateLimitStore()]}`,
    ...(metricsUrl === null ? [] : [`  Metrics   ${metricsUrl}/metrics`]),
  ];
  if (demoKey !== null) {
    const call = `  curl -H 'X-API-Key: ${demoKey}'`;
    const graphql = `-H 'Content-Type: application/json' -d '{"query":"{ organization { name } emissions { totalCo2eTonnes } }"}'`;
    lines.push(
      `  Demo key  ${demoKey}   (for a made-up organization with sample data)`,
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
