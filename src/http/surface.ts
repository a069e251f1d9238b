import type { RequestRecord } from "./request-info.js";

/** The contract's `{base_url}` ends in /api/v1; the same endpoints are served without it. */
export const REST_PREFIXES = ["/api/v1/ext/v1", "/ext/v1"] as const;

/** Prefixes of the wider API: the contract's base, or only its last segment. */
export const V1_PREFIXES = ["/api/v1", "/v1"] as const;

export const GRAPHQL_PATH = "/graphql";

/** Path at which service accounts get access tokens. */
export const TOKEN_PATH = "/oauth/token";

/** The endpoint of the Model Context Protocol. */
export const MCP_PATH = "/mcp";

/** Path of the SCIM resources. */
export const SCIM_PATH = "/scim/v2";

export type Surface = "rest" | "graphql" | "mcp" | "scim" | "operations";

/** Returns the surface that a path belongs to. */
export function surfaceOf(path: string): Surface {
  if (path === GRAPHQL_PATH || path.startsWith(`${GRAPHQL_PATH}/`)) return "graphql";
  if (path === MCP_PATH) return "mcp";
  if (path === SCIM_PATH || path.startsWith(`${SCIM_PATH}/`)) return "scim";
  const isRest =
    path === TOKEN_PATH ||
    REST_PREFIXES.some((prefix) => path.startsWith(prefix)) ||
    V1_PREFIXES.some((prefix) => path.startsWith(`${prefix}/`));
  return isRest ? "rest" : "operations";
}

/**
 * Returns OpenTelemetry's `http.route`: the endpoint's path template with its shortest prefix, such as
 * `/ext/v1/emissions`, or `/graphql` or `/mcp`. Empty for all other paths, because clients can make up any number of
 * them.
 */
export function routeOf(path: string, { route }: RequestRecord): string {
  return route ?? (path === GRAPHQL_PATH || path === MCP_PATH ? path : "");
}
