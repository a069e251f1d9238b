import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { loadFiles } from "../../src/actions/bundle/load.js";
import { loadSample } from "../../src/actions/bundle/sample.js";
import { loadFactors } from "../../src/actions/factors/load-factors.js";
import { exportOrganization, importOrganization } from "../../src/actions/leaving/move-organization.js";
import { verifyIntegrity } from "../../src/actions/verify-integrity.js";
import { PLATFORM_CHAIN } from "../../src/data/audit/chain.js";
import { verifyChain } from "../../src/data/audit/verify-chain.js";
import type { Database } from "../../src/data/database/types.js";
import { REFERENCE_FOLDER, SAMPLE_FOLDER } from "../../src/paths.js";
import { addTenantData } from "../support/fixtures.js";
import { addMember, signIn, signUp } from "../support/people.js";
import { temporaryFolder } from "../support/process.js";
import { type Gateway, makeKey, NOW, startGateway } from "../support/server.js";
import { fillTables } from "../support/table-rows.js";
import { listV1 } from "../support/v1.js";
import { verify } from "../support/verification.js";

async function start(): Promise<Gateway> {
  const gateway = await startGateway();
  onTestFinished(() => gateway.stop());
  await loadFactors(gateway.database, REFERENCE_FOLDER);
  return gateway;
}

/** Starts a gateway with the sample organization, its people, a certificate, and a row in each table. */
async function startSource() {
  const gateway = await start();
  await loadSample(gateway.database, SAMPLE_FOLDER, NOW);
  const owner = await signUp(gateway, { organization: "demo", email: "olga@example.org", name: "Olga Owner" });
  const ada = await addMember(gateway, "demo", "admin", { email: "ada@example.org", name: "Ada Admin" });
  const vera = await signUp(gateway, { email: "vera@example.org", name: "Vera Verifier" });
  await verify(ada, vera);
  await fillTables(gateway.database, owner.organization.id);
  return { gateway, owner, ada, vera, id: owner.organization.id };
}

async function exportDemo({ database }: Gateway): Promise<string> {
  const path = join(temporaryFolder(), "demo.jsonl");
  const signal = new AbortController().signal;
  await exportOrganization(database, { slug: "demo", path, gateway: "2.0.0", now: NOW, signal });
  return path;
}

const importTo = ({ database }: Gateway, path: string) =>
  importOrganization(database, { path, now: NOW, signal: new AbortController().signal });

/** Endpoints whose answers are about accounts, credentials or deliveries, or about other organizations. */
const OTHER = /^\/(events)/;

async function readAnswers(gateway: Gateway, user: { id: string; email: string; name: string }) {
  const { prisma } = gateway.database;
  const organization = await prisma.organization.findUniqueOrThrow({ where: { slug: "demo" } });
  const { key } = await makeKey(gateway.database, "demo", { name: "reader" });
  const person = await signIn(gateway, user, organization);
  const answers: Record<string, unknown> = {};
  for (const path of ["/emissions", "/compliance", "/credits", "/benchmarks", "/market"])
    answers[path] = JSON.stringify((await gateway.rest(path, key)).body.data);
  for (const { method, path } of await listV1())
    if (method === "GET" && !path.includes("{") && !OTHER.test(path))
      console.log(path), answers[path] = JSON.stringify((await person.call(`/v1${path}`)).body.data);
  return answers;
}

async function expectIntegrity(database: Database) {
  expect(await verifyIntegrity(database, false)).toMatchObject({ differences: 0, changes: { differences: 0 }, balances: { differences: 0 } });
  const heads = await database.select<{ organization: string | null }>("SELECT nullif(chain, $1) AS organization FROM audit_heads", [PLATFORM_CHAIN]);
  for (const { organization } of heads) expect(await verifyChain(database, organization)).toMatchObject({ ok: true });
}

describe("organizations export and import", () => {
  it("move an organization to an empty gateway, and to one with others", async () => {
    const source = await startSource();
    const path = await exportDemo(source.gateway);
    const before = await readAnswers(source.gateway, source.owner.user);
    for (const isUsed of [false, true]) {
      const target = await start();
      await loadFiles(target.database, [join(SAMPLE_FOLDER, "reference.json")], NOW);
      if (isUsed) await addTenantData(target.database, { name: "Other", digits: 7, framework: "CDP" } as never);
      if (isUsed) await signUp(target, { email: "ADA@example.org", name: "Another Ada" });
      const imported = await importTo(target, path);
      console.log(imported);
      const after = await readAnswers(target, source.owner.user);
      for (const [name, text] of Object.entries(before)) if (after[name] !== text) console.log(isUsed, name, String(text).slice(0, 300), "\n  ->", String(after[name]).slice(0, 300));
      await expectIntegrity(target.database);
    }
    await readFile(path); await writeFile(path, "");
  });
});
