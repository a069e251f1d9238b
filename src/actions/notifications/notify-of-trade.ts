import type { SqlSession } from "../../data/database/types.js";
import type { PriceContent } from "../../data/market/write-prices.js";
import { notify } from "./notify.js";

/** A batch of credits before some of them are sold or retired. */
interface Batch {
  readonly id: string;
  readonly reference: string;
  readonly creditType: string;
  readonly available: number;
}

/** Notifies the members of an organization when the last credits of a batch are sold or retired. */
export async function notifyOfUse(
  sql: SqlSession,
  organizationId: string,
  { id, reference, creditType, available }: Batch,
  { quantity, now }: { readonly quantity: number; readonly now: Date },
): Promise<void> {
  if (quantity < available) return;
  await notify(sql, {
    organizationId,
    to: { membersWith: "read:credits" },
    key: `credit batch ${id} used up`,
    category: "credit",
    severity: "medium",
    title: `No credits are left of ${reference}`,
    summary: "All credits of a batch are sold or retired",
    body: `All credits (${creditType}) of the batch are sold or retired.`,
    link: "/console/credits",
    now,
  });
}

/** Change of a price, in percent, of which members are notified. */
const NOTABLE_PERCENT = 10;

/** Notifies the members of an organization when a price that it records differs much from the one before. */
export async function notifyOfPrice(
  sql: SqlSession,
  organizationId: string,
  { id, creditType, exchange, asOf, price, currency }: PriceContent & { readonly id: string },
  { former, now }: { readonly former: string | undefined; readonly now: Date },
): Promise<void> {
  if (former === undefined || Number(former) === 0) return;
  const percent = (Number(price) / Number(former) - 1) * 100;
  if (Math.abs(percent) < NOTABLE_PERCENT) return;
  const change = `${percent > 0 ? "+" : "−"}${Math.abs(percent).toFixed(1)} %`;
  await notify(sql, {
    organizationId,
    to: { membersWith: "read:market" },
    key: `price ${id}`,
    category: "market",
    severity: "medium",
    title: `${creditType} on ${exchange}: ${change}`,
    summary: `A price has changed by at least ${NOTABLE_PERCENT} %`,
    body: `The price of ${asOf} is ${price} ${currency}. The one before was ${former} ${currency}.`,
    link: "/console/market",
    now,
  });
}
