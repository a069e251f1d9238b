import { z } from "zod";
import { listQuery, nextCursor, pageOf, pageShape } from "../../../catalogue/list.js";
import { graphql, type VerificationRecordFieldsFragment } from "../../../generated/operations.js";
import { endpoint, stream } from "../../endpoint.js";
import { lowerCase } from "../../ext/lower-case.js";
import { scopeShape } from "../calculations/factor.js";
import { params } from "./requests.js";

const recordShape = z
  .object({
    id: z.uuid(),
    reference: z.string().nullable(),
    recorded_on: z.iso.date(),
    scope: scopeShape,
    co2e_tonnes: z.number(),
    co2e_tonnes_exact: z.string().meta({ description: "With six decimals, as in the digest's lines." }),
    facility_code: z.string().nullable(),
    category: z.string().nullable(),
    source: z.string().nullable(),
    note: z.string().nullable(),
  })
  .meta({ id: "VerificationRecord" });

const EXAMPLE: z.infer<typeof recordShape> = {
  id: "5f0a2c1e-7d3b-4a86-9c55-0e1f2d3c4b5a",
  reference: "gas-2025-06",
  recorded_on: "2025-06-30",
  scope: "scope_1",
  co2e_tonnes: 100.5,
  co2e_tonnes_exact: "100.500000",
  facility_code: "PLANT-1",
  category: "stationary_combustion",
  source: "Meter 4",
  note: null,
};

const lineShape = z.object({
  id: z.uuid(),
  recorded_on: z.iso.date(),
  scope: scopeShape,
  co2e_tonnes: z.string().meta({ description: "With six decimals." }),
});
const LINE_EXAMPLE: z.infer<typeof lineShape> = {
  id: EXAMPLE.id,
  recorded_on: EXAMPLE.recorded_on,
  scope: EXAMPLE.scope,
  co2e_tonnes: EXAMPLE.co2e_tonnes_exact,
};

graphql(`
  fragment VerificationRecordFields on VerificationRecord {
    id reference recordedOn scope co2eTonnes co2eTonnesExact facilityCode category source note
  }
`);

const describe = (record: VerificationRecordFieldsFragment): z.infer<typeof recordShape> => ({
  id: record.id,
  reference: record.reference ?? null,
  recorded_on: record.recordedOn,
  scope: lowerCase(record.scope),
  co2e_tonnes: record.co2eTonnes,
  co2e_tonnes_exact: record.co2eTonnesExact,
  facility_code: record.facilityCode ?? null,
  category: record.category ?? null,
  source: record.source ?? null,
  note: record.note ?? null,
});

/** The records of a verification request, for the organization and for its verifier. */
export const verificationRecords = [
  endpoint({
    path: "/verification/requests/{id}/records",
    summary: "The records of a verification request, by id. Its verifier reads them until it is decided",
    scope: "read:emissions",
    operation: graphql(`
      query RestVerificationRecords($id: UUID!, $first: Int, $after: String) {
        verificationRequest(id: $id) {
          records(first: $first, after: $after) {
            nodes { ...VerificationRecordFields }
            pageInfo { hasNextPage endCursor }
          }
        }
      }
    `),
    params,
    query: listQuery,
    variables: ({ params, query }) => ({ ...params, ...pageOf(query) }),
    data: pageShape("VerificationRecords", recordShape),
    example: { items: [EXAMPLE], next_cursor: null },
    reshape: ({ verificationRequest: { records } }) => ({
      items: records.nodes.map(describe),
      next_cursor: nextCursor(records.pageInfo),
    }),
  }),
  stream({
    path: "/verification/requests/{id}/records/export",
    summary: "The records of a verification request as CSV, by id: what the snapshot's digest is computed of",
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
    params,
    data: lineShape,
    columns: ["id", "recorded_on", "scope", "co2e_tonnes"],
    example: LINE_EXAMPLE,
    readLines: ({ verificationRequest: { id, records } }) => ({
      lines: records.nodes.map(({ id, recordedOn, scope, co2eTonnesExact }) => ({
        id,
        recorded_on: recordedOn,
        scope: lowerCase(scope),
        co2e_tonnes: co2eTonnesExact,
      })),
      next: records.pageInfo.hasNextPage ? { id, after: records.pageInfo.endCursor ?? null } : null,
    }),
  }),
];
