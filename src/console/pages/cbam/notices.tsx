import type { CbamNotice } from "../../../generated/console.js";
import { originOf } from "./names.js";

const NOTICES: Readonly<Record<CbamNotice, string>> = {
  FREE_ORIGIN: "Goods from the EU, Iceland, Liechtenstein, Norway and Switzerland need no certificates.",
  OTHER_COUNTRIES_VALUE:
    "We don't have the default values for one of these countries, and its official values may differ. Don't file this figure.",
  INDIRECT_MISSING: "Indirect emissions count for these goods, but none were entered.",
  INDIRECT_NOT_COUNTED: "Indirect emissions do not count for these goods and were left out.",
  PRECURSORS_MISSING:
    "These goods are made from precursors, but none were entered. Their free allocation is missing.",
  PRECURSORS_ARE_OUR_READING:
    "Adding each precursor's own benchmark (column A) is our reading of the regulation.",
  BENCHMARK_PERIOD_ENDED:
    "Benchmarks and the cross-sectoral correction factor are published up to 2030. The latest ones were used.",
  QUARTER_MISSING:
    "In 2026 the price depends on the quarter of import. None was entered, so the latest published price was used.",
  PRICE_NOT_YET_PUBLISHED:
    "The price for this import quarter is not published yet. The latest published price was used.",
  NOT_LAW: "This scenario is a proposal, not law.",
  NEAR_DE_MINIMIS: "The mass is close to 50 t. Above that, certificates are due.",
};

interface NoticesProps {
  readonly notices: readonly CbamNotice[];
  /** Country of origin, if it is the same for all goods. */
  readonly country?: string | undefined;
}

/** Warnings attached to a calculation, in words. */
export function Notices({ notices, country }: NoticesProps) {
  if (notices.length === 0) return null;
  return (
    <ul>
      {notices.map((notice) => (
        <li key={notice} class={notice === "OTHER_COUNTRIES_VALUE" ? "complaint" : undefined}>
          {notice === "OTHER_COUNTRIES_VALUE" && country
            ? `We don't have the default values for ${originOf(country)}, and its official value may differ. Don't file this figure.`
            : NOTICES[notice]}
        </li>
      ))}
    </ul>
  );
}
