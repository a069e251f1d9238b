import { z } from "zod";
import {
  ASSURANCE_LEVELS,
  FINDING_SEVERITIES,
  OPINIONS,
  VERIFICATION_PARTIES,
  VERIFICATION_STATUSES,
} from "../../../domain/verification/states.js";
import {
  graphql,
  type VerificationFindingFieldsFragment,
  type VerificationRequestFieldsFragment,
} from "../../../generated/operations.js";
import { lowerCase } from "../../ext/lower-case.js";
import { scopeShape } from "../calculations/factor.js";

export const periodShape = z.object({ from: z.iso.date(), to: z.iso.date() }).meta({ id: "DatePeriod" });
const exact = z.string();

const snapshotShape = z
  .object({
    number: z.int().meta({ description: "Among the request's snapshots, from 1 on." }),
    taken_at: z.iso.datetime(),
    record_count: z.int(),
    totals: z.array(
      z
        .object({ scope: scopeShape, co2e_tonnes: z.number(), co2e_tonnes_exact: exact })
        .meta({ id: "ScopeTotal" }),
    ),
    total_co2e_tonnes: z.number(),
    total_co2e_tonnes_exact: exact,
    digest: z.string().meta({
      description:
        "SHA-256 of the lines `id|recorded_on|scope|co2e_tonnes`, by id, each ended by a line feed.",
    }),
  })
  .meta({ id: "VerificationSnapshot", description: "The records as they were submitted last." });

const verifierShape = z
  .object({
    email: z.string().meta({
      description: "Address of the account that accepted. Until then, the one that the organization gave.",
    }),
    email_confirmed: z.boolean().meta({
      description:
        "True if the account's owner has confirmed that they receive mail there; false before somebody accepts.",
    }),
    name: z.string().nullable(),
    organization: z
      .string()
      .nullable()
      .meta({ description: "Name of the organization for which the person accepted." }),
    account_created_at: z.iso.datetime().nullable(),
    accepted_at: z.iso.datetime().nullable(),
    confirmed_at: z.iso.datetime().nullable().meta({
      description:
        "Time at which the organization confirmed the person. Until then, the person can read nothing.",
    }),
  })
  .meta({
    id: "Verifier",
    description: "The account that accepted the request. Until then, everything but the address is null.",
  });

/** The shape of a request in a list, which has neither findings nor history. */
export const listedShape = z
  .object({
    id: z.uuid(),
    number: z.string(),
    organization: z.object({ slug: z.string(), name: z.string() }).meta({ id: "VerifiedOrganization" }),
    period: periodShape,
    scopes: z.array(scopeShape),
    level: z.enum(ASSURANCE_LEVELS),
    materiality_pct: z.number(),
    materiality_pct_exact: exact,
    status: z.enum(VERIFICATION_STATUSES),
    verifier: verifierShape,
    verifier_email: z.string().meta({
      description:
        "The address that the organization gave for its verifier. A different account may have accepted.",
    }),
    verifier_link_expires_at: z.iso
      .datetime()
      .nullable()
      .meta({ description: "Expiry of the unused verifier link; null without one." }),
    locked: z.boolean().meta({ description: "Whether nothing can write its records." }),
    assigned: z.boolean().meta({ description: "Whether you are its verifier." }),
    snapshot: snapshotShape.nullable(),
    opinion: z.enum(OPINIONS).nullable(),
    statement: z
      .string()
      .nullable()
      .meta({ description: "What the verifier concluded, in the verifier's words." }),
    certificate_number: z.string().nullable().meta({ description: "That of its latest certificate." }),
    created_at: z.iso.datetime(),
    version: z.int(),
  })
  .meta({ id: "ListedVerificationRequest" });
type Listed = z.infer<typeof listedShape>;

