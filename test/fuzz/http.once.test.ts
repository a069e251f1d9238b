import { describe, expect, it } from "vitest";
import { use } from "../support/use.js";
import { fuzz, TIME_LIMIT } from "./fuzz.js";
import { startFuzzedGateway } from "./gateway.js";
import { httpCase, toWire } from "./http-requests.js";

const gateway = use(startFuzzedGateway);

describe("any bytes on a connection", () => {
  it(
    "are answered below 500, in the form of their surface, and do no harm",
    async (context) => {
      const outcomes = await fuzz("http", context, httpCase, async (input) => {
        const answers = await gateway.send(toWire(input, await gateway.key()));
        return answers.length > 0 ? answers.map(({ status }) => status) : ["closed"];
      });
      expect(Object.keys(outcomes)).toEqual(expect.arrayContaining(["200", "400", "401", "404", "405"]));
      await gateway.requireHealth();
    },
    TIME_LIMIT,
  );
});
