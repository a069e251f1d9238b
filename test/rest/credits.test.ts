import { beforeEach, describe, expect, it } from "vitest";
import { addBatch, addRetirement, addSale } from "../support/fixtures.js";
import { requestRaw } from "../support/raw.js";
import { makeKey, makeOrganization } from "../support/server.js";
import { useGateway } from "../support/use.js";

const REQUEST_ID = "3f0c1a52-6f4e-4c8b-9d57-2b8a9c0e7d13";
const META = { request_id: REQUEST_ID, timestamp: "2026-11-20T10:00:00.000Z", version: "1.0" };

let acme: string;
let key: string;

const gateway = useGateway();
beforeEach(async () => {
  acme = await makeOrganization(gateway.database);
  ({ key } = await makeKey(gateway.database, acme));
});

const batch = (overrides: Parameters<typeof addBatch>[2]) => addBatch(gateway.database, acme, overrides);
const data = async () => (await gateway.rest("/credits", key)).body.data;

describe.each(["/api/v1/ext/v1", "/ext/v1"])("GET %s/credits", (prefix) => {
  const answer = async () => {
    const headers = [["X-API-Key", key] as const, ["X-Request-Id", REQUEST_ID] as const];
    const { status, body } = await requestRaw(`${gateway.url}${prefix}/credits`, { headers });
    return { status, body };
  };

  it("answers this exact JSON for an organization without credits", async () => {
    expect(await answer()).toEqual({
      status: 200,
      body: JSON.stringify({
        success: true,
        data: { available_credits: 0, available_count: 0, retired_credits: 0, retired_count: 0, by_type: [] },
        error: null,
        meta: META,
      }),
    });
  });

  it("keeps every digit of sums beyond the precision of a float", async () => {
    for (const reference of ["one", "two", "three"])
      await batch({ reference, creditType: "VCS", quantity: 9_007_199_254_740_991n });
    const sold = await batch({ creditType: "EUA", quantity: 9_007_199_254_740_991n });
    await addRetirement(gateway.database, sold, { quantity: 9_007_199_254_740_990n });
    expect(await answer()).toEqual({
      status: 200,
      body: `{"success":true,"data":{"available_credits":27021597764222974,"available_count":4,"retired_credits":9007199254740990,"retired_count":1,"by_type":[{"credit_type":"EUA","quantity":1},{"credit_type":"VCS","quantity":27021597764222973}]},"error":null,"meta":${JSON.stringify(META)}}`,
    });
  });

  it("answers this exact JSON for an organization with credits", async () => {
    await batch({ creditType: "VCS", quantity: 10_000 });
    const allowances = await batch({ creditType: "EUA", quantity: 6_000 });
    await addSale(gateway.database, allowances, { quantity: 400 });
    await addRetirement(gateway.database, allowances, { quantity: 600 });

    expect(await answer()).toEqual({
      status: 200,
      body: JSON.stringify({
        success: true,
        data: {
          available_credits: 15_000,
          available_count: 2,
          retired_credits: 600,
          retired_count: 1,
          by_type: [
            { credit_type: "EUA", quantity: 5_000 },
            { credit_type: "VCS", quantity: 10_000 },
          ],
        },
        error: null,
        meta: META,
      }),
    });
  });
});

