import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readOperatorTools } from "../../src/catalogue/tools/operator-documents.js";
import { createTools, requireUsable } from "../../src/catalogue/tools/tool.js";
import { OPERATIONS } from "../../src/generated/catalogue.js";
import { scopesOfDocument } from "../../src/graphql/schema/document-scopes.js";
import { createSchema } from "../../src/graphql/schema/schema.js";
import { SCHEMA_FILE } from "../../src/paths.js";
import { connectMcp } from "../support/mcp.js";
import { makeKey, makeOrganization, startGateway } from "../support/server.js";

const schema = createSchema(await readFile(SCHEMA_FILE, "utf8"));
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tools-"));
});
afterAll(() => rm(folder, { recursive: true }));

const write = (text: string) => writeFile(join(folder, "own.graphql"), text);
const read = () => readOperatorTools(folder, schema, scopesOfDocument);

const DIRECT = `"""Scope 1 emissions of the last 12 months."""
query directEmissions @tool(title: "Direct emissions") {
  emissions(filter: { scopes: [SCOPE_1] }) { from to totalCo2eTonnes }
}`;

describe("documents with @tool", () => {
  it("that ship are usable by a Free key, even with their largest lists", () => {
    for (const tool of createTools(schema, OPERATIONS, scopesOfDocument).values()) requireUsable(tool);
  });

  it("of an operator are listed and called like shipped ones", async () => {
    await write(DIRECT);
    const gateway = await startGateway({ env: { MCP_DOCUMENTS: folder } });
    const { key } = await makeKey(gateway.database, await makeOrganization(gateway.database));
    const { client, call } = await connectMcp(gateway, { "X-API-Key": key });
    const { tools } = await client.listTools();
    expect(tools.find(({ name }) => name === "direct_emissions")).toMatchObject({
      title: "Direct emissions",
    });
    expect((await call("direct_emissions")).structuredContent).toMatchObject({ total_co2e_tonnes: 0 });
    await client.close();
    await gateway.stop();
  });

  it.each([
    [DIRECT.replace("totalCo2eTonnes", "total"), /own\.graphql, line 3: Cannot query field "total"/],
    [DIRECT.replace("{ from", "{ from {"), /own\.graphql, line \d: /],
    [DIRECT.replace(/^.*\n/, ""), /directEmissions needs a name, a description/],
    [DIRECT.replace(/@tool\(.*\)/, '@rest(path: "/x")'), /own\.graphql: directEmissions needs @tool/],
    [
      `${DIRECT}\n${DIRECT.replace("directEmissions", "other").replace("(title", '(name: "direct_emissions", title')}`,
      /own\.graphql: other: own\.graphql already has a tool named direct_emissions/,
    ],
    [
      DIRECT.replace(/query.*/s, 'mutation x @tool(title: "x") { __typename }'),
      /"@tool" may not be used on MUTATION/,
    ],
    [
      DIRECT.replace(
        "totalCo2eTonnes",
        "facilities(first: 100) { nodes { trend { from byScope { scope } } } }",
      ),
      /at most 2500/,
    ],
    [
      DIRECT.replace(
        /query.*/s,
        `query many($items: [ActivityInput!]! @range(least: 1, most: 3000)) @tool(title: "x") {
          calculate(items: $items) { results { calculation { co2eTonnes } } }
        }`,
      ),
      /at most 2500/,
    ],
  ])("of an operator stop the start if they are not usable, with file and reason", async (text, reason) => {
    await write(text);
    await expect(read()).rejects.toThrow(reason);
  });

  it("of an operator stop the start if they cannot be read, with file and reason", async () => {
    await write(DIRECT);
    await mkdir(join(folder, "other.graphql"));
    await expect(read()).rejects.toThrow(/^MCP_DOCUMENTS: other\.graphql: EISDIR/);
  });
});
