import { readFile } from "node:fs/promises";
import { groupBy } from "../src/domain/group-by.js";
import { scopesOfDocument } from "../src/graphql/schema/document-scopes.js";
import { createSchema } from "../src/graphql/schema/schema.js";
import { SCHEMA_FILE } from "../src/paths.js";
import type { EndpointGroup } from "../src/rest/endpoint.js";
import { ext } from "../src/rest/ext/index.js";
import { AREAS, describeNeed } from "../src/rest/openapi/operations.js";
import { SSO_STEPS } from "../src/rest/sso/describe.js";
import { createV1, type V1Parts } from "../src/rest/v1/index.js";

const INTRODUCTION = `# Every endpoint

One row per resource, with its methods and the scope that each needs. [integrating.md](integrating.md) explains how to call them; \`/openapi.json\`
has all parameters and responses. Paths below /v1 are also served below /api, and those below /ext/v1 below /api/v1. \`npm run generate\` writes
this page.

\`\`\`sh
curl -H "X-API-Key: $KEY" "http://127.0.0.1:4000/v1/facilities?limit=1"
\`\`\`

| resource | methods |
| --- | --- |
`;

/** Returns the external and the wider API, for documentation. Handlers may lack dependencies, so do not call them. */
export async function listGroups(): Promise<readonly [ext: EndpointGroup, v1: EndpointGroup]> {
  const schema = createSchema(await readFile(SCHEMA_FILE, "utf8"));
  const parts = { accounts: {}, importing: {}, exporting: {}, certified: {} } as V1Parts;
  return [ext, createV1(schema, parts, scopesOfDocument)];
}

/** Returns the content of docs/api.md. */
export async function createApiPage(): Promise<string> {
  const endpoints = (await listGroups()).flatMap(({ prefixes, endpoints }) =>
    endpoints.map((endpoint) => ({
      ...endpoint,
      path: `${prefixes.at(-1)}${endpoint.path}`,
      need: describeNeed(endpoint).replace(/^the scopes? /, ""),
    })),
  );
  const steps = SSO_STEPS.map((step) => ({
    ...step,
    area: "people",
    path: `/v1${step.path}`,
    need: "no credentials",
  }));
  const sections = Object.entries(AREAS).map(([name, area]) => {
    const inArea = [...endpoints, ...steps].filter((endpoint) => (endpoint.area ?? "data") === name);
    const paths = inArea.map(({ path }) => path);
    // The row of a resource includes the paths below it.
    const resources = groupBy(inArea, ({ path }) => {
      const resource = path.replace(/\/\{(?!module).*|(?<=\/changes)\/.*/, "");
      return paths.find((parent) => resource.startsWith(`${parent}/`)) ?? resource;
    });
    const rows = [...resources].toSorted(([one], [other]) => (one < other ? -1 : 1));
    const lines = rows.map(([resource, calls]) => {
      const inOrder = calls.toSorted((one, other) => one.path.length - other.path.length);
      const methods = inOrder.map(({ method, path, need, summary }) => {
        const call = `${method} ${path.slice(resource.length)}`.trimEnd();
        return `\`${call}\` ${summary} (${need})`;
      });
      return `| \`${resource}\` | ${methods.join("<br>")} |\n`;
    });
    return `| **${area.name}** | |\n${lines.join("")}`;
  });
  return INTRODUCTION + sections.join("");
}
