import { beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import type { Snapshot } from "../../src/data/database/types.js";
import { importCsv, saveCsv } from "../support/importing.js";
import { signUp } from "../support/people.js";
import { type Gateway, makeKey, makeOrganization, startGateway } from "../support/server.js";
import { useFolder, useGateway } from "../support/use.js";

const ROWS = 20_000;
const EXPORT = "/v1/emissions/records/export";

let slug: string;
const folder = useFolder();

const gateway = useGateway();
beforeAll(async () => {
  slug = await makeOrganization(gateway.database);
  const rows = Array.from({ length: ROWS }, (_, n) => `2026-03-0${1 + (n % 9)},scope_1,1,R-${n}\n`);
  const file = await saveCsv(folder, `recorded_on,scope,co2e_tonnes,reference\n${rows.join("")}`);
  await importCsv(gateway.database, file, slug);
});

const ask = (key: string, { url }: Pick<Gateway, "url"> = gateway) =>
  fetch(url + EXPORT, { headers: { "X-API-Key": key } });

/** Starts a gateway whose exports call `change` after their first rows. */
const startChanged = (change: () => Promise<void>) =>
  startGateway({
    database: {
      ...gateway.database,
      async openSnapshot(): Promise<Snapshot> {
        const snapshot = await gateway.database.openSnapshot();
        return {
          ...snapshot,
          async *stream(...statement) {
            let isFirst = true;
            for await (const rows of snapshot.stream(...statement)) {
              yield rows;
              if (isFirst) await change();
              isFirst = false;
            }
          },
        };
      },
    },
  });

/** Starts an export that pauses after its first rows until `go` is called. */
async function holdExport(key: string) {
  let go = () => {};
  const gate = new Promise<void>((resolve) => {
    go = resolve;
  });
  const held = await startChanged(() => gate);
  onTestFinished(() => held.stop());
  const first = await ask(key, held);
  expect(first.status).toBe(200);
  return { first, go };
}

describe("an export on a server", () => {
  it("shows one state of the data, whatever is written in the meantime", async () => {
    const { key } = await makeKey(gateway.database, slug);
    const { database } = gateway;
    const { id: organizationId } = await database.prisma.organization.findUniqueOrThrow({ where: { slug } });
    const changed = await startChanged(async () => {
      await database.prisma.emissionRecord.updateMany({
        where: { organizationId },
        data: { category: "later" },
      });
    });
    const text = await (await ask(key, changed)).text();
    expect(text.trimEnd().split("\n")).toHaveLength(1 + ROWS);
    expect(text).not.toContain("later");
    expect(await (await ask(key)).text()).toContain("later");
    await changed.stop();
  });

  it("breaks off noticeably if it fails after its first rows", async () => {
    const { key } = await makeKey(gateway.database, slug);
    const failing = await startChanged(() => Promise.reject(new Error("the disk is gone")));
    const answer = await ask(key, failing);
    expect(answer.status).toBe(200);
    await expect(answer.text()).rejects.toThrow("terminated");
    // It has freed its place.
    const next = await ask(key);
    expect([next.status, await next.text()]).toEqual([200, expect.any(String)]);
    await failing.stop();
  });

  it("runs once at a time per organization, over all processes", async () => {
    const { key } = await makeKey(gateway.database, slug);
    const { first, go } = await holdExport(key);
    const second = await ask(key);
    expect([second.status, second.headers.get("retry-after")]).toEqual([429, "5"]);
    go();
    expect((await first.text()).trimEnd().split("\n")).toHaveLength(1 + ROWS);
    const next = await ask(key);
    expect([next.status, await next.text()]).toEqual([200, expect.any(String)]);
  });

  it("does not block changes of the organization's credits", async () => {
    const { key } = await makeKey(gateway.database, slug);
    const owner = await signUp(gateway, { organization: slug });
    const { first, go } = await holdExport(key);
    let status = 0;
    const json = { reference: "B-1", credit_type: "REC", quantity: 5 };
    const issuing = owner.call("/v1/credits/batches", { json }).then((answer) => {
      status = answer.status;
    });
    onTestFinished(async () => {
      go();
      await Promise.all([first.text(), issuing]);
    });
    await vi.waitFor(() => expect(status).toBe(201), 60_000);
  });

  it("ends when its key is revoked", async () => {
    const { id, key } = await makeKey(gateway.database, slug);
    const { prisma } = gateway.database;
    const changed = await startChanged(async () => {
      await prisma.apiKey.update({ where: { id }, data: { revokedAt: new Date(0) } });
      // Rights are read again after a second.
      const now = performance.now.bind(performance);
      const moved = vi.spyOn(performance, "now").mockImplementation(() => now() + 2_000);
      onTestFinished(() => moved.mockRestore());
    });
    await expect(ask(key, changed).then((answer) => answer.text())).rejects.toThrow("terminated");
    await changed.stop();
  });
});
