import { type FacilityRow, findFacilitiesByCode } from "../../data/facilities/facilities.js";
import type { TenantReader } from "../../data/tenant/reader.js";
import { TEXT_LIMITS } from "../../domain/texts/text-limits.js";
import { type InputReader, InvalidInput } from "../action-error.js";
import { readText } from "../read-text.js";
import type { SentRecord } from "./record-parts.js";

/**
 * Finds the facilities of records by code. An entry is undefined if the record has no facility, or if the code is
 * unknown. For an unknown code, `input` has the fault.
 */
export async function readFacilities(
  tenant: TenantReader,
  records: readonly SentRecord[],
  input: InputReader,
): Promise<(FacilityRow | undefined)[]> {
  const codes = records.map(({ given: { facility }, at }) =>
    facility == null
      ? undefined
      : input.read(() => readText("record", at("facility"), facility, TEXT_LIMITS.reference)),
  );
  const wanted = [...new Set(codes.filter((code) => code !== undefined))];
  const rows = wanted.length === 0 ? [] : await findFacilitiesByCode(tenant, wanted);
  const found = new Map(rows.map((row) => [row.code, row]));
  return records.map(({ at }, index) => {
    const code = codes[index];
    return code === undefined
      ? undefined
      : input.read(
          () => found.get(code) ?? refuse(at("facility"), `must be the code of a facility (got ${code})`),
        );
  });
}

/** Throws InvalidInput for an archived facility, which accepts no new records. */
export function requireOpen({ code, archivedAt }: FacilityRow, { at }: SentRecord): void {
  if (archivedAt !== null) refuse(at("facility"), `must be a facility that is not archived (got ${code})`);
}

function refuse(path: string, fault: string): never {
  throw new InvalidInput("record", path, fault);
}
