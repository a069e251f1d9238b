import { readFile } from "node:fs/promises";
import { loadFactors } from "../../../src/actions/factors/load-factors.js";
import { REFERENCE_FOLDER } from "../../../src/paths.js";
import { type Bench, inTurn, medianOf, medianRatio } from "../bench.js";
import { type Call, loadFor, type Round } from "../load.js";
import type { Server } from "../server-process.js";
import { fillPeople, type Person } from "./people.js";

/** Largest numbers of records in a call, and of activities in a calculation. */
const [MAX_RECORDS, MAX_ITEMS] = [500, 100];

/** Fewer connections than usual: a call of 500 records takes as long as some hundred others. */
const CONNECTIONS = 8;

const rate = ({ requestsPerSecond }: Round) => requestsPerSecond;

const post = (path: string, { token }: Person, body: object): Call => ({
  method: "POST",
  path,
  headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}` },
  body: JSON.stringify(body),
});

const recordOf = (index: number) => ({
  recorded_on: `2026-0${1 + (index % 9)}-1${index % 10}`,
  scope: "scope_1",
  // Amounts similar enough not to be questioned.
  co2e_tonnes: 50 + (index % 400) / 8,
  category: "stationary_combustion",
});

/** A tenant's own factors, so that it has 10,000. */
const OWN_FACTORS = `INSERT INTO emission_factors (organization_id, activity, detail, region, scope, category, gas, factor, unit, dimension,
    qualifier, source, source_url, source_year, verified)
  SELECT $1, activity, detail || ' ' || copy, region, scope, category, gas, factor, unit, dimension, qualifier, 'Own figures', source_url,
    source_year, true
  FROM emission_factors CROSS JOIN generate_series(1, 3) AS copy
  WHERE organization_id IS NULL LIMIT 10000 - (SELECT count(*) FROM emission_factors)`;

/** Returns common searches on many days, so that no answer is cached. */
async function listSearches(): Promise<string[]> {
  const file = await readFile(new URL("../../rest/everyday-queries.csv", import.meta.url), "utf8");
  const queries = file.split("\n").flatMap((line) => /^([^,"]+),/.exec(line)?.[1] ?? []);
  const days = Array.from({ length: 20 }, (_, index) => `2026-03-${String(index + 1).padStart(2, "0")}`);
  return days.flatMap((on) =>
    queries.slice(1).map((q) => `/v1/emission-factors?${new URLSearchParams({ q, on })}`),
  );
}

/** Measures adding records, one by one and many at once, calculations, and searches. */
export async function records(bench: Bench): Promise<void> {
  const owners = await fillPeople(bench);
  await loadFactors(bench.database, REFERENCE_FOLDER);
  const ownerOf = (index: number) => owners[(index * 10) % owners.length] as Person;
  const single = Array.from({ length: 4_000 }, (_, index) =>
    post("/v1/emissions/records", ownerOf(index), recordOf(index)),
  );
  const many = Array.from({ length: 100 }, (_, index) =>
    post("/v1/emissions/records", ownerOf(index), {
      records: Array.from({ length: MAX_RECORDS }, (_, place) => recordOf(place)),
    }),
  );
  const calculations = Array.from({ length: 100 }, (_, index) =>
    post("/v1/calc/ghg", ownerOf(index), {
      items: Array.from({ length: MAX_ITEMS }, (_, place) => ({
        amount: 1 + place + index / 8,
        unit: "kWh (gross CV)",
        selector: { activity: "Natural gas", region: "UK", scope: "scope_1", year: 2025 },
      })),
    }),
  );
  await bench.sql.query(OWN_FACTORS, [bench.tenants[0]?.id]);
  const searches = (await listSearches()).map((path, index) => ({
    method: "GET" as const,
    path,
    headers: { Authorization: `Bearer ${(owners[index % 10] as Person).token}` },
  }));
  const alone = await bench.withServers(["gateway", "fastify"], async ({ gateway, fastify }) => {
    const [own = [], others = []] = await inRounds(bench, [
      [gateway, single],
      [fastify, single],
    ]);
    bench.report({
      case: "a record, audited, summed and announced",
      against: "fastify",
      target: { atLeast: 0.5 },
      measured: medianRatio(own, others, (a, b) => rate(a) / rate(b)),
      byCpu: medianRatio(own, others, (a, b) => b.cpuPerRequest / a.cpuPerRequest),
      gateway: `${Math.round(medianOf(own, rate))}/s`,
      other: `${Math.round(medianOf(others, rate))}/s`,
      figures: { gateway: own, other: others },
    });
    return own;
  });
  await bench.withServers(["gateway"], async ({ gateway }) => {
    const [together = [], calculated = [], searched = []] = await inRounds(bench, [
      [gateway, many],
      [gateway, calculations],
      [gateway, searches],
    ]);
    const perSecond = (rounds: readonly Round[], items: number) => items * medianOf(rounds, rate);
    bench.report(
      {
        case: "records, 500 in a call",
        against: "records one by one",
        target: { atLeast: 20 },
        measured: perSecond(together, MAX_RECORDS) / perSecond(alone, 1),
        gateway: `${Math.round(perSecond(together, MAX_RECORDS))} records/s`,
        other: `${Math.round(perSecond(alone, 1))} records/s`,
        figures: { together, alone },
      },
      {
        case: "calculations, 100 in a call",
        against: "",
        target: { atLeast: 500 },
        unit: "/s",
        measured: perSecond(calculated, MAX_ITEMS),
        gateway: `${medianOf(calculated, rate).toFixed(1)} calls/s`,
        figures: { calculated },
      },
      {
        case: "searches of 10,000 emission factors, CPU time of each",
        against: "",
        target: { atMost: 5 },
        unit: "ms",
        measured: medianOf(searched, ({ cpuPerRequest }) => cpuPerRequest / 1_000),
        gateway: `${Math.round(medianOf(searched, rate))}/s`,
        figures: { searched },
      },
    );
  });
}

/** Runs rounds of load in turns, after a warm-up round; returns the rounds of each. */
async function inRounds(bench: Bench, loads: readonly (readonly [Server, Call[]])[]): Promise<Round[][]> {
  const found = new Map(loads.map((load): [typeof load, Round[]] => [load, []]));
  for (let round = 0; round <= bench.rounds; round += 1) {
    for (const load of inTurn(loads, round)) {
      const [server, calls] = load;
      await bench.forgetLimits();
      const measured = await loadFor(server, calls, bench.seconds, CONNECTIONS);
      if (round > 0) found.get(load)?.push(measured);
    }
  }
  return [...found.values()];
}
