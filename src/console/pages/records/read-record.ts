import { type ConsoleRecordQuery, graphql } from "../../../generated/console.js";

/** Everything that is known of one record. */
export const READ_RECORD = graphql(`
  query ConsoleRecord($id: UUID!) {
    emissionRecord(id: $id) {
      id
      reference
      recordedOn
      scope
      co2eTonnesExact
      marketBasedTonnesExact
      facility { code name country }
      category
      source
      note
      activity { amount unit factorId gas gwp fossil }
      calculation {
        co2eKgExact
        co2eTonnesExact
        formula
        reason
        notices
        factor { id activity detail scope category unit source sourceUrl sourceYear }
      }
      version
      createdAt
      updatedAt
    }
  }
`);

/** One emission record. */
export type EmissionRecord = NonNullable<ConsoleRecordQuery["emissionRecord"]>;
