import { describe, expect, it } from "vitest";
import type { GatewayEvent } from "../../src/data/events/to-event.js";
import { openEventStream } from "../support/event-stream.js";
import { type Envelope, type Gateway, makeKey, makeOrganization, startGateway } from "../support/server.js";
import { useDatabase } from "../support/use.js";

const [WRITERS, ROUNDS, RESTARTS] = [8, 60, 4];

const database = useDatabase();

describe("events while writers write, some roll back, and the gateway restarts", () => {
  it("are the same in the list and in a stream that continues after its last id", async () => {
    const slug = await makeOrganization(database);
    const { id } = await database.prisma.organization.findUniqueOrThrow({ where: { slug } });
    const { key } = await makeKey(database, slug, { tier: "enterprise", scopes: ["read:emissions"] });
    const headers = { "X-API-Key": key };
    const run = (sql: string) => database.transaction(({ script }) => script(sql));
    await run(`INSERT INTO facilities (organization_id, code, name)
      SELECT '${id}', 'F' || i, 'Plant' FROM generate_series(1, ${WRITERS}) AS i`);
    const list = async (gateway: Gateway, query: string) => {
      const { body } = await gateway.call<Envelope>(`/v1/events?${query}`, { headers });
      return body.data as { items: GatewayEvent[]; next_cursor: string; has_more: boolean };
    };
    let gateway = await startGateway({ database });
    const { next_cursor: start } = await list(gateway, "limit=1000");

    let commits = 0;
    const write = async (writer: number) => {
      for (let round = 0; round < ROUNDS; round += 1) {
        // Transactions end in a different order than they began; every seventh rolls back.
        await run(`UPDATE facilities SET name = 'Plant ${round}' WHERE organization_id = '${id}' AND code = 'F${writer}';
          SELECT pg_sleep(random() * 0.05), 1 / ${(writer + round) % 7}`).then(
          () => {
            commits += 1;
          },
          () => undefined,
        );
      }
    };
    const writing = Promise.all(Array.from({ length: WRITERS }, (_, index) => write(index + 1)));
    const received: string[] = [];
    let last = start;
    const follow = async (until: () => boolean) => {
      const stream = await openEventStream(`${gateway.url}/v1/events/stream`, {
        headers: { ...headers, "Last-Event-ID": last },
      });
      for (let frame = await stream.next(); frame !== null; frame = await stream.next()) {
        last = frame.id ?? last;
        if (frame.data) received.push((JSON.parse(frame.data) as GatewayEvent).id);
        if (until()) break;
      }
      stream.close();
    };
    for (let restart = 1; restart <= RESTARTS; restart += 1) {
      const following = follow(() => false);
      const wanted = received.length + 20;
      await expect.poll(() => received.length).toBeGreaterThanOrEqual(wanted);
      // The stream ends with its gateway; the next one replays the events in between.
      await gateway.stop();
      await following;
      gateway = await startGateway({ database });
    }
    await writing;
    await follow(() => received.length >= commits);

    const listed: string[] = [];
    for (let page = await list(gateway, `limit=7&after=${start}`); ; ) {
      listed.push(...page.items.map((event) => event.id));
      if (!page.has_more) break;
      page = await list(gateway, `limit=7&after=${page.next_cursor}`);
    }
    expect([listed.length, new Set(listed).size]).toEqual([commits, commits]);
    expect(received).toEqual(listed);
    await gateway.stop();
  });
});
