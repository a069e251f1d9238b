import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { CbamSourceKind } from "../../../../generated/console.js";
import { Details } from "../../../parts/details.js";
import { Exact, Money, percent, shorten } from "../../../parts/numbers.js";
import { Publication } from "../../../parts/source.js";
import { type Column, Table } from "../../../parts/table.js";
import { originOf } from "../names.js";
import { Notices } from "../notices.js";
import type { CbamEstimate, CbamLine } from "./read-estimate.js";

interface OutcomeProps {
  readonly estimate: CbamEstimate;
  /** Country of origin of each line. */
  readonly origins: readonly string[];
  readonly children: ComponentChildren;
}

/** Certificates for the imports of a year under the law, with each figure of the calculation. */
export function Outcome({ estimate, origins, children }: OutcomeProps) {
  const { year, total, certificatePrice, deMinimis, lines } = estimate;
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), [estimate]);
  return (
    <section class="apart" aria-labelledby="estimate">
      <h2 id="estimate" ref={heading} tabIndex={-1}>
        Certificates for {year}
      </h2>
      <p class="total">
        <Money value={total.costToBuyEur} />{" "}
        <small>
          EUR for <Exact value={total.certificatesToBuy} /> certificates
        </small>
      </p>
      {children}
      <Details
        items={{
          ...(deMinimis.isExempt && { "Without the exemption": <WithoutExemption total={total} /> }),
          "Embedded emissions": <Exact value={total.embeddedEmissions} unit="tCO₂e" />,
          "De minimis": <DeMinimis deMinimis={deMinimis} />,
          Price: <Price price={certificatePrice} />,
        }}
      />
      <Lines lines={lines} origins={origins} />
      <Sources estimate={estimate} />
    </section>
  );
}

/** Cost and number of certificates that exempt goods would need without the exemption. */
const WithoutExemption = ({ total }: Pick<CbamEstimate, "total">) => (
  <>
    <Money value={total.costEur} /> EUR for <Exact value={total.certificates} /> certificates
  </>
);

function DeMinimis({ deMinimis: { massT, thresholdT, isExempt } }: Pick<CbamEstimate, "deMinimis">) {
  return (
    <>
      <Exact value={massT} /> t count towards the exemption of {thresholdT} t a year.
      {isExempt && " These goods are exempt if they are all of your imports in the year."}
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

/** Certificates for each good, with its notices. */
function Lines({ lines, origins }: Pick<OutcomeProps, "origins"> & { lines: readonly CbamLine[] }) {
  return (
    <>
      <Table caption="Certificates by good" rows={lines} columns={COLUMNS} />
      {lines.map(
        ({ good, notices }, index) =>
          notices.length > 0 && (
            <section key={index} aria-label={`Notices about ${good}`}>
              {lines.length > 1 && <h3>{good}</h3>}
              <Notices notices={notices} country={origins[index]} />
            </section>
          ),
      )}
    </>
  );
}

const COLUMNS: readonly Column<CbamLine>[] = [
  { title: "Good", wraps: true, cell: ({ good }) => good },
  { title: "Values for", wraps: true, cell: ({ countryUsed }) => originOf(countryUsed) },
  { title: "Route", cell: ({ route }) => route ?? "–" },
  { title: "tCO₂e per t", isNumber: true, cell: (line) => <PerTonne line={line} /> },
  { title: "Embedded, tCO₂e", isNumber: true, cell: (line) => <Exact value={line.embeddedEmissions} /> },
  { title: "Benchmark, tCO₂e/t", isNumber: true, cell: ({ benchmark }) => <Exact value={benchmark} /> },
  {
    title: "Free share",
    isNumber: true,
    cell: ({ cbamFactor }) => `${shorten(cbamFactor * 100)} %`,
  },
  {
    title: "Free allocation, tCO₂e",
    isNumber: true,
    cell: ({ freeAllocationAdjustment }) => <Exact value={freeAllocationAdjustment} />,
  },
  { title: "Certificates", isNumber: true, cell: ({ certificates }) => <Exact value={certificates} /> },
  { title: "EUR, before rounding up", isNumber: true, cell: ({ costEur }) => <Money value={costEur} /> },
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

/** The publication behind each kind of figure in an estimate. */
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