/** The shape of a finding. */
export const findingShape = z
  .object({
    id: z.uuid(),
    snapshot_number: z.int().meta({
      description:
        "The snapshot that it is about. Only findings about the latest one count towards the materiality.",
    }),
    record_id: z.uuid().nullable(),
    text: z.string(),
    severity: z.enum(FINDING_SEVERITIES),
    misstatement_tonnes: z.number().nullable(),
    misstatement_tonnes_exact: exact.nullable(),
    created_at: z.iso.datetime(),
  })
  .meta({ id: "VerificationFinding" });
type Finding = z.infer<typeof findingShape>;

/** The shape of a request. */
export const requestShape = listedShape
  .extend({
    findings: z.array(findingShape).meta({ description: "Latest first." }),
    history: z
      .array(
        z
          .object({
            from_status: z.enum(VERIFICATION_STATUSES).nullable(),
            status: z.enum(VERIFICATION_STATUSES),
            changed_by: z.enum(VERIFICATION_PARTIES),
            changed_at: z.iso.datetime(),
            note: z.string().nullable(),
          })
          .meta({ id: "VerificationStatusChange" }),
      )
      .meta({ description: "The latest 200 changes of its state, latest first." }),
  })
  .meta({ id: "VerificationRequest" });
type RequestData = z.infer<typeof requestShape>;

export const LISTED_EXAMPLE: Listed = {
  id: "2b1f0c9a-64d7-4d0e-8a1b-7f0f5a3c9e11",
  number: "VR-2026-0001",
  organization: { slug: "demo", name: "Demo Ltd" },
  period: { from: "2025-01-01", to: "2025-12-31" },
  scopes: ["scope_1", "scope_2"],
  level: "limited",
  materiality_pct: 5,
  materiality_pct_exact: "5",
  status: "in_review",
  verifier: {
    email: "vera@example.com",
    email_confirmed: false,
    name: "Vera Verifier",
    organization: "Example Assurance Ltd",
    account_created_at: "2026-10-01T08:00:00.000Z",
    accepted_at: "2026-11-20T10:05:00.000Z",
    confirmed_at: "2026-11-20T10:10:00.000Z",
  },
  verifier_email: "vera@example.com",
  verifier_link_expires_at: null,
  locked: true,
  assigned: false,
  snapshot: {
    number: 1,
    taken_at: "2026-11-20T10:00:00.000Z",
    record_count: 3,
    totals: [
      { scope: "scope_1", co2e_tonnes: 100.5, co2e_tonnes_exact: "100.5" },
      { scope: "scope_2", co2e_tonnes: 200.25, co2e_tonnes_exact: "200.25" },
    ],
    total_co2e_tonnes: 300.75,
    total_co2e_tonnes_exact: "300.75",
    digest: "6f1c2a9d0c6f0f6a3f6a2f5e9a3a4b7c8d9e0f1a2b3c4d5e6f708192a3b4c5d6",
  },
  opinion: null,
  statement: null,
  certificate_number: null,
  created_at: "2026-11-20T09:00:00.000Z",
  version: 3,
};

export const FINDING_EXAMPLE: Finding = {
  id: "9d7c4a52-0b1e-4f3a-9c8d-1e2f3a4b5c6d",
  snapshot_number: 1,
  record_id: null,
  text: "The meter of boiler 2 was read a day late.",
  severity: "low",
  misstatement_tonnes: 10,
  misstatement_tonnes_exact: "10",
  created_at: "2026-11-20T11:00:00.000Z",
};

export const REQUEST_EXAMPLE: RequestData = {
  ...LISTED_EXAMPLE,
  findings: [FINDING_EXAMPLE],
  history: [
    {
      from_status: "submitted",
      status: "in_review",
      changed_by: "verifier",
      note: null,
      changed_at: "2026-11-20T10:30:00.000Z",
    },
  ],
};

