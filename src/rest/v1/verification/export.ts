import { z } from "zod";
import { uuidShape } from "../../../catalogue/input/values.js";
import { graphql } from "../../../generated/operations.js";
import { stream } from "../../endpoint.js";
import { lowerCase } from "../../ext/lower-case.js";
import { scopeShape } from "./scope-shape.js";

const lineShape = z.object({
  id: z.uuid(),
  recorded_on: z.iso.date(),
  scope: scopeShape,
  co2e_tonnes: z.string().meta({ description: "Amount with six decimals." }),
});

/** Streams the lines covered by a snapshot's digest. */
export const verificationExport = stream({
  path: "/verification/requests/{id}/records/export",
  summary:
    "The records of a verification request as CSV, by id: the content that the snapshot's digest covers",
  scope: "read:emissions",
  operation: graphql(`
    query RestVerificationExport($id: UUID!, $after: String) {
      verificationRequest(id: $id) {
        id
        records(first: 100, after: $after) {
          nodes { id recordedOn scope co2eTonnesExact }
          pageInfo { hasNextPage endCursor }
        }
      }
    }
  `),
  params: z.object({ id: uuidShape }),
  data: lineShape,
  columns: ["id", "recorded_on", "scope", "co2e_tonnes"],
  example: {
    id: "5f0a2c1e-7d3b-4a86-9c55-0e1f2d3c4b5a",
    recorded_on: "2025-06-30",
    scope: "scope_1",
    co2e_tonnes: "100.500000",
  },
  readLines: ({ verificationRequest: { id, records } }) => ({
    lines: records.nodes.map(({ id, recordedOn, scope, co2eTonnesExact }) => ({
      id,
      recorded_on: recordedOn,
      scope: lowerCase(scope),
      co2e_tonnes: co2eTonnesExact,
    })),
    next: records.pageInfo.hasNextPage ? { id, after: records.pageInfo.endCursor ?? null } : null,
  }),
});
