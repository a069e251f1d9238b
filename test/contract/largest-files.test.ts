import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { z } from "zod";
import { loadFactors } from "../../src/actions/factors/load-factors.js";
import { groupActivities } from "../../src/actions/imports/activities/groups.js";
import { matchActivities } from "../../src/actions/imports/activities/match-activities.js";
import { HEAD_BYTES } from "../../src/files/csv/guess/head.js";
import { REFERENCE_FOLDER } from "../../src/paths.js";
import { isComputed, isDownload, isUpload } from "../../src/rest/endpoint.js";
import { requireShortBlocks } from "../support/longest-block.js";
import { signUp, type TestPerson } from "../support/people.js";
import { withClient } from "../support/pg-client.js";
import { type Envelope, type Gateway, startGateway } from "../support/server.js";
import { listV1 } from "../support/v1.js";

const PATIENCE = { timeout: 120_000, interval: 20 };
/** Threads have a low priority, so a busy machine makes them wait. */
const TIME_LIMIT = 900_000;
const RECORDS = 20_000;
const isServer = inject("template").kind === "postgres";

let gateway: Gateway;
let neighbour: TestPerson;
beforeAll(async () => {
  gateway = await startGateway({ env: { SESSION_REQUESTS_PER_HOUR: "999999999" } });
  await loadFactors(gateway.database, REFERENCE_FOLDER);
  neighbour = await signUp(gateway);
}, TIME_LIMIT);
afterAll(() => gateway.stop());

const importOf = (person: TestPerson, body: string, query = "", signal?: AbortSignal) =>
  person.call<Envelope>(`/v1/emissions/import${query}`, {
    method: "POST",
    body,
    headers: { "Content-Type": "text/csv" },
    ...(signal && { signal }),
  });

const MISSPELT =
  "electrcity naturl gass diesl transprt freigt heatng wateer supplly hotl staay flght passengr vehicl petrl industral machinry steeel cemnt wasste";
const HEADER = "recorded_on,amount,unit,activity,region";
const fileOf = (texts: readonly string[], header = HEADER) =>
  [header, ...texts.map((text) => `2026-01-31,1,kWh,${text},DE`), ""].join("\n");
/** 350 kB of 2,000 different texts of 20 words, of which each is misspelt. */
const costly = fileOf(Array.from({ length: 2_000 }, (_, n) => `${MISSPELT} ${n}`.replace("wasste ", "")));

describe("files with activities that take long to match", () => {
  it(
    "leave other organizations their turn",
    async () => {
      const [first, second, third, other] = await Promise.all(
        Array.from({ length: 4 }, () => signUp(gateway)),
      );
      if (!first || !second || !third || !other) throw new Error("somebody is missing");
      const leaving = new AbortController();
      const finished: string[] = [];
      const running = Object.entries({ first, second, third }).map(([name, person]) =>
        importOf(person, costly, "?dry_run=true", leaving.signal).then(
          () => void finished.push(name),
          (error: Error) => expect(error.name).toBe("AbortError"),
        ),
      );
      const isBusy = async (person: TestPerson) => (await importOf(person, `${HEADER}\n`)).status === 409;
      for (const person of [first, second, third])
        await expect.poll(() => isBusy(person), PATIENCE).toBe(true);

      const { status, body } = await importOf(other, fileOf(["Strom", "natural gas"]), "?skip_errors=true");
      expect([status, (body.data as { rows: number }).rows]).toEqual([200, 2]);
      expect(finished).toEqual([]);

      leaving.abort();
      await Promise.all(running);
      for (const person of [first, second, third])
        await expect.poll(() => isBusy(person), PATIENCE).toBe(false);
    },
    TIME_LIMIT,
  );

  it("are searched for the first 20 words of a text, and say so", async () => {
    const person = await signUp(gateway);
    const { body } = await importOf(person, fileOf([`Strom ${MISSPELT}`]), "?dry_run=true");
    const { items } = (body.data as { activities: { items: object[] } }).activities;
    expect(items).toMatchObject([
      {
        status: "unresolved",
        problem: {
          expected: "at most 20 words to search for",
          got: "21 words, of which only the first 20 were searched for",
        },
      },
    ]);
  });

  it("keep what was matched when their CPU time is used up", async () => {
    const { organization } = await signUp(gateway);
    const activity = {
      unit: "kWh",
      region: "DE",
      facility: null,
      rows: 1,
      firstLines: [2],
      firstYear: 2026,
      lastYear: 2026,
    };
    const naming = { factor_id: "", source_factor_id: "", gas: "", detail: "" };
    const texts = Array.from({ length: 60 }, (_, n) => `${MISSPELT} ${n}`);
    const groups = groupActivities(
      texts.map((text) => ({ ...activity, firstLines: [2], naming: { ...naming, activity: text } })),
      () => null,
    );
    const matched = await matchActivities(
      {
        sql: { query: (text, values = []) => gateway.database.select(text, values) },
        organizationId: organization.id,
        signal: new AbortController().signal,
        maxCpuMs: 1,
      },
      groups,
    );
    expect(matched.map(({ group }) => group.naming.activity)).toEqual(texts);
    expect(matched[0]?.candidates).not.toEqual([]);
    expect(matched.at(-1)).toMatchObject({
      by: null,
      candidates: [],
      problem: {
        expected: "a file whose activities can be matched within 0.001 seconds of CPU time",
        got: "more activities, of which this one was not searched for: map it to a factor, or split the file",
      },
    });
  });
});

