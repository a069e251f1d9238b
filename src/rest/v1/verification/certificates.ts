import { z } from "zod";
import { CERTIFICATE_STATUSES, OPINIONS } from "../../../domain/verification/states.js";
import { type CertificateFieldsFragment, graphql } from "../../../generated/operations.js";
import { endpoint } from "../../endpoint.js";
import { lowerCase } from "../../ext/lower-case.js";
import { listQuery, nextCursor, pageOf, pageShape } from "../list.js";

/** What the tenant's and the public answer have in common. */
export const signed = {
  statement: z.record(z.string(), z.unknown()).meta({ description: "What is certified." }),
  statement_text: z
    .string()
    .meta({ description: "The statement as it was signed: JSON with sorted keys, without spaces." }),
  digest: z.string().meta({ description: "SHA-256 of `statement_text`, in hexadecimal." }),
  signature: z.string().meta({ description: "Ed25519 signature of `statement_text`, in base64." }),
  key_id: z.string().meta({ description: "The key's `kid` at /.well-known/cgw-certificate-keys.json." }),
};

/** The example of README.md's check value. */
export const SIGNED_EXAMPLE = {
  statement: {
    ...{ boundary: "operational_control", certificate_number: "CGW-2026-000001", level: "limited" },
    ...{ materiality_pct: "5", opinion: "unmodified", organization: "demo" },
    ...{ period: { from: "2025-01-01", to: "2025-12-31" }, record_count: 3 },
    scopes: [
      { co2e_tonnes: "100.5", scope: "scope_1" },
      { co2e_tonnes: "200.25", scope: "scope_2" },
      { co2e_tonnes: "0", scope: "scope_3" },
    ],
    total_co2e_tonnes: "300.75",
  },
  statement_text:
    '{"boundary":"operational_control","certificate_number":"CGW-2026-000001","level":"limited","materiality_pct":"5","opinion":"unmodified","organization":"demo","period":{"from":"2025-01-01","to":"2025-12-31"},"record_count":3,"scopes":[{"co2e_tonnes":"100.5","scope":"scope_1"},{"co2e_tonnes":"200.25","scope":"scope_2"},{"co2e_tonnes":"0","scope":"scope_3"}],"total_co2e_tonnes":"300.75"}',
  digest: "cb9f1e4db771fafea266942b92d16bc048bff7fc64962a526b3327b927af1898",
  signature: "hCIvpYyDzpVCWfFLH1NjKRv0Xk1HkF7Y7p0mF1Hhk5c5i0n0o0a2QmFhVbM5y0cGk8mV3C3q3d8w0bqvJbZ1Dg==",
  key_id: "8b1a9953c4611296",
};

const certificateShape = z
  .object({
    number: z.string(),
    request_id: z.uuid(),
    issued_at: z.iso.datetime(),
    opinion: z.enum(OPINIONS),
    ...signed,
    status: z.enum(CERTIFICATE_STATUSES),
    superseded_by: z
      .string()
      .nullable()
      .meta({ description: "Number of the certificate that took its place; null if none did." }),
    verify_url: z.string().meta({ description: "The page on which anybody can check it." }),
  })
  .meta({ id: "Certificate" });
type CertificateData = z.infer<typeof certificateShape>;

const EXAMPLE: CertificateData = {
  ...{ number: "CGW-2026-000001", request_id: "2b1f0c9a-64d7-4d0e-8a1b-7f0f5a3c9e11" },
  ...{ issued_at: "2026-11-20T12:00:00.000Z", opinion: "unmodified", ...SIGNED_EXAMPLE },
  ...{ status: "valid", superseded_by: null },
  verify_url: "https://gateway.example.com/certificates/CGW-2026-000001",
};

graphql(`
  fragment CertificateFields on Certificate {
    number requestId issuedAt opinion statement digest signature keyId status supersededBy verifyUrl
  }
`);

const describe = (certificate: CertificateFieldsFragment): CertificateData => ({
  ...{ number: certificate.number, request_id: certificate.requestId },
  ...{ issued_at: certificate.issuedAt.toISOString(), opinion: lowerCase(certificate.opinion) },
  ...{ statement: JSON.parse(certificate.statement), statement_text: certificate.statement },
  ...{ digest: certificate.digest, signature: certificate.signature, key_id: certificate.keyId },
  ...{ status: lowerCase(certificate.status), superseded_by: certificate.supersededBy ?? null },
  verify_url: certificate.verifyUrl,
});

/** The organization's certificates. */
export const certificates = [
  endpoint({
    path: "/verification/certificates",
    summary: "The organization's certificates, latest first",
    scope: "read:emissions",
    operation: graphql(`
      query RestCertificates($first: Int, $after: String) {
        verificationCertificates(first: $first, after: $after) {
          nodes { ...CertificateFields }
          pageInfo { hasNextPage endCursor }
        }
      }
    `),
    query: listQuery,
    variables: ({ query }) => pageOf(query),
    data: pageShape("Certificates", certificateShape),
    example: { items: [EXAMPLE], next_cursor: null },
    reshape: ({ verificationCertificates: { nodes, pageInfo } }) => ({
      items: nodes.map(describe),
      next_cursor: nextCursor(pageInfo),
    }),
  }),
  endpoint({
    path: "/verification/certificates/{number}",
    summary: "A certificate of the organization",
    scope: "read:emissions",
    operation: graphql(`
      query RestCertificate($number: String!) {
        verificationCertificate(number: $number) { ...CertificateFields }
      }
    `),
    params: z.object({ number: z.string() }),
    variables: ({ params }) => params,
    data: certificateShape,
    example: EXAMPLE,
    reshape: ({ verificationCertificate }) => describe(verificationCertificate),
  }),
];
