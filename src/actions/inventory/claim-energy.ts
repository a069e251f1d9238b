import { randomUUID } from "node:crypto";
import { write } from "../../data/database/transaction.js";
import { findFacilityCodes } from "../../data/facilities/write-facilities.js";
import type { ClaimRow, InstrumentRow } from "../../data/inventory/instruments.js";
import {
  type ClaimCounts,
  type ClaimingFacility,
  countClaims,
  findClaimingFacility,
  findOwnClaim,
  findOwnInstrument,
  findYearStart,
  insertClaim,
} from "../../data/inventory/write-instruments.js";
import { lockOrganizationRow } from "../../data/organizations/lock-row.js";
import { isLarger } from "../../domain/decimals.js";
import { findClaimFaults, MAX_CLAIMS } from "../../domain/inventory/claim-rules.js";
import { periodOfYear } from "../../domain/inventory/year.js";
import { TEXT_LIMITS } from "../../domain/texts/text-limits.js";
import { type IsoDate, isoDate } from "../../domain/window.js";
import type { Problem } from "../../errors.js";
import { ActionError, InvalidInput, joinMessages, requireFound, requireValid } from "../action-error.js";
import type { ActorContext } from "../actor-context.js";
import { assertIdempotent } from "../idempotency.js";
import { readNote, readOptional, readText } from "../read-text.js";
import { readMwh } from "./energy.js";
import { readYear } from "./year.js";

/** A claim as the caller sends it. */
export interface ClaimInput {
  readonly instrumentId: string;
  /** Code of the facility. */
  readonly facility: string;
  readonly year: number;
  /** A decimal in any notation. */
  readonly mwh?: string | null | undefined;
  readonly cancelledOn?: IsoDate | null | undefined;
  readonly cancellation?: string | null | undefined;
  readonly reason?: string | null | undefined;
  /** Makes the request idempotent; generated if omitted. */
  readonly reference?: string | null | undefined;
}

export interface RecordedClaim {
  readonly claim: ClaimRow;
  /** False if the same claim already existed. */
  readonly isNew: boolean;
}

/**
 * Claims energy of an instrument for a facility and a year, or returns the existing claim with the same reference and
 * content. Throws InvalidInput for every fault, and NOT_FOUND for an unknown instrument. Throws CONFLICT if too little
 * energy is left, the facility already has a supplier's rate, the reference exists with different content, or there are
 * too many claims.
 */
export function claimEnergy(
  { resources, writer, now }: ActorContext,
  { instrumentId, mwh, cancelledOn = null, ...input }: ClaimInput,
): Promise<RecordedClaim> {
  const { facility: code, reference, ...sent } = readClaim(input);
  const { organizationId } = writer;
  return write(resources.database, writer, async (sql) => {
    // Claims of one organization are written one at a time, so that two cannot use the same energy.
    await lockOrganizationRow(sql, organizationId);
    const found = await findOwnInstrument(sql, organizationId, { id: instrumentId });
    const instrument = requireFound(found, "instrument", instrumentId, "energy instrument");
    const facility = await findClaimingFacility(sql, organizationId, code);
    const [mwhExact, claiming] = requireValid(
      () => readMwh("claim", instrument.kind, mwh),
      () => requireFacility(facility, code),
      () => requireCancelled(cancelledOn, instrument, now),
    );
    const claim = { ...sent, instrumentId: instrument.id, facilityId: claiming.id, mwhExact, cancelledOn };
    const existing = reference === null ? null : await findOwnClaim(sql, organizationId, reference);
    if (existing) {
      const codes = await findFacilityCodes(sql, organizationId, [existing.facilityId]);
      const content = contentOf(existing, codes.get(existing.facilityId) ?? null);
      assertIdempotent("claim", `The reference ${reference}`, content, contentOf(claim, code));
      return { claim: existing, isNew: false };
    }
    const period = periodOfYear(sent.year, await findYearStart(sql, organizationId));
    requireQuality(findClaimFaults({ ...claim, instrument, facility: claiming, period }));
    requireLeft(instrument, mwhExact);
    requireRoom(await countClaims(sql, organizationId, claim), instrument, code, sent.year);
    const added = { ...claim, reference: reference ?? randomUUID() };
    return { claim: await insertClaim(sql, organizationId, added, instrument.kind), isNew: true };
  });
}

