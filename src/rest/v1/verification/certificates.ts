import { hash } from "node:crypto";
import { z } from "zod";
import { listQuery, nextCursor, pageOf, pageShape } from "../../../catalogue/list.js";
import { writeStatement } from "../../../domain/verification/statement.js";
import { CERTIFICATE_STATUSES, OPINIONS } from "../../../domain/verification/states.js";
import { type CertificateFieldsFragment, graphql } from "../../../generated/operations.js";
import { endpoint } from "../../endpoint.js";
import { lowerCase } from "../../ext/lower-case.js";

/** The signed part of a certificate, in the tenant's answers and the public one. */
export const signed = {
  statement: z
    .record(z.string(), z.unknown())
    .meta({ description: "The certified content. Certificates issued before format 2 have no `format`." }),
  statement_text: z
    .string()
    .meta({ description: "The statement as it was signed: JSON with sorted keys, without spaces." }),
  digest: z.string().meta({ description: "SHA-256 of `statement_text`, in hexadecimal." }),
  signature: z.string().meta({ description: "Ed25519 signature of `statement_text`, in base64." }),
  key_id: z.string().meta({ description: "The key's `kid` at /.well-known/cgw-certificate-keys.json." }),
};

const STATEMENT_EXAMPLE = writeStatement({
  number: "CGW-2026-000001-4F7K2M9Q",
  organization: {
    id: "7c0e2f5a-3b1d-4a57-9f0c-2d8e6b4a1c11",
    name: "Demonstration Manufacturing Group",
    slug: "demo",
  },
  verifier: { name: "Vera Example", organization: "Example Assurance Ltd" },
  issuedOn: "2026-02-10",
  period: { from: "2025-01-01", to: "2025-12-31" },
  level: "limited",
  materialityPct: "5",
  opinion: "unmodified",
  recordCount: 3,
  totals: [
    { scope: "scope_1", co2eTonnes: "100.5" },
    { scope: "scope_2", co2eTonnes: "200.25" },
    { scope: "scope_3", co2eTonnes: "0" },
  ],
  totalCo2eTonnes: "300.75",
  snapshotDigest: "0f3a5c1e9b7d2468ace013579bdf02468ace13579bdf02468ace13579bdf0246",
});

/** The signed part of the examples. */
export const SIGNED_EXAMPLE = {
  statement: JSON.parse(STATEMENT_EXAMPLE),
  statement_text: STATEMENT_EXAMPLE,
  digest: hash("sha256", STATEMENT_EXAMPLE),
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
  number: "CGW-2026-000001-4F7K2M9Q",
  request_id: "2b1f0c9a-64d7-4d0e-8a1b-7f0f5a3c9e11",
  issued_at: "2026-02-10T12:00:00.000Z",
  opinion: "unmodified",
  ...SIGNED_EXAMPLE,
  status: "valid",
  superseded_by: null,
  verify_url: "https://gateway.example.com/certificates/CGW-2026-000001-4F7K2M9Q",
};

graphql(`
  fragment CertificateFields on Certificate {
    number requestId issuedAt opinion statement digest signature keyId status supersededBy verifyUrl
  }
`);

const describe = (certificate: CertificateFieldsFragment): CertificateData => ({
  number: certificate.number,
  request_id: certificate.requestId,
  issued_at: certificate.issuedAt.toISOString(),
  opinion: lowerCase(certificate.opinion),
  statement: JSON.parse(certificate.statement),
  statement_text: certificate.statement,
  digest: certificate.digest,
  signature: certificate.signature,
  key_id: certificate.keyId,
  status: lowerCase(certificate.status),
  superseded_by: certificate.supersededBy ?? null,
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
