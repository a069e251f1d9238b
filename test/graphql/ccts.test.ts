import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addBatch } from "../support/fixtures.js";
import { signUp } from "../support/people.js";
import { type Gateway, startGateway } from "../support/server.js";

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

const RECORD = `mutation ($achieved: Decimal!) {
  recordCctsPeriod(input: { entity: "Smelter", financialYear: "2025-26", targetGei: "13.2260", achievedGei: $achieved,
    targetSourceUrl: "https://moef.gov.in/", output: "450000" }) {
    isNew period { id surplusExact toIssue toSurrender surrendered compensationMessage version }
  }
}`;

describe("mutation { recordCctsPeriod updateCctsPeriod surrenderCcts }", () => {
  it("records, changes and covers a financial year, and audits each step", async () => {
    const ada = await signUp(gateway);
    const { slug } = ada.organization;
    await addBatch(gateway.database, slug, { creditType: "CCC", quantity: 40_000, vintage: 2025 });
    const record = (achieved: string) => ada.graphql(RECORD, { achieved });
    const recorded = (await record("13.1")).body.data.recordCctsPeriod;
    expect(recorded).toEqual({
      isNew: true,
      period: {
        id: expect.any(String),
        surplusExact: "56700",
        toIssue: 56_700,
        toSurrender: 0,
        surrendered: 0,
        compensationMessage: null,
        version: 1,
      },
    });
    expect((await record("13.1")).body.data.recordCctsPeriod).toEqual({ ...recorded, isNew: false });
    expect((await record("13.2")).body.errors?.[0]?.extensions).toEqual({
      code: "CONFLICT",
      details: [{ path: "input.achievedGei", message: "is stored as 13.1, got 13.2" }],
    });
    const { id } = recorded.period;
    const update = (averagePrice: string) =>
      ada.graphql(`mutation { updateCctsPeriod(input: { id: "${id}", achievedGei: "13.3111", averagePrice: "${averagePrice}",
        expectedVersion: 1 }) { period { toSurrender compensationExact version } } }`);
    const updated = { toSurrender: 38_295, compensationExact: "46899886.5", version: 2 };
    expect((await update("612.35")).body.data.updateCctsPeriod.period).toEqual(updated);
    expect((await update("612.35")).body.data.updateCctsPeriod.period).toEqual(updated);
    expect((await update("600")).body.errors?.[0]?.extensions.code).toBe("CONFLICT");
    const surrendered =
      await ada.graphql(`mutation { surrenderCcts(input: { periodId: "${id}", quantity: 38295, reference: "S" }) {
      period {
        surrendered compensationExact
      }
    } }`);
    expect(surrendered.body.data.surrenderCcts.period).toEqual({
      surrendered: 38_295,
      compensationExact: "0",
    });
    const { body } = await ada.graphql(`{
      cctsPeriod(id: "${id}") { surrendered }
      compliance { cctsPeriods { totalCount nodes { id } } }
      credits { retirements { nodes { reference quantity cctsPeriodId } } }
      auditLog { entries(first: 3) { nodes { action } } }
    }`);
    expect(body.data).toEqual({
      cctsPeriod: { surrendered: 38_295 },
      compliance: { cctsPeriods: { totalCount: 1, nodes: [{ id }] } },
      credits: { retirements: { nodes: [{ reference: "S/1", quantity: 38_295, cctsPeriodId: id }] } },
      auditLog: {
        entries: {
          nodes: ["credit_retirement", "ccts_period", "ccts_period"].map((noun, index) => ({
            action: `${noun}.${index === 1 ? "updated" : "created"}`,
          })),
        },
      },
    });
  });
});