describe("figures of GET /ext/v1/credits", () => {
  it("subtract sales and retirements from issued credits", async () => {
    const first = await batch({ quantity: 1_000 });
    await addSale(gateway.database, first, { quantity: 200 });
    await addSale(gateway.database, first, { quantity: 50 });
    await addRetirement(gateway.database, first, { quantity: 300 });
    const second = await batch({ quantity: 10 });
    await addSale(gateway.database, second, { quantity: 1 });

    expect(await data()).toEqual({
      available_credits: 459,
      available_count: 2,
      retired_credits: 300,
      retired_count: 1,
      by_type: [{ credit_type: "VCS", quantity: 459 }],
    });
  });

  it("count every retirement, also several of one batch", async () => {
    const first = await batch({ quantity: 1_000 });
    await addRetirement(gateway.database, first, { quantity: 1 });
    await addRetirement(gateway.database, first, { quantity: 2 });
    const second = await batch({ quantity: 1_000 });
    await addRetirement(gateway.database, second, { quantity: 4 });

    expect(await data()).toEqual({
      available_credits: 1_993,
      available_count: 2,
      retired_credits: 7,
      retired_count: 3,
      by_type: [{ credit_type: "VCS", quantity: 1_993 }],
    });
  });

  it("leave a used-up batch out of available_count and by_type, but keep its retirements", async () => {
    const sold = await batch({ creditType: "CCC", quantity: 30 });
    await addSale(gateway.database, sold, { quantity: 30 });
    const retired = await batch({ creditType: "ESCert", quantity: 20 });
    await addRetirement(gateway.database, retired, { quantity: 20 });
    const both = await batch({ creditType: "VCS", quantity: 50 });
    await addSale(gateway.database, both, { quantity: 40 });
    await addRetirement(gateway.database, both, { quantity: 10 });
    const left = await batch({ creditType: "VCS", quantity: 10 });
    await addSale(gateway.database, left, { quantity: 9 });

    expect(await data()).toEqual({
      available_credits: 1,
      available_count: 1,
      retired_credits: 30,
      retired_count: 2,
      by_type: [{ credit_type: "VCS", quantity: 1 }],
    });
  });

  it("hold quantities above 2^31 and sums above 2^32", async () => {
    const first = await batch({ creditType: "CCC", quantity: 3_000_000_000 });
    await addRetirement(gateway.database, first, { quantity: 2_500_000_000 });
    await batch({ creditType: "CCC", quantity: 4_000_000_000 });
    await batch({ creditType: "VCS", quantity: 2_200_000_000 });
    const second = await batch({ creditType: "VCS", quantity: 9_000_000_000_000 });
    await addSale(gateway.database, second, { quantity: 1_000_000_000_000 });
    await addRetirement(gateway.database, second, { quantity: 2_600_000_000 });

    expect(await data()).toEqual({
      available_credits: 8_004_100_000_000,
      available_count: 4,
      retired_credits: 5_100_000_000,
      retired_count: 2,
      by_type: [
        { credit_type: "CCC", quantity: 4_500_000_000 },
        { credit_type: "VCS", quantity: 7_999_600_000_000 },
      ],
    });
  });

  it("never fall below zero, since the database refuses to oversell", async () => {
    const only = await batch({ quantity: 100 });
    await addSale(gateway.database, only, { quantity: 60 });
    await expect(addSale(gateway.database, only, { quantity: 41 })).rejects.toThrow();
    await expect(addRetirement(gateway.database, only, { quantity: 41 })).rejects.toThrow();

    expect(await data()).toEqual({
      available_credits: 40,
      available_count: 1,
      retired_credits: 0,
      retired_count: 0,
      by_type: [{ credit_type: "VCS", quantity: 40 }],
    });
  });

  it("list types of any name in byte order", async () => {
    for (const creditType of ["eua", "VCS", "EUA", "ESCert", "CCS_offset", "CCC"]) {
      await batch({ creditType, quantity: 5 });
    }

    expect(await data()).toMatchObject({
      by_type: [
        { credit_type: "CCC", quantity: 5 },
        { credit_type: "CCS_offset", quantity: 5 },
        { credit_type: "ESCert", quantity: 5 },
        { credit_type: "EUA", quantity: 5 },
        { credit_type: "VCS", quantity: 5 },
        { credit_type: "eua", quantity: 5 },
      ],
    });
  });

  it("belong to the tenant", async () => {
    const rival = await makeOrganization(gateway.database, "Rival");
    const theirs = await addBatch(gateway.database, rival, { quantity: 1_000 });
    await addRetirement(gateway.database, theirs, { quantity: 10 });
    await batch({ quantity: 7 });

    expect(await data()).toEqual({
      available_credits: 7,
      available_count: 1,
      retired_credits: 0,
      retired_count: 0,
      by_type: [{ credit_type: "VCS", quantity: 7 }],
    });
  });
});
