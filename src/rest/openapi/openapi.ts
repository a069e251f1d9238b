import { SESSION_COOKIE } from "../../access/credentials.js";
import { API_VERSION } from "../../http/answer/envelope.js";
import { takeTurn } from "../../turns.js";
import type { EndpointGroup } from "../endpoint.js";
import { describeSso } from "../sso/describe.js";
import { FAILURES } from "./failures.js";
import { AREAS, describeOperation } from "./operations.js";
import { describeSchemas, nameShapes, type Shapes } from "./shapes.js";
import { WIDER_FAILURES } from "./wider-failures.js";

/** The API's base. All paths in the description are below it. */
const BASE = "/api/v1";

/** Returns the operations of every path, by method. */
function describePaths(groups: readonly EndpointGroup[], shapes: Shapes) {
  const paths: Record<string, Record<string, ReturnType<typeof describeOperation>>> = {};
  for (const { prefixes, keysOnly, endpoints } of groups) {
    for (const endpoint of endpoints) {
      const path = `${prefixes[0]?.slice(BASE.length)}${endpoint.path}`;
      paths[path] = {
        ...paths[path],
        [endpoint.method.toLowerCase()]: describeOperation(endpoint, keysOnly, shapes),
      };
    }
  }
  return Object.assign(paths, describeSso(AREAS["people"]?.name ?? ""));
}

/**
 * Describes the endpoints of groups and the steps of single sign-on in OpenAPI 3.1. Takes some 200 ms in total, so it
 * pauses for other requests.
 */
export async function describeApi(groups: readonly EndpointGroup[]) {
  const shapes = await nameShapes(groups);
  await takeTurn();
  const schemas = describeSchemas(shapes);
  await takeTurn();
  return {
    openapi: "3.1.0",
    info: {
      title: "Carbon Gateway external API",
      version: API_VERSION,
      description:
        "Emission, compliance, carbon-credit, benchmark and market-price data of one organization, its people, API keys and audit trail. JSON responses have a common envelope, except exported files and the steps of single sign-on. Clients must ignore unknown properties.",
      contact: { name: "Support of the service. Quote the request id." },
      license: { name: "Proprietary", identifier: "LicenseRef-Proprietary" },
    },
    servers: [{ url: BASE }],
    tags: Object.values(AREAS),
    paths: describePaths(groups, shapes),
    components: {
      schemas,
      responses: { ...FAILURES, ...WIDER_FAILURES },
      securitySchemes: {
        apiKey: {
          type: "apiKey",
          in: "header",
          name: "X-API-Key",
          description: "An API key of the organization.",
        },
        basic: {
          type: "http",
          scheme: "basic",
          description: "Any user name, and an API key or a service account's token as the password.",
        },
        session: {
          type: "http",
          scheme: "bearer",
          description:
            "The access token of a session, from signing in, or a token or access token of a service account.",
        },
        sessionCookie: {
          type: "apiKey",
          in: "cookie",
          name: SESSION_COOKIE,
          description: "The cookie of a browser's session, from signing in.",
        },
      },
    },
  };
}
