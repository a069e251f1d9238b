import { multiplyDecimals } from "../amounts.js";
import { addMonths, type IsoDate } from "../window.js";
import type { ConsolidationApproach, FinancialControl } from "./inventory.js";

/** Most levels of a tree of entities. */
export const MOST_LEVELS = 5;

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

/** Months in which the facilities of an entity count by the same share. */
export interface ShareSpan {
  readonly entityId: string;
  /** First days of the first and the last month. */
  readonly from: IsoDate;
  readonly to: IsoDate;
  /** Plain decimal from 0 to 1. */
  readonly share: string;
}

/**
 * Creates a function that lists the spans of an entity over the 12 months from `start`, without gaps. With
 * `holdingsAsOf`, the holdings of that month count for all 12. Based on chapter 3 of the GHG Protocol Corporate Standard.
 */
export function createSpans(
  entities: readonly HeldEntity[],
  approach: ConsolidationApproach,
  start: IsoDate,
  holdingsAsOf: IsoDate | null,
): (entity: HeldEntity) => ShareSpan[] {
  const byId = new Map(entities.map((entity) => [entity.id, entity]));
  const months = Array.from({ length: 12 }, (_, index) => addMonths(start, index));
  return (entity) => {
    const spans: ShareSpan[] = [];
    for (const month of months) {
      const share = shareOf(entity, holdingsAsOf ?? month, approach, byId);
      const last = spans.at(-1);
      if (last?.share === share) spans[spans.length - 1] = { ...last, to: month };
      else spans.push({ entityId: entity.id, from: month, to: month, share });
    }
    return spans;
  };
}

function shareOf(
  entity: HeldEntity,
  month: IsoDate,
  approach: ConsolidationApproach,
  byId: ReadonlyMap<string, HeldEntity>,
): string {
  const holding = holdingOf(entity, month);
  if (holding === undefined) return "0";
  if (approach === "operational_control") return holding.operationalControl ? "1" : "0";
  if (approach === "financial_control") {
    const { equityShare, financialControl } = holding;
    return { full: "1", joint: multiplyDecimals([equityShare]), none: "0" }[financialControl];
  }
  const shares = [holding.equityShare];
  let parent = parentOf(entity, byId);
  for (; parent !== undefined && shares.length < MOST_LEVELS; parent = parentOf(parent, byId)) {
    shares.push(holdingOf(parent, month)?.equityShare ?? "0");
  }
  return multiplyDecimals(shares);
}

const holdingOf = ({ holdings }: HeldEntity, month: IsoDate) =>
  holdings.findLast(({ from }) => from <= month);

const parentOf = ({ parentId }: HeldEntity, byId: ReadonlyMap<string, HeldEntity>) =>
  parentId === null ? undefined : byId.get(parentId);
