import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSchema } from "../../src/graphql/server/schema.js";
import { SCHEMA_FILE } from "../../src/paths.js";
import { casesOf, fuzz, TIME_LIMIT } from "./fuzz.js";
import { type FuzzedGateway, startFuzzedGateway } from "./gateway.js";
import { graphqlCases, toWire } from "./graphql-requests.js";

let gateway: FuzzedGateway;
beforeAll(async () => {
  gateway = await startFuzzedGateway();
});
afterAll(() => gateway.stop());

describe("whatever is asked of the graph", () => {
  it(
    "is answered in GraphQL's form, well below 500, with nothing of anybody else's",
    async (context) => {
      const schema = createSchema(await readFile(SCHEMA_FILE, "utf8"));
      const outcomes = await fuzz("graphql", context, graphqlCases(schema, gateway.stolen), async (input) => {
        const [answer] = await gateway.send(toWire(input, await gateway.key()));
        if (!answer) throw new Error("no answer");
        const isWithData = answer.status === 200 && answer.body.startsWith('{"data":{');
        return isWithData ? [200, "with data"] : [answer.status];
      });
      // Rubbish that never gets as far as a resolver would prove little.
      expect(outcomes["with data"]).toBeGreaterThan(casesOf("graphql") / 10);
      await gateway.requireHealth();
    },
    TIME_LIMIT,
  );
});
