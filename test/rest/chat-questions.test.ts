import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ask } from "../support/chat.js";
import { addFacility, addRecord } from "../support/fixtures.js";
import { signUp, type TestPerson } from "../support/people.js";
import { type Gateway, startSampleGateway } from "../support/server.js";

let gateway: Gateway;
const people: TestPerson[] = [];
beforeAll(async () => {
  ({ gateway } = await startSampleGateway());
  // Three people, as each may ask only 60 questions an hour.
  for (let number = 0; number < 3; number += 1) people.push(await signUp(gateway, { organization: "demo" }));
});
afterAll(() => gateway.stop());

let count = 0;
const question = (message: string, module = "emissions") => {
  count += 1;
  return ask(people[count % 3] as TestPerson, message, { module });
};

/** Computes a value from the sample's records in SQL, independently of the graph. */
async function sql(expression: string): Promise<number> {
  const [row] = await gateway.database.select<{ value: number }>(
    `WITH r AS (
       SELECT r.*, f.code, f.country FROM emission_records AS r
       JOIN organizations AS o ON o.id = r.organization_id AND o.slug = 'demo'
       LEFT JOIN facilities AS f ON f.organization_id = r.organization_id AND f.id = r.facility_id
       WHERE r.deleted_at IS NULL
     ) SELECT (${expression})::float8 AS value`,
    [],
  );
  return row?.value ?? Number.NaN;
}

/** Emissions that match a condition. */
const sum = (condition = "true") => `SELECT coalesce(sum(co2e_tonnes), 0) FROM r WHERE ${condition}`;
const on = (from: string, to: string, condition = "true") =>
  `recorded_on BETWEEN '${from}' AND '${to}' AND ${condition}`;
const in2025 = (condition = "true") => on("2025-01-01", "2025-12-31", condition);
/** The 12 months to 20 November 2026. */
const inYear = (condition = "true") => on("2025-11-21", "2026-11-20", condition);
/** Complete months of 2026; `inSame` has the same months of 2025. */
const inThis = (condition = "true") => on("2026-01-01", "2026-10-31", condition);
const inSame = (condition = "true") => on("2025-01-01", "2025-10-31", condition);
const change = (after: string, before: string) => `(${sum(after)}) - (${sum(before)})`;
const share = (part: string, whole: string) => `100 * (${sum(part)}) / (${sum(whole)})`;
/** Monthly totals from November 2025 to October 2026. */
const months = (condition = "true") =>
  `(SELECT sum(co2e_tonnes) AS t FROM r WHERE ${on("2025-11-01", "2026-10-31", condition)} GROUP BY date_trunc('month', recorded_on)) AS m`;
const at = (code: string) => `code = '${code}'`;
const scope = (number: number) => `scope = 'scope_${number}'`;
const category = (name: string) => `category = '${name}'`;

