import { write } from "../../data/database/transaction.js";
import type { Database } from "../../data/database/types.js";
import type { MappingRow } from "../../data/mappings/mappings.js";
import { deleteMappingRow, lockMapping } from "../../data/mappings/write-mappings.js";
import { isUuid } from "../../domain/texts/uuid.js";
import { requireFound, requireVersion } from "../action-error.js";
import type { MappingWriter } from "./set-mappings.js";

/** Deletes a mapping and returns it. Throws NOT_FOUND, and CONFLICT if the version is not the expected one. */
export function deleteMapping(
  database: Database,
  { writer, organizationId }: Omit<MappingWriter, "now">,
  id: string,
  expectedVersion: number | null | undefined,
): Promise<MappingRow> {
  return write(
    database,
    writer,
    async (sql) => {
      const found = isUuid(id) ? await lockMapping(sql, organizationId, id) : null;
      const mapping = requireFound(found, "mapping", id);
      requireVersion("mapping", mapping.version, expectedVersion);
      await deleteMappingRow(sql, organizationId, mapping.id);
      return mapping;
    },
    undefined,
    { scope: "write:emissions" },
  );
}
