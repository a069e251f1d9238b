import { multiplyDecimals } from "../decimals.js";
import { addMonths, type IsoDate } from "../window.js";
import { MAX_LEVELS } from "./entities.js";
import type { ConsolidationApproach, FinancialControl } from "./inventory.js";

/** Decimals of a share: 4 on each level. */
const SHARE_DECIMALS = 4 * MAX_LEVELS;

/** Holding in an entity from a month on. */
export interface Holding {
  /** First day of the month. */
  readonly from: IsoDate;
  /** Share of the parent, or of the organization, as a plain decimal from 0 to 1. */
  readonly equityShare: string;
  readonly financialControl: FinancialControl;
  readonly operationalControl: boolean;
}

/** An entity with its holdings, earliest first. */
export interface HeldEntity {
  readonly id: string;
  readonly parentId: string | null;
  readonly holdings: readonly Holding[];
}

/** Months in which an entity's facilities have the same share. */
export interface ShareSpan {
  readonly entityId: string;
  /** First days of the first and the last month. */
  readonly from: IsoDate;
  readonly to: IsoDate;
  /** Plain decimal from 0 to 1. */
  readonly share: string;
}

/**
 * Creates a function that lists an entity's spans over the 12 months from `start`, without gaps. With `holdingsAsOf`,
 * the holdings of that month apply to all 12. Based on chapter 3 of the GHG Protocol Corporate Standard.
 */
export function createSpans(
  entities: readonly HeldEntity[],
  approach: ConsolidationApproach,
  start: IsoDate,
  holdingsAsOf: IsoDate | null,
): (entity: HeldEntity) => ShareSpan[] {
  const end = addMonths(start, 11);
  const changes = entities.flatMap(({ holdings }) => holdings.map(({ from }) => from));
  const starts = [start, ...(holdingsAsOf === null ? new Set(changes) : [])]
    .filter((month, index) => index === 0 || (month > start && month <= end))
    .sort();
  const byId = new Map(entities.map((entity) => [entity.id, entity]));
  const months = starts.map((from, index) => {
    const next = starts[index + 1];
    const to = next === undefined ? end : addMonths(next, -1);
    return { from, to, shareOf: createShares(byId, approach, holdingsAsOf ?? from) };
  });
  return (entity) => {
    const spans: ShareSpan[] = [];
    for (const { from, to, shareOf } of months) {
      const share = shareOf(entity);
      const last = spans.at(-1);
      if (last?.share === share) spans[spans.length - 1] = { ...last, to };
      else spans.push({ entityId: entity.id, from, to, share });
    }
    return spans;
  };
}

/** Creates a function that returns the share of an entity in a month. It computes the share of each parent once. */
function createShares(
  byId: ReadonlyMap<string, HeldEntity>,
  approach: ConsolidationApproach,
  month: IsoDate,
): (entity: HeldEntity) => string {
  const known = new Map<string, string>();
  const equityOf = (entity: HeldEntity, level: number): string => {
    const found = known.get(entity.id);
    if (found !== undefined) return found;
    const parent = entity.parentId === null ? undefined : byId.get(entity.parentId);
    const own = holdingOf(entity, month)?.equityShare ?? "0";
    // The tree is never deeper; the limit only guards against a cycle.
    const share = multiplyDecimals(
      parent && level < MAX_LEVELS ? [own, equityOf(parent, level + 1)] : [own],
      SHARE_DECIMALS,
    );
    known.set(entity.id, share);
    return share;
  };
  return (entity) => {
    const holding = holdingOf(entity, month);
    if (holding === undefined) return "0";
    const { equityShare, financialControl, operationalControl } = holding;
    if (approach === "operational_control") return operationalControl ? "1" : "0";
    if (approach === "financial_control") {
      return { full: "1", joint: multiplyDecimals([equityShare], SHARE_DECIMALS), none: "0" }[
        financialControl
      ];
    }
    return equityOf(entity, 1);
  };
}

const holdingOf = ({ holdings }: HeldEntity, month: IsoDate) =>
  holdings.findLast(({ from }) => from <= month);
