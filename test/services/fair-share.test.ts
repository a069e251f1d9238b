import { describe, expect, it } from "vitest";
import { newTenant } from "../graphql/tenant.js";
import { addBatch, addRecord } from "../support/fixtures.js";
import { withClient } from "../support/pg-client.js";
import { recordStatements } from "../support/statements.js";
import { useGateway } from "../support/use.js";

const gateway = useGateway();

/** Runs `work` while all reads of batches wait; `free` lets them continue. */
function withHeldBatches<T>(work: (free: () => Promise<unknown>) => Promise<T>): Promise<T> {
  return withClient(gateway.database.url ?? "", async (client) => {
    await client.query("BEGIN; LOCK TABLE credit_batches IN ACCESS EXCLUSIVE MODE");
    return work(() => client.query("ROLLBACK"));
  });
}

type Tenant = Awaited<ReturnType<typeof newTenant>>;
const QUESTIONS = 30;
const askMuch = ({ ask }: Tenant) =>
  Promise.all(
    Array.from({ length: QUESTIONS }, (_, index) =>
      ask(`{ credits { batches(first: ${index + 1}) { nodes { id } } } }`),
    ),
  );
const used = () => gateway.database.connections()?.used;

describe("a tenant with slow statements", () => {
  it("uses at most half of the connections, and others are served in the meantime", async () => {
    const [greedy, modest] = [await newTenant(gateway), await newTenant(gateway)];
    await addBatch(gateway.database, greedy.slug);
    await addRecord(gateway.database, modest.slug);
    const answers = await withHeldBatches(async (free) => {
      const asked = askMuch(greedy);
      await expect.poll(used).toBe(5);
      for (let first = 1; first <= 20; first += 1) {
        const { emissions } = await modest.dataOf(
          `{ emissions { records(first: ${first}) { totalCount } } }`,
        );
        expect(emissions.records.totalCount).toBe(1);
      }
      expect(used()).toBe(5);
      await free();
      return asked;
    });
    const found = answers.map(({ body }) => body.data.credits.batches.nodes.length);
    expect(found).toEqual(answers.map(() => 1));
  });

  it("loses the statements that get no turn within their request's time limit", async () => {
    const greedy = await newTenant(gateway);
    await greedy.dataOf("{ organization { slug } }");
    const { statements } = await recordStatements(() =>
      withHeldBatches(async (free) => {
        const answers = await askMuch(greedy);
        expect(answers.map(({ body }) => body.data.credits)).toEqual(answers.map(() => null));
        expect(answers.map(({ headers }) => headers.get("retry-after"))).toEqual(answers.map(() => "2"));
        await free();
        await expect.poll(used).toBe(0);
      }),
    );
    expect(statements.filter(({ text }) => text.includes("FROM credit_batches"))).toHaveLength(5);
    const { credits } = await greedy.dataOf("{ credits { batches { nodes { id } } } }");
    expect(credits.batches.nodes).toEqual([]);
  });
});
