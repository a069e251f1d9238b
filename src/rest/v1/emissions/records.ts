import { z } from "zod";
import { listQuery, nextCursor, pageOf, pageShape } from "../../../catalogue/list.js";
import { uuidShape } from "../../../catalogue/values.js";
import { MOST_RECORDS } from "../../../domain/emissions/record-rules.js";
import { snakeCase } from "../../../domain/texts/snake-case.js";
import { TEXT_LIMITS } from "../../../domain/texts/text-limits.js";
import { graphql } from "../../../generated/operations.js";
import { endpoint } from "../../endpoint.js";
import {
  describeRecord,
  newRecordShape,
  RECORD_EXAMPLE,
  recordPatchShape,
  recordShape,
  toInput,
  toPatch,
} from "./record.js";
import { recordFilters, toRecordSearch } from "./record-filters.js";

const params = z.object({ id: uuidShape });
const version = ({ version }: z.infer<typeof recordShape>) => version;

const failures = ["UNIT_MISMATCH", "FACTOR_NOT_FOUND", "AMBIGUOUS_FACTOR", "CONFLICT"] as const;

const list = endpoint({
  path: "/emissions/records",
  summary: "Emission records, latest day first",
  scope: "read:emissions",
  operation: graphql(`
    query RestEmissionRecords(
      $range: DateRangeInput, $filter: EmissionRecordFilter, $search: String, $first: Int, $after: String
    ) {
      emissionRecords(range: $range, filter: $filter, search: $search, first: $first, after: $after) {
        nodes { ...RecordFields }
        pageInfo { hasNextPage endCursor }
      }
    }
  `),
  query: listQuery.extend(z.object(recordFilters).partial().shape),
  variables: ({ query: { limit, cursor, ...filters } }) => ({
    ...toRecordSearch(filters),
    ...pageOf({ limit, cursor }),
  }),
  data: pageShape("EmissionRecords", recordShape),
  example: { items: [RECORD_EXAMPLE], next_cursor: null },
  reshape: ({ emissionRecords: { nodes, pageInfo } }) => ({
    items: nodes.map(describeRecord),
    next_cursor: nextCursor(pageInfo),
  }),
});

const several = z.strictObject({ records: z.array(newRecordShape).min(1).max(MOST_RECORDS) });

const createdShape = z
  .object({
    records: z.array(recordShape),
    created: z.int().meta({ description: "How many of them were not there before." }),
  })
  .meta({ id: "CreatedEmissionRecords" });

const create = endpoint({
  method: "POST",
  path: "/emissions/records",
  summary: "Adds an emission record, or 1 to 500 of them, all or none",
  scope: "write:emissions",
  operation: graphql(`
    mutation RestCreateEmissionRecords($input: [EmissionRecordInput!]!) {
      createEmissionRecords(input: $input) {
        records { ...RecordFields }
        createdCount
      }
    }
  `),
  body: z.union([several, newRecordShape]),
  bodyLimit: "2mb",
  variables: ({ body }) => ({ input: ("records" in body ? body.records : [body]).map(toInput) }),
  problemPath: (path, body) =>
    snakeCase(
      "records" in body ? path.replace(/^input(?=\[|$)/, "records") : path.replace(/^input\[0\]\./, ""),
    ),
  data: z.union([recordShape, createdShape]),
  example: RECORD_EXAMPLE,
  reshape({ createEmissionRecords: { records, createdCount } }, body) {
    const described = records.map(describeRecord);
    const [only] = described;
    return "records" in body || !only ? { records: described, created: createdCount } : only;
  },
  version: (data) => ("version" in data ? data.version : undefined),
  createdId: (data, { createEmissionRecords: { createdCount } }) => {
    if (createdCount === 0) return undefined;
    return "id" in data ? data.id : null;
  },
  mayExist: true,
  failures,
});

const one = endpoint({
  path: "/emissions/records/{id}",
  summary: "An emission record",
  scope: "read:emissions",
  operation: graphql(`
    query RestEmissionRecord($id: UUID!) {
      emissionRecord(id: $id) { ...RecordFields }
    }
  `),
  params,
  variables: ({ params }) => params,
  data: recordShape,
  example: RECORD_EXAMPLE,
  reshape: ({ emissionRecord }) => describeRecord(emissionRecord),
  version,
  // It shows the facility's name as it is now.
  isVersioned: ({ facility }) => facility === null,
});

const change = endpoint({
  method: "PATCH",
  path: "/emissions/records/{id}",
  summary: "Changes the parts of an emission record that are sent",
  scope: "write:emissions",
  operation: graphql(`
    mutation RestUpdateEmissionRecord($id: UUID!, $patch: EmissionRecordPatchInput!, $expectedVersion: Int) {
      updateEmissionRecord(id: $id, patch: $patch, expectedVersion: $expectedVersion) { ...RecordFields }
    }
  `),
  params,
  body: recordPatchShape,
  variables: ({ params, body, expectedVersion }) => ({ ...params, patch: toPatch(body), expectedVersion }),
  data: recordShape,
  example: { ...RECORD_EXAMPLE, version: 2, updated_at: "2026-11-20T11:00:00.000Z" },
  reshape: ({ updateEmissionRecord }) => describeRecord(updateEmissionRecord),
  version,
  failures,
});

const remove = endpoint({
  method: "DELETE",
  path: "/emissions/records/{id}",
  summary: "Deletes an emission record, and answers with it as it was",
  scope: "write:emissions",
  operation: graphql(`
    mutation RestDeleteEmissionRecord($id: UUID!, $reason: String!, $expectedVersion: Int) {
      deleteEmissionRecord(id: $id, reason: $reason, expectedVersion: $expectedVersion) { ...RecordFields }
    }
  `),
  params,
  body: z.strictObject({
    reason: z
      .string()
      .min(1)
      .max(TEXT_LIMITS.note)
      .meta({ description: "Why, for the audit trail: 1 to 1,000 characters." }),
  }),
  variables: ({ params, body, expectedVersion }) => ({ ...params, ...body, expectedVersion }),
  data: recordShape,
  example: { ...RECORD_EXAMPLE, note: "Entered twice.", version: 2, updated_at: "2026-11-20T11:00:00.000Z" },
  reshape: ({ deleteEmissionRecord }) => describeRecord(deleteEmissionRecord),
  version,
});

/** The organization's emission records. */
export const emissionRecords = [list, create, one, change, remove];
