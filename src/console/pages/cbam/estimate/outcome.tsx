import { useEffect, useRef } from "preact/hooks";
import type { CbamSourceKind } from "../../../../generated/console.js";
import { Details } from "../../../parts/details.js";
import { Exact, Money, percent, shorten } from "../../../parts/numbers.js";
import { Publication } from "../../../parts/source.js";
import { type Column, Table } from "../../../parts/table.js";
import { originOf } from "../names.js";
import { Notices } from "../notices.js";
import type { CbamEstimate, CbamLine } from "./read-estimate.js";

/** Certificates for the imports of a year under the law, with each figure of the calculation. */
export function Outcome({ estimate }: { estimate: CbamEstimate }) {
  const { year, total, certificatePrice, deMinimis, lines } = estimate;
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), [estimate]);
  return (
    <section class="apart" aria-labelledby="estimate">
      <h2 id="estimate" ref={heading} tabIndex={-1}>
        Certificates for {year}
      </h2>
      <p class="total">
        <Money value={total.costEur} />{" "}
        <small>
          EUR for <Exact value={total.certificates} /> certificates
        </small>
      </p>
      <Details
        items={{
          "To buy": <Exact value={total.certificatesToBuy} unit="whole certificates" />,
          "Embedded emissions": <Exact value={total.embeddedEmissions} unit="tCO₂e" />,
          "De minimis": <DeMinimis deMinimis={deMinimis} />,
          Price: <Price price={certificatePrice} />,
        }}
      />
      <Lines lines={lines} />
      <Sources estimate={estimate} />
    </section>
  );
}

function DeMinimis({ deMinimis: { massT, thresholdT, isExempt } }: Pick<CbamEstimate, "deMinimis">) {
  return (
    <>
      <Exact value={massT} /> t of net mass count.{" "}
      {isExempt
        ? `Up to ${thresholdT} t in a year need no certificates, if these are all of your imports: the cost is what they would need above that.`
        : `Up to ${thresholdT} t in a year need no certificates.`}
    </>
  );
}

function Price({ price: { eur, period, source, sourceUrl } }: { price: CbamEstimate["certificatePrice"] }) {
  return (
    <>
      <Money value={eur} /> EUR per certificate,{" "}
      {source === null || sourceUrl === null ? (
        "your own"
      ) : (
        <>
          {period}: <Publication source={source} sourceUrl={sourceUrl} />
        </>
      )}
    </>
  );
}

/** Certificates for each of the goods, with their notices. */
export function Lines({ lines }: { lines: readonly CbamLine[] }) {
  return (
    <>
      <Table caption="What each of the goods needs" rows={lines} columns={COLUMNS} />
      {lines.map(
        ({ good, notices }, index) =>
          notices.length > 0 && (
            <section key={index} aria-label={`What to mind about ${good}`}>
              {lines.length > 1 && <h3>{good}</h3>}
              <Notices notices={notices} />
            </section>
          ),
      )}
    </>
  );
}

const COLUMNS: readonly Column<CbamLine>[] = [
  { title: "Good", wraps: true, cell: ({ good }) => good },
  { title: "Values of", wraps: true, cell: ({ countryUsed }) => originOf(countryUsed) },
  { title: "Route", cell: ({ route }) => route ?? "–" },
  { title: "tCO₂e per t", isNumber: true, cell: (line) => <PerTonne line={line} /> },
  { title: "Embedded", isNumber: true, cell: (line) => <Exact value={line.embeddedEmissions} /> },
  { title: "Benchmark", isNumber: true, cell: ({ benchmark }) => <Exact value={benchmark} /> },
  {
    title: "Free share",
    isNumber: true,
    cell: ({ cbamFactor }) => `${shorten(cbamFactor * 100)} %`,
  },
  {
    title: "Free allocation",
    isNumber: true,
    cell: ({ freeAllocationAdjustment }) => <Exact value={freeAllocationAdjustment} />,
  },
  { title: "Certificates", isNumber: true, cell: ({ certificates }) => <Exact value={certificates} /> },
  { title: "EUR", isNumber: true, cell: ({ costEur }) => <Money value={costEur} /> },
];

/** Embedded emissions per tonne, with the default value and mark-up behind them. */
function PerTonne({ line: { specificEmbedded, defaultValue, markup } }: { line: CbamLine }) {
  return (
    <span>
      <Exact value={specificEmbedded} />
      {defaultValue !== null && markup !== null && (
        <span class="quiet">
          {" "}
          = {defaultValue} {percent(markup * 100)}
        </span>
      )}
    </span>
  );
}

const KINDS: Readonly<Record<CbamSourceKind, string>> = {
  DEFAULT_VALUES: "Default values",
  BENCHMARKS: "Benchmarks",
  CBAM_FACTOR: "Share of free allocation",
  CSCF: "Cross-sectoral correction factor",
  MARKUP: "Mark-up",
  PRICE: "Price",
};

/** The publications behind an estimate, each with its figures. */
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
