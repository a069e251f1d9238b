import { loadFactors } from "../../../src/actions/factors/load-factors.js";
import { REFERENCE_FOLDER } from "../../../src/paths.js";
import { type Bench, inTurn, medianOf, medianRatio } from "../bench.js";
import { type Call, loadFor, type Round } from "../load.js";
import type { Server } from "../server-process.js";
import { fillPeople, type Person } from "./people.js";

/** Records in one call, and activities in one calculation. */
const [MOST_RECORDS, MOST_ITEMS] = [500, 100];

/** A call of 500 records takes as long as some hundred others. */
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
  co2e_tonnes: (index % 1_000) / 8,
  category: "stationary_combustion",
});

/** Records that people add, one by one and many at once, and calculations. */
export async function records(bench: Bench): Promise<void> {
  const owners = await fillPeople(bench);
  await loadFactors(bench.database, REFERENCE_FOLDER);
  const ownerOf = (index: number) => owners[(index * 10) % owners.length] as Person;
  const single = Array.from({ length: 4_000 }, (_, index) =>
    post("/v1/emissions/records", ownerOf(index), recordOf(index)),
  );
  const many = Array.from({ length: 100 }, (_, index) =>
    post("/v1/emissions/records", ownerOf(index), {
      records: Array.from({ length: MOST_RECORDS }, (_, place) => recordOf(place)),
    }),
  );
  const calculations = Array.from({ length: 100 }, (_, index) =>
    post("/v1/calc/ghg", ownerOf(index), {
      items: Array.from({ length: MOST_ITEMS }, (_, place) => ({
        amount: 1 + place + index / 8,
        unit: "kWh (gross CV)",
        selector: { activity: "Natural gas", region: "UK", scope: "scope_1", year: 2025 },
      })),
    }),
  );
  const alone = await bench.withServers(["gateway", "fastify"], async ({ gateway, fastify }) => {
    const [own, others] = await inRounds(bench, [
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
    const [together, calculated] = await inRounds(bench, [
      [gateway, many],
      [gateway, calculations],
    ]);
    const perSecond = (rounds: readonly Round[], items: number) => items * medianOf(rounds, rate);
    bench.report(
      {
        case: "records, 500 in a call",
        against: "records one by one",
        target: { atLeast: 20 },
        measured: perSecond(together, MOST_RECORDS) / perSecond(alone, 1),
        gateway: `${Math.round(perSecond(together, MOST_RECORDS))} records/s`,
        other: `${Math.round(perSecond(alone, 1))} records/s`,
        figures: { together, alone },
      },
      {
        case: "calculations, 100 in a call",
        against: "",
        target: { atLeast: 500 },
        unit: "/s",
        measured: perSecond(calculated, MOST_ITEMS),
        gateway: `${medianOf(calculated, rate).toFixed(1)} calls/s`,
        figures: { calculated },
      },
    );
  });
}

/** Rounds of load in turns, after one that is not counted; the rounds of each. */
async function inRounds(
  bench: Bench,
  loads: readonly [readonly [Server, Call[]], readonly [Server, Call[]]],
): Promise<[Round[], Round[]]> {
  const found = new Map<(typeof loads)[number], Round[]>(loads.map((load) => [load, []]));
  for (let round = 0; round <= bench.rounds; round += 1) {
    for (const load of inTurn(loads, round)) {
      const [server, calls] = load;
      await bench.forgetLimits();
      const measured = await loadFor(server, calls, bench.seconds, CONNECTIONS);
      if (round > 0) found.get(load)?.push(measured);
    }
  }
  const [one = [], other = []] = [...found.values()];
  return [one, other];
}
