import { useEffect, useRef } from "preact/hooks";
import { Details } from "../../../parts/details.js";
import { Exact, Money } from "../../../parts/numbers.js";
import { Publication } from "../../../parts/source.js";
import { Lines } from "./lines.js";
import type { CbamEstimate } from "./read-estimate.js";
import { Sources } from "./sources.js";

/** What the imports of a year need by the law, with each figure that led there. */
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

function DeMinimis({ deMinimis: { massT, thresholdT, exempt } }: Pick<CbamEstimate, "deMinimis">) {
  return (
    <>
      <Exact value={massT} /> t of net mass count.{" "}
      {exempt
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
