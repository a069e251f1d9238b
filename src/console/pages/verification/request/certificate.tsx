import { Details } from "../../../parts/details.js";
import { Moment } from "../../../parts/moment.js";
import { nameOf } from "../../../parts/names.js";
import { OPINIONS } from "../names.js";
import type { Request } from "../read-requests.js";

/** The latest certificate of a request, with the way to the page on which anybody can check and print it. */
export function Certificate({ certificate }: { certificate: NonNullable<Request["certificate"]> }) {
  const { number, status, supersededBy, opinion, issuedAt, digest, signature, keyId, verifyUrl } =
    certificate;
  return (
    <section>
      <h2>Certificate {number}</h2>
      <Details
        items={{
          Status: supersededBy === null ? nameOf(status) : `${nameOf(status)} by ${supersededBy}`,
          Opinion: OPINIONS[opinion],
          Issued: <Moment at={issuedAt} />,
          "Public page": (
            <a href={verifyUrl} target="_blank" rel="noopener">
              Check or print it
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