function readClaim(input: Omit<ClaimInput, "instrumentId" | "mwh" | "cancelledOn">) {
  const { year } = input;
  const [facility, , cancellation, reason, reference] = requireValid(
    () => readText("claim", "facility", input.facility, TEXT_LIMITS.reference),
    () => readYear("claim", "year", year),
    () => readOptional("claim", "cancellation", input.cancellation, TEXT_LIMITS.reference),
    () => readNote("claim", "reason", input.reason),
    () => readOptional("claim", "reference", input.reference, TEXT_LIMITS.reference),
  );
  return { facility, year, cancellation, reason, reference };
}

function requireFacility(facility: ClaimingFacility | null, code: string): ClaimingFacility {
  if (facility) return facility;
  throw new InvalidInput("claim", "facility", `must be the code of a facility (got ${code})`);
}

/** Throws InvalidInput if a certificate would be cancelled in the future, or before its energy was generated. */
function requireCancelled(day: IsoDate | null, { generatedFrom }: InstrumentRow, now: Date): void {
  const today = isoDate(now);
  if (day === null || (day >= generatedFrom && day <= today)) return;
  const expected = `must be from ${generatedFrom}, when the generation began, to today, ${today} in UTC`;
  throw new InvalidInput("claim", "cancelledOn", `${expected} (got ${day})`);
}

const contentOf = (claim: Omit<ClaimRow, "id" | "reference">, facility: string | null) => ({
  instrumentId: claim.instrumentId,
  facility,
  year: claim.year,
  mwh: claim.mwhExact,
  cancelledOn: claim.cancelledOn,
  cancellation: claim.cancellation,
  reason: claim.reason,
});

function requireQuality(faults: readonly Problem[]): void {
  if (faults.length === 0) return;
  const message = joinMessages(faults.map((fault) => fault.message));
  throw new ActionError("VALIDATION_FAILED", "claim", message, faults);
}

/** Throws CONFLICT if less than `mwh` is left of an instrument. */
function requireLeft({ reference, leftMwhExact }: InstrumentRow, mwh: string | null): void {
  if (mwh === null || leftMwhExact === null || !isLarger(mwh, leftMwhExact)) return;
  const message = `INSUFFICIENT_MWH: only ${leftMwhExact} MWh of the instrument ${reference} are left, got ${mwh}.`;
  throw new ActionError("CONFLICT", "claim", message, "mwh");
}

/** Throws CONFLICT if a facility already has a supplier's rate for the year, or there are too many claims. */
function requireRoom(
  { rates, ofInstrument, ofYear }: ClaimCounts,
  { kind, reference }: InstrumentRow,
  facility: string,
  year: number,
): void {
  const conflict = (message: string, path: string) => new ActionError("CONFLICT", "claim", message, path);
  if (kind === "supplier_rate" && rates > 0) {
    const message = `The facility ${facility} already has a supplier's rate for ${year}. Withdraw that claim first.`;
    throw conflict(message, "facility");
  }
  if (ofInstrument >= MAX_CLAIMS.ofInstrument) {
    const message = `The instrument ${reference} already has ${MAX_CLAIMS.ofInstrument} claims, the maximum. Record its remaining energy as another instrument.`;
    throw conflict(message, "instrumentId");
  }
  if (ofYear >= MAX_CLAIMS.ofYear) {
    throw conflict(
      `The year ${year} already has ${MAX_CLAIMS.ofYear} claims, the maximum. Withdraw one first.`,
      "year",
    );
  }
}
