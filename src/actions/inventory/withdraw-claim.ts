import { write } from "../../data/database/transaction.js";
import type { ClaimRow } from "../../data/inventory/instruments.js";
import { deleteClaim, lockClaim } from "../../data/inventory/write-instruments.js";
import { lockOrganizationRow } from "../../data/organizations/lock-row.js";
import { TEXT_LIMITS } from "../../domain/texts/text-limits.js";
import { requireFound } from "../action-error.js";
import type { ActorContext } from "../actor-context.js";
import { readLines } from "../read-text.js";

/** Withdraws an energy claim and returns it. Throws InvalidInput and NOT_FOUND. */
export function withdrawClaim(
  { resources, writer }: ActorContext,
  id: string,
  reason: string,
): Promise<ClaimRow> {
  const note = readLines("claim", "reason", reason, TEXT_LIMITS.note);
  const { organizationId } = writer;
  return write(
    resources.database,
    writer,
    async (sql) => {
      await lockOrganizationRow(sql, organizationId);
      const claim = requireFound(await lockClaim(sql, organizationId, id), "claim", id, "energy claim");
      await deleteClaim(sql, organizationId, claim.id, note);
      return claim;
    },
    "energy_claim.withdrawn",
  );
}
