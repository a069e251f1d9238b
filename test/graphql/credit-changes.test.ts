import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addMember, signUp } from "../support/people.js";
import { type Gateway, startGateway } from "../support/server.js";

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

const ISSUE = `mutation { issueCredits(input: { reference: "B", creditType: "VCS", vintage: 2024, quantity: 100 }) {
  isNew batch { id reference creditType vintage issued available }
} }`;
const SELL = `mutation ($batch: UUID!, $price: Decimal) {
  sellCredits(input: { batchId: $batch, quantity: 30, soldOn: "2026-11-02", buyer: "Globex", price: $price, currency: "INR", reference: "S" }) {
    isNew sale { soldOn buyer price priceExact currency batch { sold available } }
  }
}`;
const RETIRE = `mutation ($batch: UUID!, $quantity: SafeInt!) {
  retireCredits(input: { batchId: $batch, quantity: $quantity, beneficiary: "Acme", purpose: "Travel", reference: "R" }) {
    isNew retirement { quantity retiredOn beneficiary purpose batch { retired available } }
  }
}`;

describe("mutation { issueCredits sellCredits retireCredits }", () => {
  it("writes each once per reference, and returns the existing one to a repetition", async () => {
    const ada = await signUp(gateway);
    const issued = await ada.graphql(ISSUE);
    const batch = issued.body.data.issueCredits.batch;
    const content = { reference: "B", creditType: "VCS", vintage: 2024, issued: 100, available: 100 };
    expect(issued.body.data.issueCredits).toEqual({ isNew: true, batch: { id: batch.id, ...content } });
    expect((await ada.graphql(ISSUE)).body.data.issueCredits).toEqual({ isNew: false, batch });

    const sell = () => ada.graphql(SELL, { batch: batch.id, price: "650.5" });
    const sale = {
      soldOn: "2026-11-02",
      buyer: "Globex",
      price: 650.5,
      priceExact: "650.5",
      currency: "INR",
      batch: { sold: 30, available: 70 },
    };
    expect((await sell()).body.data).toEqual({ sellCredits: { isNew: true, sale } });
    expect((await sell()).body.data).toEqual({ sellCredits: { isNew: false, sale } });

    const retire = (quantity: number) => ada.graphql(RETIRE, { batch: batch.id, quantity });
    const retirement = {
      quantity: 70,
      retiredOn: "2026-11-20",
      beneficiary: "Acme",
      purpose: "Travel",
      batch: { retired: 70, available: 0 },
    };
    expect((await retire(70)).body.data).toEqual({ retireCredits: { isNew: true, retirement } });
    expect((await retire(70)).body.data).toEqual({ retireCredits: { isNew: false, retirement } });
    expect((await retire(71)).body).toMatchObject({
      data: { retireCredits: null },
      errors: [
        {
          message: "The reference R already exists with a different quantity.",
          extensions: {
            code: "CONFLICT",
            details: [{ path: "input.quantity", message: "is stored as 70, got 71" }],
          },
        },
      ],
    });
    const list = `{ credits { sales(filter: { batchIds: ["${batch.id.toUpperCase()}"], creditTypes: ["vcs"],
      soldOn: { from: "2026-11-01", to: "2026-11-30" } }) { totalCount nodes { reference } } } }`;
    expect((await ada.graphql(list)).body.data.credits.sales).toEqual({
      totalCount: 1,
      nodes: [{ reference: "S" }],
    });
  });

  it("writes a specific audit entry for each", async () => {
    const ada = await signUp(gateway);
    const { id } = (await ada.graphql(ISSUE)).body.data.issueCredits.batch;
    await ada.graphql(SELL, { batch: id, price: "1" });
    await ada.graphql(RETIRE, { batch: id, quantity: 1 });
    const { body } = await ada.graphql("{ auditLog { entries(first: 3) { nodes { action actorId } } } }");
    const entries = ["credit_retirement.created", "credit_sale.created", "credit_batch.created"];
    expect(body.data.auditLog.entries.nodes).toEqual(
      entries.map((action) => ({ action, actorId: ada.user.id })),
    );
  });

  it("is allowed for editors, not for viewers", async () => {
    const ada = await signUp(gateway);
    const [editor, viewer] = [
      await addMember(gateway, ada.organization.slug, "editor"),
      await addMember(gateway, ada.organization.slug, "viewer"),
    ];
    expect((await editor.graphql(ISSUE)).body.data.issueCredits.isNew).toBe(true);
    expect((await viewer.graphql(ISSUE)).body.errors?.[0]?.extensions).toMatchObject({
      code: "FORBIDDEN",
      requiredScopes: [["write:credits"]],
    });
  });
});
