import { formatMagnitude, formatPercent, type Insight, shareOf } from "./insight.js";

/** Above this percentage, the price of one type determines the value of the portfolio. */
const MAX_SHARE = 80;

/** Reports that more than 80 % of the available credits are of one type. */
export function findConcentration(
  byType: readonly { readonly creditType: string; readonly quantity: number }[],
): Insight | null {
  const total = byType.reduce((sum, { quantity }) => sum + quantity, 0);
  const [largest] = byType.toSorted((one, other) => other.quantity - one.quantity);
  if (!largest || total === 0) return null;
  const share = shareOf(largest.quantity, total);
  if (share <= MAX_SHARE) return null;
  return {
    kind: "concentration",
    about: largest.creditType,
    severity: "medium",
    tonnes: largest.quantity,
    title: `${formatPercent(share)} of the credits are ${largest.creditType}`,
    body: `Of ${formatMagnitude(total)} available credits, ${formatMagnitude(largest.quantity)} are of this type.`,
    figures: [
      { name: "of_type", value: largest.quantity, unit: "credits" },
      { name: "available", value: total, unit: "credits" },
      { name: "share_percent", value: share, unit: "%" },
    ],
    query: { name: "InsightConcentration", variables: {} },
  };
}