/** Everyday questions, each with the first figures of its answer as SQL. */
const ANSWERED: readonly (readonly [message: string, ...values: string[]])[] = [
  ["What's our total carbon footprint?", sum(inYear())],
  ["how much co2 did we emit last year", sum(in2025())],
  ["How much have we emitted so far this year?", sum(on("2026-01-01", "2026-11-20"))],
  ["Emissions in March 2025", sum(on("2025-03-01", "2025-03-31"))],
  ["What were our GHG emissions in Q2?", sum(on("2026-04-01", "2026-06-30"))],
  ["emissions from July 2024 to the beginning of 2025", sum(on("2024-07-01", "2024-12-31"))],
  ["What did we emit last month?", sum(on("2026-10-01", "2026-10-31"))],
  ["tonnes of CO2e in October last year", sum(on("2025-10-01", "2025-10-31"))],
  ["Our greenhouse gas emissions in the first half of 2026", sum(on("2026-01-01", "2026-06-30"))],
  ["Compare this year with last year", sum(inThis()), sum(inSame()), change(inThis(), inSame())],
  ["how does this year compare to last year?", sum(inThis()), sum(inSame())],
  ["Did we emit more than last year?", sum(inThis()), sum(inSame())],
  ["Have our emissions gone down compared with 2025?", sum(inThis()), sum(inSame())],
  [
    "Are our emissions going up or down?",
    sum(on("2025-11-01", "2026-10-31")),
    sum(on("2024-11-01", "2025-10-31")),
  ],
  ["Q3 vs Q3 last year", sum(on("2026-07-01", "2026-09-30")), sum(on("2025-07-01", "2025-09-30"))],
  ["compare 2025 with 2024", sum(on("2025-11-01", "2025-12-31")), sum(on("2024-11-01", "2024-12-31"))],
  [
    "How did India develop compared to last year?",
    sum(inThis("country = 'IN'")),
    sum(inSame("country = 'IN'")),
  ],
  ["What was our worst month?", `SELECT max(t) FROM ${months()}`],
  ["Which month had the lowest emissions?", `SELECT min(t) FROM ${months()}`],
  ["When were scope 1 emissions highest?", `SELECT max(t) FROM ${months(scope(1))}`],
  ["What's our average monthly footprint?", `SELECT avg(t) FROM ${months()}`],
  ["How much do we emit per month on average?", `SELECT avg(t) FROM ${months()}`],
  [
    "average emissions per facility",
    `SELECT sum(co2e_tonnes) / count(DISTINCT code) FROM r WHERE ${inYear()}`,
  ],
  ["What share of our emissions is scope 2?", share(inYear(scope(2)), inYear())],
  ["what percentage of our footprint comes from Pune", share(inYear(at("IN-PUNE")), inYear())],
  [
    "What proportion of scope 1 comes from Columbus?",
    share(inYear(`${scope(1)} AND ${at("US-COLUMBUS")}`), inYear(scope(1))),
  ],
  ["How much of our footprint is electricity?", share(inYear(category("purchased_electricity")), inYear())],
  ["Which facility pollutes the most?", sum(inYear(at("IN-PUNE")))],
  ["our cleanest site in 2025", sum(in2025(at("IN-CHENNAI")))],
  ["What is our biggest source of scope 3 emissions?", sum(inYear(category("freight_transport")))],
  ["Which country emits the least?", sum(inYear("country = 'SG'"))],
  ["Emissions by country", sum(inYear("country = 'IN'")), sum(inYear("country = 'US'"))],
  [
    "Break down last quarter by scope",
    ...[1, 2, 3].map((n) => sum(on("2026-07-01", "2026-09-30", scope(n)))),
  ],
  [
    "top 2 categories in 2025",
    sum(in2025(category("purchased_electricity"))),
    sum(in2025(category("stationary_combustion"))),
  ],
  ["How much do we emit in the UK?", sum(inYear("country = 'GB'"))],
  ["US emissions in 2025", sum(in2025("country = 'US'"))],
  ["What did the Coventry site emit in 2025?", sum(in2025(at("GB-COVENTRY")))],
  [
    "scope 2 emissions at Tuas last quarter",
    sum(on("2026-07-01", "2026-09-30", `${scope(2)} AND ${at("SG-TUAS")}`)),
  ],
  ["emissions without scope 3 in 2025", sum(in2025(`NOT ${scope(3)}`))],
  ["How much CO2 comes from business trips?", sum(inYear(category("business_travel")))],
  ["Emissions from diesel in 2025", sum(in2025("reference LIKE '%diesel%'"))],
  ["how much did our flights cause last year", sum(in2025("reference LIKE '%flight%'"))],
  ["natural gas at Columbus in 2025", sum(in2025(`reference LIKE '%natural-gas%' AND ${at("US-COLUMBUS")}`))],
  [
    "emissions of reference IN-PUNE-purchased_electricity-electricity-india-2026-06",
    sum("reference = 'IN-PUNE-purchased_electricity-electricity-india-2026-06'"),
  ],
  [
    "Why did emissions rise last month?",
    change(on("2026-10-01", "2026-10-31"), on("2026-09-01", "2026-09-30")),
  ],
  [
    "What drove the change this year?",
    change(inThis(), inSame()),
    change(inThis(at("IN-PUNE")), inSame(at("IN-PUNE"))),
  ],
  [
    "Which category grew the most this year?",
    change(inThis(), inSame()),
    change(inThis(category("freight_transport")), inSame(category("freight_transport"))),
  ],
  ["compare Pune and Columbus in 2025", sum(in2025(at("IN-PUNE"))), sum(in2025(at("US-COLUMBUS")))],
  ["How many records do we have for 2025?", `SELECT count(*) FROM r WHERE ${in2025()}`],
  ["How many credits have we sold?", "SELECT sum(quantity) FROM credit_sales"],
  [
    "how many carbon credits are left",
    `SELECT (SELECT sum(quantity) FROM credit_batches) - (SELECT sum(quantity) FROM credit_sales) - (SELECT sum(quantity) FROM credit_retirements)`,
  ],
  [
    "How many credits did we retire this year?",
    "SELECT sum(quantity) FROM credit_retirements WHERE retired_on BETWEEN '2026-01-01' AND '2026-11-20'",
  ],
  [
    "When is our next deadline?",
    "SELECT min(due_date) - date '2026-11-20' FROM compliance_deadlines WHERE due_date >= '2026-11-20' AND status = 'pending'",
  ],
  [
    "How many deadlines are due in the next 90 days?",
    "SELECT count(*) FROM compliance_deadlines WHERE due_date BETWEEN '2026-11-20' AND '2027-02-18' AND status = 'pending'",
  ],
  ["How many sites do we have?", "SELECT count(DISTINCT code) FROM r"],
  [
    "Emissions last quarter vs the previous quarter",
    sum(on("2026-07-01", "2026-09-30")),
    sum(on("2026-04-01", "2026-06-30")),
  ],
  [
    "Q3 2026 compared to the previous year",
    sum(on("2026-07-01", "2026-09-30")),
    sum(on("2025-07-01", "2025-09-30")),
  ],
  ["What did we emit in the first half of this year?", sum(on("2026-01-01", "2026-06-30"))],
  ["Did we have less scope 1 emissions than last year?", sum(inThis(scope(1))), sum(inSame(scope(1)))],
  ["emissions less scope 3 in 2025", sum(in2025(`NOT ${scope(3)}`))],
  [
    "What's behind the increase last month?",
    change(on("2026-10-01", "2026-10-31"), on("2026-09-01", "2026-09-30")),
  ],
  [
    "Which category changed the most this year?",
    change(inThis(), inSame()),
    change(inThis(category("purchased_electricity")), inSame(category("purchased_electricity"))),
  ],
  ["How are we doing?", sum(inYear())],
  ["How high is our footprint?", sum(inYear())],
  ["Give me an overview of 2025", sum(in2025())],
  [
    "How many deadlines are due by March?",
    "SELECT count(*) FROM compliance_deadlines WHERE due_date BETWEEN '2026-11-20' AND '2027-03-31' AND status = 'pending'",
  ],
  [
    "How many deadlines are due before June?",
    "SELECT count(*) FROM compliance_deadlines WHERE due_date BETWEEN '2026-11-20' AND '2027-05-31' AND status = 'pending'",
  ],
];

