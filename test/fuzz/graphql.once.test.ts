import { readFile } from "node:fs/promises";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createSchema } from "../../src/graphql/schema/schema.js";
import { SCHEMA_FILE } from "../../src/paths.js";
import { use } from "../support/use.js";
import { addCallers, CALLERS } from "./callers.js";
import { casesOf, fuzz, TIME_LIMIT } from "./fuzz.js";
import { startFuzzedGateway } from "./gateway.js";
import { graphqlCases, toWire } from "./graphql-requests.js";

const gateway = use(() => startFuzzedGateway({ PUBLIC_URL: "https://gateway.example" }));
const callers = use(() => addCallers(gateway));

describe("any GraphQL request", () => {
  it(
    "is answered in GraphQL's form, below 500, without anyone else's data",
    async (context) => {
      const schema = createSchema(await readFile(SCHEMA_FILE, "utf8"));
      const known = [...gateway.stolen, ...callers.ids, ...callers.emails];
      const cases = fc.record({
        input: graphqlCases(schema, known),
        caller: fc.constantFrom(...CALLERS, "key", "key", "key"),
      });
      const outcomes = await fuzz("graphql", context, cases, async ({ input, caller }) => {
        const [answer] = await gateway.send(toWire(input, await callers.credentialOf(caller)));
        if (!answer) throw new Error("no answer");
        const isWithData = answer.status === 200 && answer.body.startsWith('{"data":{');
        return isWithData ? [200, "with data"] : [answer.status];
      });
      // Requests that never reach a resolver would prove little.
      expect(outcomes["with data"]).toBeGreaterThan(casesOf("graphql") / 10);
      await gateway.requireHealth();
      await callers.requireOwnTrail();
    },
    TIME_LIMIT,
  );
});
