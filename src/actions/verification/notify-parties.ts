import { notify } from "../notifications/notify.js";
import type { Stepping } from "./take-step.js";

const linkOf = ({ request: { id } }: Stepping, area = "") => `/console/verification${area}?id=${id}`;

const periodOf = ({ request: { periodFrom, periodTo } }: Stepping) => `${periodFrom} to ${periodTo}`;

/** Returns the key of a request's event. The version of a request counts its events. */
const keyOf = ({ request: { id, version } }: Stepping) => `verification ${id} ${version}`;

/** Notifies the confirmed verifier, if any, that a request was submitted again. */
export const tellOfSubmission = (stepping: Stepping, now: Date): Promise<void> =>
  stepping.request.isVerifierConfirmed
    ? tellVerifier(stepping, now, "A request was submitted to you again")
    : Promise.resolve();

/** Notifies the verifier that the organization has confirmed them. */
export const tellOfConfirmation = (stepping: Stepping, now: Date): Promise<void> =>
  tellVerifier(stepping, now, "You can review a verification request");

/** Notifies members who may submit requests that somebody has accepted one. */
export const tellOfAcceptance = (stepping: Stepping, now: Date): Promise<void> =>
  tellOrganization(
    stepping,
    now,
    "Confirm your verifier",
    `Somebody accepted ${stepping.request.number} by its link. Check who it is, then confirm or reject them.`,
  );

function tellVerifier(stepping: Stepping, now: Date, title: string): Promise<void> {
  const { sql, request } = stepping;
  const { verifierId, number, organizationName, level } = request;
  return notify(sql, {
    to: { users: verifierId === null ? [] : [verifierId] },
    organizationId: null,
    key: keyOf(stepping),
    category: "verification",
    severity: "medium",
    now,
    title,
    link: linkOf(stepping, "/assigned"),
    body: `${number} of ${organizationName}: ${periodOf(stepping)}, ${level} assurance.`,
  });
}

/** Notifies members who may submit requests that the verifier asks for changes. */
export const tellOfChanges = (stepping: Stepping, now: Date): Promise<void> =>
  tellOrganization(
    stepping,
    now,
    "Your verifier asks for changes",
    `${stepping.request.number}: ${periodOf(stepping)}.`,
  );

/** Notifies members who may submit requests of the decision; `certificate` is the certificate's number, or null. */
export const tellOfDecision = (stepping: Stepping, certificate: string | null, now: Date): Promise<void> => {
  const title =
    certificate === null ? "Your emissions were not verified" : `Certificate ${certificate} was issued`;
  return tellOrganization(stepping, now, title, `${stepping.request.number}: ${periodOf(stepping)}.`);
};

const tellOrganization = (stepping: Stepping, now: Date, title: string, body: string) =>
  notify(stepping.sql, {
    to: { membersWith: "request:verification" },
    organizationId: stepping.organizationId,
    key: keyOf(stepping),
    category: "verification",
    severity: "medium",
    title,
    summary: title,
    body,
    link: linkOf(stepping),
    now,
  });