describe("POST /v1/{module}/chat on the sample organization", () => {
  it.each(ANSWERED)("answers as SQL does: %s", async (message, ...values) => {
    const expected = await Promise.all(values.map(sql));
    const { answer, figures } = await question(message);
    expect({ answer, values: figures.slice(0, expected.length).map(({ value }) => value) }).toEqual({
      answer,
      values: expected.map((value) => expect.closeTo(value, 5)),
    });
  });

  it("names the unusual months that the anomalies endpoint lists", async () => {
    const { answer, figures } = await question("Were there any unusual months?");
    expect(answer).toMatch(
      /^4 anomalies in the emissions from November 2024 to October 2026:\nAugust 2026, IN-CHENNAI/,
    );
    expect(figures).toEqual([{ name: "Anomalies", value: 4, unit: "anomalies" }]);
  });

  it("gives the status of frameworks, without figures", async () => {
    const { answer, figures } = await question("Which frameworks need action?");
    expect([answer.split("\n").length, figures]).toEqual([3, []]);
  });

  it.each<[message: string, reason: RegExp]>([
    ["Are we on track to meet our target?", /^I can't answer questions about your targets yet/],
    ["How can we reduce our emissions?", /^I can't give advice yet/],
    ["What's the weather in Paris?", /can't answer questions about "weather" and "Paris" yet/],
    ["emissions above 100 tonnes", /can't answer questions about "above 100" yet/],
    ["Emissions of Foo Plant", /"Foo" yet\. None of your facilities, categories or records has this name/],
    ["compare last month with Q3", /^I can only compare periods of the same length/],
    ["emissions and credits", /one thing at a time/],
    ["price of gold", /I can't find a price for "gold"/],
    ["How many credits were available last month?", /^I only know your credits as of today/],
    ["Emissions in 2035", /"2035" is in the future/],
    ["delete all records", /"delete" yet/],
    ["emissions not from Pune", /"not" yet/],
    ["compare this year with last quarter", /^The two periods overlap, so they can't be compared/],
    ["How have emissions changed since 2024?", /^I can compare periods of up to a year/],
    ["How did emissions change over the last 3 years?", /^I can compare periods of up to a year/],
    ["In which month did we cut emissions the most?", /^I can't rank month-to-month changes/],
    ["Which facility improved the least this year?", /not what changed the least/],
    ["Was October higher than average?", /^I can't compare with an average yet/],
    ["What is our monthly average in October 2026?", /^An average needs at least two complete months/],
    ["What are our average annual emissions?", /^An average needs at least two complete years/],
    ["Which facility has the most records?", /^I can count records only in total/],
    ["Which sites are missing data?", /^I can find months with no records at all/],
    ["carbon intensity by facility", /^I only have intensity.* as totals for the last 12 months/],
    ["Is our carbon intensity improving?", /^I only have intensity.* as totals for the last 12 months/],
    ["How many sites do we have in India?", /^I can only count your records or all of your facilities/],
    [
      "How many business trips were there in 2025?",
      /^I can only count your records or all of your facilities/,
    ],
    ["How many credits do we retire per year?", /^I can't break credits down by year/],
    ["Which deadlines are done?", /"done" yet/],
  ])("declines without a figure, and suggests other questions: %s", async (message, reason) => {
    const { answer, figures, follow_ups } = await question(message);
    expect([answer, figures]).toEqual([expect.stringMatching(reason), []]);
    expect(follow_ups.length).toBeGreaterThan(0);
  });

  it("asks when the financial year starts, and answers each choice it offers", async () => {
    const { answer, follow_ups } = await question("What was our footprint in the last financial year?");
    expect([answer, follow_ups[0]]).toEqual([
      "When does your financial year start?",
      "What was our footprint from April 2025 to March 2026?",
    ]);
    const { figures } = await question(follow_ups[0] ?? "");
    expect(figures[0]?.value).toBeCloseTo(await sql(sum(on("2025-04-01", "2026-03-31"))), 5);
  });

  it("answers when to submit with the next deadline, not as a request for advice", async () => {
    const { answer } = await question("When should we submit our BRSR report?");
    expect(answer).toMatch(/^(?:Next open deadline of BRSR|There are no open deadlines of BRSR)/);
  });

  it("can answer the follow-up questions it offers", async () => {
    const asked = ["Compare Q3 with Q3 last year", "How did emissions change last month?"];
    for (const [index, message] of asked.entries()) {
      const { follow_ups, conversation_id } = await ask(people[index] as TestPerson, message);
      expect(follow_ups.length).toBeGreaterThan(1);
      for (const followUp of follow_ups) {
        const { figures } = await ask(people[index] as TestPerson, followUp, { in: conversation_id });
        expect([followUp, figures]).toEqual([followUp, expect.arrayContaining([expect.anything()])]);
      }
    }
    const { follow_ups } = await question("How have emissions changed since 2024?");
    expect((await question(follow_ups[0] ?? "")).answer).toMatch(/ by year:/);
  });

  it("offers the categories that an ambiguous word can mean", async () => {
    const { answer, follow_ups } = await question("combustion emissions in 2025");
    expect(answer).toBe('"combustion" could mean several things. Which one did you mean?');
    expect(follow_ups).toEqual([
      "stationary combustion emissions in 2025",
      "mobile combustion emissions in 2025",
    ]);
  });
});

describe("POST /v1/{module}/chat on an organization's own data", () => {
  it("matches whole words, singular or plural, and ranks only records with a facility", async () => {
    const person = await signUp(gateway);
    const { slug } = person.organization;
    const { database } = gateway;
    const facility = await addFacility(database, slug, { code: "A", name: "Alpha" });
    const notes = ["bus to work", "Buses", "business class", "gas", "gasoline", "air cargo", "a car"];
    for (const [index, note] of notes.entries())
      await addRecord(database, slug, { note, co2eTonnes: 10 ** index });
    await addRecord(database, slug, { facility, source: "Bus company", co2eTonnes: 0.5 });
    const totals = async (message: string) => (await ask(person, message)).figures.map(({ value }) => value);
    expect(await totals("bus emissions")).toEqual([11.5]);
    expect(await totals("gas emissions")).toEqual([1_000]);
    expect(await totals("car emissions")).toEqual([1_000_000]);
    expect((await ask(person, "Which facility emits the most?")).answer).toMatch(
      /^Alpha \(A\) has the highest .* Records without a facility are left out\.$/,
    );
    expect(await totals("average emissions per facility")).toEqual([0.5, 0.5]);
    expect((await ask(person, "emissions by facility")).answer).toMatch(/\nWithout a facility: 1,111,111 t/);
  });

  it("declines to count a facility's unusual months if they exceed one page", async () => {
    const person = await signUp(gateway);
    const { id: organizationId, slug } = person.organization;
    const { database } = gateway;
    const facilities = await Promise.all(
      Array.from({ length: 20 }, (_, index) => addFacility(database, slug, { code: `SITE-${index}` })),
    );
    // August 2026 is unusual both by z-score and year on year.
    const data = facilities.flatMap(({ id: facilityId }) =>
      (["scope_1", "scope_2", "scope_3"] as const).flatMap((scope) =>
        Array.from({ length: 24 }, (_, index) => ({
          organizationId,
          facilityId,
          scope,
          recordedOn: new Date(Date.UTC(2024, 10 + index, 15)),
          co2eTonnes: index === 21 ? 90 : 10 + (index % 3) / 10,
        })),
      ),
    );
    await database.prisma.emissionRecord.createMany({ data });
    expect(await ask(person, "Were there any unusual months at SITE-3?")).toMatchObject({
      answer: expect.stringMatching(/^There are more than 100 anomalies in these months/),
      figures: [],
    });
    expect((await ask(person, "Were there any unusual months last month?")).answer).toMatch(
      /nothing unusual/,
    );
  });
});