graphql(`
  fragment ListedVerificationRequestFields on VerificationRequest {
    id number organizationSlug organizationName period { from to } scopes level materialityPct status
    verifier { email isEmailConfirmed name organization accountCreatedAt acceptedAt confirmedAt }
    verifierEmail verifierLinkExpiresAt isLocked isAssigned
    snapshot {
      number takenAt recordCount totals { scope co2eTonnes co2eTonnesExact } totalCo2eTonnes totalCo2eTonnesExact digest
    }
    opinion opinionStatement certificate { number } createdAt version
  }
`);
graphql(`
  fragment VerificationFindingFields on VerificationFinding {
    id snapshotNumber recordId text severity misstatementTonnes misstatementTonnesExact createdAt
  }
`);
graphql(`
  fragment VerificationRequestFields on VerificationRequest {
    ...ListedVerificationRequestFields
    findings(first: 200) { ...VerificationFindingFields }
    statusChanges(first: 200) { fromStatus status changedBy changedAt note }
  }
`);

/** A request of the graph in REST's spelling, without findings and history. */
export const describeListed = (
  request: Omit<VerificationRequestFieldsFragment, "findings" | "statusChanges">,
): Listed => ({
  id: request.id,
  number: request.number,
  organization: { slug: request.organizationSlug, name: request.organizationName },
  period: request.period,
  scopes: request.scopes.map(lowerCase),
  level: lowerCase(request.level),
  materiality_pct: Number(request.materialityPct),
  materiality_pct_exact: request.materialityPct,
  status: lowerCase(request.status),
  verifier: {
    email: request.verifier.email,
    email_confirmed: request.verifier.isEmailConfirmed,
    name: request.verifier.name ?? null,
    organization: request.verifier.organization ?? null,
    account_created_at: request.verifier.accountCreatedAt?.toISOString() ?? null,
    accepted_at: request.verifier.acceptedAt?.toISOString() ?? null,
    confirmed_at: request.verifier.confirmedAt?.toISOString() ?? null,
  },
  verifier_email: request.verifierEmail,
  verifier_link_expires_at: request.verifierLinkExpiresAt?.toISOString() ?? null,
  locked: request.isLocked,
  assigned: request.isAssigned,
  snapshot: request.snapshot
    ? {
        number: request.snapshot.number,
        taken_at: request.snapshot.takenAt.toISOString(),
        record_count: request.snapshot.recordCount,
        totals: request.snapshot.totals.map(({ scope, co2eTonnes, co2eTonnesExact }) => ({
          scope: lowerCase(scope),
          co2e_tonnes: co2eTonnes,
          co2e_tonnes_exact: co2eTonnesExact,
        })),
        total_co2e_tonnes: request.snapshot.totalCo2eTonnes,
        total_co2e_tonnes_exact: request.snapshot.totalCo2eTonnesExact,
        digest: request.snapshot.digest,
      }
    : null,
  opinion: request.opinion ? lowerCase(request.opinion) : null,
  statement: request.opinionStatement ?? null,
  certificate_number: request.certificate?.number ?? null,
  created_at: request.createdAt.toISOString(),
  version: request.version,
});

/** A finding of the graph in REST's spelling. */
export const describeFinding = (finding: VerificationFindingFieldsFragment): Finding => ({
  id: finding.id,
  snapshot_number: finding.snapshotNumber,
  record_id: finding.recordId ?? null,
  text: finding.text,
  severity: lowerCase(finding.severity),
  misstatement_tonnes: finding.misstatementTonnes ?? null,
  misstatement_tonnes_exact: finding.misstatementTonnesExact ?? null,
  created_at: finding.createdAt.toISOString(),
});

/** A request of the graph in REST's spelling. */
export const describeRequest = ({
  findings,
  statusChanges,
  ...request
}: VerificationRequestFieldsFragment): RequestData => ({
  ...describeListed(request),
  findings: findings.map(describeFinding),
  history: statusChanges.map(({ fromStatus, status, changedBy, changedAt, note }) => ({
    from_status: fromStatus ? lowerCase(fromStatus) : null,
    status: lowerCase(status),
    changed_by: lowerCase(changedBy),
    changed_at: changedAt.toISOString(),
    note: note ?? null,
  })),
});
