import { readFile } from "node:fs/promises";
import { scopesOfDocument } from "../src/graphql/schema/document-scopes.js";
import { createSchema } from "../src/graphql/schema/schema.js";
import { SCHEMA_FILE } from "../src/paths.js";
import type { EndpointGroup } from "../src/rest/endpoint.js";
import { ext } from "../src/rest/ext/index.js";
import { AREAS, describeNeed } from "../src/rest/openapi/operations.js";
import { SSO_STEPS } from "../src/rest/sso/describe.js";
import { createV1, type V1Parts } from "../src/rest/v1/index.js";

const INTRODUCTION = `# Every endpoint

One line for each endpoint, with what it needs. [v1.md](v1.md) says how to call them, and the
[README](../README.md#the-five-calls) has the first five. Each is also served below /api/v1. The gateway describes all of them in
\`/openapi.json\`. \`npm run generate\` writes this page.
`;

/** Returns the defined endpoints. Those that need more than the schema cannot be called. */
export async function listGroups(): Promise<readonly [ext: EndpointGroup, v1: EndpointGroup]> {
  const schema = createSchema(await readFile(SCHEMA_FILE, "utf8"));
  const parts = { accounts: {}, importing: {}, exporting: {}, certified: {} } as V1Parts;
  return [ext, createV1(schema, parts, scopesOfDocument)];
}

/** Returns the text of docs/api.md: a section per area, with a row per endpoint, by path. */
export async function createApiPage(): Promise<string> {
  const rows = (await listGroups()).flatMap(({ prefixes, endpoints }) =>
    endpoints.map(({ area = "data", ...endpoint }) => ({
      area,
      path: `${prefixes.at(-1)}${endpoint.path}`,
      need: describeNeed(endpoint),
      endpoint,
    })),
  );
  const steps = SSO_STEPS.map((endpoint) => ({
    area: "people",
    path: `/v1${endpoint.path}`,
    need: "no credentials",
    endpoint,
  }));
  const sections = Object.entries(AREAS).map(([area, { name, description }]) => {
    const lines = [...rows, ...steps]
      .filter((row) => row.area === area)
      .toSorted((one, other) => (one.path < other.path ? -1 : Number(one.path > other.path)))
      .map(({ path, need, endpoint: { method, summary } }) => [method, `\`${path}\``, need, summary]);
    const table = [["method", "path", "needs", "what it does"], ["---", "---", "---", "---"], ...lines];
    return `\n## ${name}\n\n${description}\n\n${table.map((cells) => `| ${cells.join(" | ")} |\n`).join("")}`;
  });
  return INTRODUCTION + sections.join("");
}
