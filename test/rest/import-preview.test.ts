import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { signUp, type TestPerson } from "../support/people.js";
import { type Envelope, type Gateway, startGateway } from "../support/server.js";

let gateway: Gateway;
let person: TestPerson;
beforeAll(async () => {
  gateway = await startGateway();
  person = await signUp(gateway);
});
afterAll(() => gateway.stop());

// biome-ignore lint/suspicious/noExplicitAny: the data of a preview
const preview = async (text: string | Buffer, query = ""): Promise<any> => {
  const { status, body } = await person.call<Envelope>(`/v1/emissions/import/preview${query}`, {
    method: "POST",
    body: text as BodyInit,
    headers: { "Content-Type": "text/csv" },
  });
  expect([status, body.error]).toEqual([200, null]);
  return body.data;
};

const GERMAN = [
  "Energiebericht 2025;;;;",
  "",
  "Datum;Standort;Energieträger;Menge;Einheit",
  "31.01.2025;Köln;Strom;1.234,5;kWh",
  "28.02.2025;Köln;Diesel;n/a;Liter",
  "",
].join("\r\n");

describe("POST /v1/emissions/import/preview", () => {
  it("guesses everything of a German file", async () => {
    console.dir(await preview(Buffer.from(GERMAN, "latin1")), { depth: 9 });
  });
  it("asks about dates", async () => {
    console.dir(await preview("Date,Scope,CO2e (kg)\n03/04/2026,1,1.234\n05/06/2026,2,2.345\n"), { depth: 9 });
  });
});