// The embedded database runs in this process, so its statements block everyone.
describe.skipIf(!isServer)("the event loop is free at least every 50 ms", () => {
  /** Runs `work` while another organization asks for its emissions again and again. */
  async function withNeighbour(work: () => Promise<{ readonly status: number }>): Promise<void> {
    let isOver = false;
    const asking = (async () => {
      while (!isOver) expect((await neighbour.call("/v1/emissions/records")).status).toBe(200);
    })();
    const working = work().finally(() => {
      isOver = true;
    });
    const [{ status }] = await Promise.all([working, asking]);
    expect(status).toBe(200);
  }

  /** Sends a request and drops the answer, which this process must not parse. */
  async function load(person: TestPerson, path: string, init: RequestInit = {}) {
    const headers = { Authorization: `Bearer ${person.session.token}`, "Content-Type": "text/csv" };
    const answer = await fetch(gateway.url + path, { ...init, headers });
    for await (const _ of answer.body ?? []);
    return answer;
  }

  let person: TestPerson;
  beforeAll(async () => {
    person = await signUp(gateway);
    const policy = { from_year: 2026, approach: "operational_control", scopes: ["scope_1", "scope_2"] };
    await person.call("/v1/inventory/policy", { method: "PUT", json: policy });
    await withClient(gateway.database.url, (client) =>
      client.query(
        `INSERT INTO emission_records (organization_id, id, recorded_on, scope, co2e_tonnes, category, source, reference, note)
         SELECT $1, gen_random_uuid(), date '2026-01-01' + n % 300, 'scope_1', n / 1000.0, 'category ' || n % 50,
           'source ' || n % 7, 'reference ' || n, 'note ' || n FROM generate_series(1, $2::int) AS n`,
        [person.organization.id, RECORDS],
      ),
    );
  }, TIME_LIMIT);

  it(
    "while every kind of file arrives",
    async () => {
      const rows = (count: number, row: (n: number) => string) =>
        Array.from({ length: count }, (_, n) => row(n)).join("\n");
      const [tonnes, activities] = [
        `recorded_on,scope,co2e_tonnes,category\n${rows(20_000, (n) => `2026-03-11,scope_1,${n}.5,category ${n % 50}`)}`,
        fileOf(Array.from({ length: 100 }, (_, n) => `heizung motor strom ${n} diesel gas transport`)),
      ];
      const files = [tonnes, activities, `${HEADER}\n${rows(2_000, (n) => `2026-01-31,${n},kWh,Strom,DE`)}`];
      const uploads = (await listV1()).filter(isUpload);
      expect(uploads.length).toBeGreaterThan(1);
      for (const { path, isRead } of uploads) {
        const at = `/v1${path.replace("{module}", "emissions")}`;
        for (const file of files) {
          const body = isRead ? file.slice(0, HEAD_BYTES) : file;
          const query = isRead ? "" : "?dry_run=true";
          await requireShortBlocks(() =>
            withNeighbour(() => load(person, at + query, { method: "POST", body })),
          );
        }
      }
    },
    TIME_LIMIT,
  );

  it(
    "while every file is sent",
    async () => {
      const downloads = (await listV1()).filter((one) => isDownload(one) || isComputed(one));
      const paths = downloads.flatMap(({ path, input }) => {
        const { properties = {} } = z.toJSONSchema(input.query ?? z.object(), { io: "input" });
        const choices = (name: string): string[] => {
          const { [name]: given } = properties as Readonly<Record<string, { readonly enum?: string[] }>>;
          return given?.enum?.map((value) => `${name}=${value}`) ?? [""];
        };
        return choices("format").flatMap((format) =>
          choices("columns").map((columns) => `${path.replace("{year}", "2026")}?${format}&${columns}`),
        );
      });
      expect(paths.length).toBeGreaterThan(downloads.length);
      for (const path of paths)
        await requireShortBlocks(() => withNeighbour(() => load(person, `/v1${path}`)));
    },
    TIME_LIMIT,
  );
});
