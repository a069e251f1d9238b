import { hash } from "node:crypto";
import { z } from "zod";
import { readStatement, writeStatement } from "../../../domain/verification/statement.js";
import { ASSURANCE_LEVELS, CERTIFICATE_STATUSES, OPINIONS } from "../../../domain/verification/states.js";
import type { RequestInfo } from "../../../http/request-info.js";
import type { SessionEndpoint } from "../../endpoint.js";
import { scopeShape } from "./scope-shape.js";

/** Finds a certificate of any organization. */
export interface Certified {
  find(
    request: RequestInfo,
    number: string,
  ): Promise<{
    readonly issuedAt: string;
    /** Canonical JSON. */
    readonly statement: string;
    readonly digest: string;
    readonly signature: string;
    readonly keyId: string;
    readonly status: (typeof CERTIFICATE_STATUSES)[number];
    readonly supersededBy: string | null;
  }>;
}

/** Shape of the signed part of a certificate. */
const signed = {
  statement: z
    .record(z.string(), z.unknown())
    .meta({ description: "Certified content. Certificates issued before format 2 have no `format`." }),
  statement_text: z
    .string()
    .meta({ description: "The statement as signed: JSON with sorted keys and no spaces." }),
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
  materialityPercent: "5",
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

/** Example of the signed part. */
const SIGNED_EXAMPLE = {
  statement: JSON.parse(STATEMENT_EXAMPLE),
  statement_text: STATEMENT_EXAMPLE,
  digest: hash("sha256", STATEMENT_EXAMPLE),
  signature: "hCIvpYyDzpVCWfFLH1NjKRv0Xk1HkF7Y7p0mF1Hhk5c5i0n0o0a2QmFhVbM5y0cGk8mV3C3q3d8w0bqvJbZ1Dg==",
  key_id: "8b1a9953c4611296",
};

const periodShape = z
  .object({
    from: z.iso.date().meta({ description: "First day." }),
    to: z.iso.date().meta({ description: "Last day." }),
  })
  .meta({ id: "DatePeriod" });

const params = z.object({ number: z.string() });

/** Parts of a statement repeated in the response. All of them were signed. */
const stated = z.object({
  organization: z.string().meta({
    description: "Name of the organization on the day of issue; before format 2, its slug.",
  }),
  verifier: z
    .object({
      name: z.string().meta({ description: "Name of the verifier." }),
      organization: z.string().meta({ description: "Organization on whose behalf the verifier acted." }),
    })
    .meta({ id: "CertifiedVerifier" })
    .nullable()
    .meta({ description: "The person who decided; null before format 2." }),
  period: periodShape,
  scopes: z
    .array(
      z
        .object({
          scope: scopeShape.meta({ description: "Scope of the GHG Protocol." }),
          co2e_tonnes: z.string().meta({ description: "Certified emissions in tCO2e." }),
        })
        .meta({ id: "CertifiedScope" }),
    )
    .meta({ description: "Certified emissions by scope." }),
  total_co2e_tonnes: z.string().meta({ description: "Certified emissions of all scopes in tCO2e." }),
  level: z.enum(ASSURANCE_LEVELS).meta({ description: "Level of assurance." }),
  opinion: z.enum(OPINIONS).meta({ description: "Opinion of the verifier." }),
});

const data = z
  .object({
    number: z.string().meta({ description: "Number of the certificate." }),
    issued_at: z.iso.datetime().meta({ description: "Time of issue." }),
    ...stated.shape,
    status: z.enum(CERTIFICATE_STATUSES).meta({ description: "Current state of the certificate." }),
    superseded_by: z
      .string()
      .nullable()
      .meta({ description: "Number of the certificate that replaces it; null if none does." }),
    ...signed,
  })
  .meta({ id: "PublicCertificate" });

const EXAMPLE: z.infer<typeof data> = {
  number: "CGW-2026-000001-4F7K2M9Q",
  issued_at: "2026-02-10T12:00:00.000Z",
  ...stated.parse(readStatement(SIGNED_EXAMPLE.statement_text)),
  status: "valid",
  superseded_by: null,
  ...SIGNED_EXAMPLE,
};

/** Creates the public endpoint that checks a certificate. */
export const createVerify = ({ find }: Certified): SessionEndpoint => ({
  method: "GET",
  path: "/verification/certificates/{number}/verify",
  summary: "A certificate as signed, with its signature and its status",
  needsSession: false,
  setsCookie: false,
  input: { params },
  data,
  example: EXAMPLE,
  failures: ["NOT_FOUND", "RATE_LIMIT_EXCEEDED"],
  async handle({ request }, readInput) {
    const { number } = (await readInput()).params as z.infer<typeof params>;
    const certificate = await find(request, number);
    return {
      data: {
        number,
        issued_at: certificate.issuedAt,
        ...stated.parse(readStatement(certificate.statement)),
        status: certificate.status,
        superseded_by: certificate.supersededBy,
        statement: JSON.parse(certificate.statement),
        statement_text: certificate.statement,
        digest: certificate.digest,
        signature: certificate.signature,
        key_id: certificate.keyId,
      },
    };
  },
});
