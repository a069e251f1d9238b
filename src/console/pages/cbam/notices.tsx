import type { CbamNotice } from "../../../generated/console.js";

const NOTICES: Readonly<Record<CbamNotice, string>> = {
  FREE_ORIGIN: "Goods of the EU, Iceland, Liechtenstein, Norway and Switzerland need no certificates.",
  OTHER_COUNTRIES_VALUE:
    "The gateway has no default value of these goods for this country: that of all other countries was used.",
  INDIRECT_MISSING: "Indirect emissions count for these goods, and none were given.",
  INDIRECT_NOT_COUNTED: "Indirect emissions do not count for these goods, and were left out.",
  PRECURSORS_MISSING:
    "These goods are made of precursors, and none were given: their free allocation is missing.",
  PRECURSORS_ARE_OUR_READING:
    "That each precursor adds its own benchmark (column A) is our reading of the regulation.",
  BENCHMARK_PERIOD_ENDED:
    "Benchmarks and the cross-sectoral correction factor are published until 2030: the last ones were used.",
  QUARTER_MISSING:
    "In 2026 the quarter of import decides on the price, and none was given: the latest published price was used.",
  PRICE_NOT_YET_PUBLISHED:
    "The price for the time of import is not published yet: the latest published price was used.",
  NOT_LAW: "This scenario is a proposal, and not law.",
  NEAR_DE_MINIMIS: "The mass is 40 t or more, close to the 50 t from which certificates are due.",
};

/** Warnings attached to a calculation, in words. */
export function Notices({ notices }: { notices: readonly CbamNotice[] }) {
  if (notices.length === 0) return null;
  return (
    <ul>
      {notices.map((notice) => (
        <li key={notice}>{NOTICES[notice]}</li>
      ))}
    </ul>
  );
}
