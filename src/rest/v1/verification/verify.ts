import { z } from "zod";
import { readStatement } from "../../../domain/verification/statement.js";
import { ASSURANCE_LEVELS, CERTIFICATE_STATUSES, OPINIONS } from "../../../domain/verification/states.js";
import type { RequestInfo } from "../../../http/request-info.js";
import type { SessionEndpoint } from "../../endpoint.js";
import { scopeShape } from "../calculations/factor.js";
import { SIGNED_EXAMPLE, signed } from "./certificates.js";
import { periodShape } from "./request.js";

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

const params = z.object({ number: z.string() });

/** The parts of a statement that the answer repeats. All of them were signed. */
const stated = z.object({
  organization: z.string().meta({
    description: "Name of the organization on the day of issue; before format 2, its slug.",
  }),
  verifier: z
    .object({
      name: z.string(),
      organization: z.string().meta({ description: "Organization that the verifier acted for." }),
    })
    .meta({ id: "CertifiedVerifier" })
    .nullable()
    .meta({ description: "The person who decided; null before format 2." }),
  period: periodShape,
  scopes: z.array(z.object({ scope: scopeShape, co2e_tonnes: z.string() }).meta({ id: "CertifiedScope" })),
  total_co2e_tonnes: z.string(),
  level: z.enum(ASSURANCE_LEVELS),
  opinion: z.enum(OPINIONS),
});

const data = z
  .object({
    number: z.string(),
    issued_at: z.iso.datetime(),
    ...stated.shape,
    status: z.enum(CERTIFICATE_STATUSES),
    superseded_by: z.string().nullable(),
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
  summary: "A certificate as it was signed, with its signature and its status",
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
