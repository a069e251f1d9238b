import { z } from "zod";
import { ASSURANCE_LEVELS, CERTIFICATE_STATUSES, OPINIONS } from "../../../domain/verification/states.js";
import type { RequestInfo } from "../../../http/request-info.js";
import type { SessionEndpoint } from "../../endpoint.js";
import { scopeShape } from "../calculations/factor.js";
import { SIGNED_EXAMPLE, signed } from "./certificates.js";
import { periodShape } from "./request.js";

/** What finds a certificate for anybody. */
export interface Certified {
  find(
    request: RequestInfo,
    number: string,
  ): Promise<{
    readonly organizationName: string;
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

/** What a certificate states: the parts of it that are shown by themselves. */
const stated = z.object({
  period: periodShape,
  scopes: z.array(z.object({ scope: scopeShape, co2e_tonnes: z.string() }).meta({ id: "CertifiedScope" })),
  total_co2e_tonnes: z.string(),
  level: z.enum(ASSURANCE_LEVELS),
  opinion: z.enum(OPINIONS),
});

const data = z
  .object({
    number: z.string(),
    organization: z.string().meta({ description: "Its name." }),
    issued_at: z.iso.datetime(),
    ...stated.shape,
    status: z.enum(CERTIFICATE_STATUSES),
    superseded_by: z.string().nullable(),
    ...signed,
  })
  .meta({ id: "PublicCertificate" });

const EXAMPLE: z.infer<typeof data> = {
  ...{ number: "CGW-2026-000001", organization: "Demo Ltd", issued_at: "2026-11-20T12:00:00.000Z" },
  ...stated.parse(SIGNED_EXAMPLE.statement),
  ...{ status: "valid", superseded_by: null, ...SIGNED_EXAMPLE },
};

/** Makes the endpoint at which anybody can check a certificate. */
export const createVerify = ({ find }: Certified): SessionEndpoint => ({
  ...{ method: "GET", path: "/verification/certificates/{number}/verify" },
  summary: "What a certificate states, with its signature, and whether it counts",
  ...{ needsSession: false, setsCookie: false, input: { params }, data, example: EXAMPLE },
  failures: ["NOT_FOUND", "RATE_LIMIT_EXCEEDED"],
  async handle({ request }, readInput) {
    const { number } = (await readInput()).params as z.infer<typeof params>;
    const certificate = await find(request, number);
    const statement = JSON.parse(certificate.statement);
    return {
      data: {
        ...{ number, organization: certificate.organizationName, issued_at: certificate.issuedAt },
        ...stated.parse(statement),
        ...{ status: certificate.status, superseded_by: certificate.supersededBy },
        ...{ statement, statement_text: certificate.statement, digest: certificate.digest },
        ...{ signature: certificate.signature, key_id: certificate.keyId },
      },
    };
  },
});
