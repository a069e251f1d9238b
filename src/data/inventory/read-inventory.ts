import { groupBy } from "../../domain/group-by.js";
import { composeInventory } from "../../domain/inventory/compose-inventory.js";
import type { Inventory } from "../../domain/inventory/inventory.js";
import { policyOf } from "../../domain/inventory/policies.js";
import { computeMarket } from "../../domain/inventory/scope-2.js";
import { periodOfYear } from "../../domain/inventory/year.js";
import type { IsoDate } from "../../domain/window.js";
import { mapInTurns, runInTurns } from "../../turns.js";
import { sumMarketBased } from "../emissions/sums.js";
import type { TenantReader } from "../tenant/reader.js";
import { listClaimsOfYear } from "./claims-of-year.js";
import { readSpans } from "./held-entities.js";
import { listJudgements } from "./judgements.js";
import { listPolicies } from "./policies.js";
import { findResidualMixes } from "./residual-mixes.js";
import { sumYear } from "./sum-year.js";

/** An inventory to compute. */
export interface InventoryOfYear {
  readonly year: number;
  /** First day of the month whose holdings apply to the whole year; null to apply each month's own. */
  readonly holdingsAsOf: IsoDate | null;
}

/** Computes a year's inventory from the current records; null if no policy applies to the year. */
export async function readInventory(
  tenant: TenantReader,
  { year, holdingsAsOf }: InventoryOfYear,
): Promise<Inventory | null> {
  const policy = policyOf(await listPolicies(tenant), year);
  if (policy === undefined) return null;
  const period = periodOfYear(year, policy.yearStartsIn);
  const [spans, claims, mixes, judgements, typed] = await Promise.all([
    readSpans(tenant, policy, period, holdingsAsOf),
    listClaimsOfYear(tenant, year),
    findResidualMixes(tenant, year),
    listJudgements(tenant, year),
    sumMarketBased(tenant, period),
  ]);
  const claimsById = groupBy(claims, ({ facilityId }) => facilityId);
  const { sums, unmapped, electricity, facilities } = await sumYear(tenant, {
    period,
    scopes: policy.scopes,
    spans: [...spans.values()].flat(),
    claimedIds: [...claimsById.keys()],
    markets: [...mixes.keys()],
  });
  const consumers = new Set(facilities.map(({ facilityId }) => facilityId));
  // Facilities with claims but no consumption, so that the claims are reported as exceeding it.
  const others = [...claimsById].flatMap(([facilityId, [claim]]) =>
    claim === undefined || consumers.has(facilityId)
      ? []
      : [{ facilityId, code: claim.facilityCode, market: claim.market, ...NOTHING }],
  );
  const computed = await mapInTurns([...facilities, ...others], tenant, (facility) => {
    const claimed = claimsById.get(facility.facilityId ?? "") ?? [];
    const ofFacility = claimed.map(({ kind, mwhExact, rateKgPerKwhExact, renewable }) => ({
      kind,
      mwh: mwhExact,
      rate: rateKgPerKwhExact,
      renewable,
    }));
    const mix = mixes.get(facility.market ?? "") ?? null;
    return { electricity: facility, market: computeMarket(facility, ofFacility, mix) };
  });
  const steps = composeInventory({
    year,
    policy,
    holdingsAsOf,
    sums,
    unmapped,
    judgements: new Map(judgements.map((judgement) => [judgement.line, judgement])),
    electricity,
    facilities: computed,
    typedRecordCount: typed.recordCount,
  });
  return runInTurns(steps, tenant);
}

const NOTHING = { tonnes: "0", kwh: "0", recordCount: 0, kwhRecordCount: 0 };
