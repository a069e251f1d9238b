import { Details } from "../../../parts/details.js";
import { Moment } from "../../../parts/moment.js";
import { nameOf } from "../../../parts/names.js";
import { Exact, Tonnes } from "../../../parts/numbers.js";
import { Table } from "../../../parts/table.js";
import { conclusionOf, LEVELS, nameVerifier } from "../names.js";
import type { Request } from "../read-requests.js";

interface CertificateProps {
  readonly request: Request;
  readonly certificate: NonNullable<Request["certificate"]>;
}

/** The latest certificate of a request, with a link to its public page. */
export function Certificate({ request, certificate }: CertificateProps) {
  const { number, status, supersededByNumber, opinion, issuedAt, digest, signature, keyId, verifyUrl } =
    certificate;
  return (
    <section>
      <h2>Certificate {number}</h2>
      <Details
        items={{
          Status: supersededByNumber === null ? nameOf(status) : `${nameOf(status)} by ${supersededByNumber}`,
          "Verified for": <bdi>{request.organizationName}</bdi>,
          "Verified by": <bdi>{nameVerifier(request.verifier)}</bdi>,
          Level: LEVELS[request.level],
          Conclusion: conclusionOf(request.level, opinion),
          Issued: <Moment at={issuedAt} />,
          "Public page": (
            <a href={verifyUrl} target="_blank" rel="noopener">
              View or print
            </a>
          ),
          Digest: <code>{digest}</code>,
          Signature: <code>{signature}</code>,
          Key: <code>{keyId}</code>,
        }}
      />
    </section>
  );
}

/** The latest snapshot of submitted records: totals by scope, and a digest. */
export function Snapshot({ snapshot }: { snapshot: NonNullable<Request["snapshot"]> }) {
  const { number, takenAt, recordCount, totals, totalCo2eTonnes, digest } = snapshot;
  return (
    <section>
      <h2>Snapshot {number}</h2>
      <p class="quiet">
        <Exact value={recordCount} /> {recordCount === 1 ? "record" : "records"}, in total{" "}
        <Exact value={totalCo2eTonnes} /> tCO₂e, as submitted on <Moment at={takenAt} />
      </p>
      <div class="totals">
        <Table
          caption="Totals by scope"
          rows={totals}
          columns={[
            { title: "Scope", cell: ({ scope }) => nameOf(scope) },
            { title: "tCO₂e", isNumber: true, cell: ({ co2eTonnes }) => <Tonnes value={co2eTonnes} /> },
          ]}
        />
      </div>
      <p class="quiet digest">SHA-256 of the records: {digest}</p>
    </section>
  );
}
