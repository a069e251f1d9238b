import type { CbamSourceKind } from "../../../../generated/console.js";
import { Publication } from "../../../parts/source.js";
import type { CbamEstimate } from "./read-estimate.js";

const KINDS: Readonly<Record<CbamSourceKind, string>> = {
  DEFAULT_VALUES: "Default values",
  BENCHMARKS: "Benchmarks",
  CBAM_FACTOR: "Share of free allocation",
  CSCF: "Cross-sectoral correction factor",
  MARKUP: "Mark-up",
  PRICE: "Price",
};

/** The publications that the figures of an estimate are from, and which figures they are. */
export function Sources({ estimate: { sources, rulesetAsOf, rulesetDigest } }: { estimate: CbamEstimate }) {
  return (
    <details>
      <summary>Sources</summary>
      <ul>
        {sources.map(({ kind, source, sourceUrl }) => (
          <li key={kind}>
            {KINDS[kind]}: <Publication source={source} sourceUrl={sourceUrl} />
          </li>
        ))}
      </ul>
      <p class="quiet digest">
        Figures as of {rulesetAsOf}, {rulesetDigest}
      </p>
    </details>
  );
}
