import { notify } from "../notifications/notify.js";
import type { StepContext } from "./take-step.js";

const linkOf = ({ request: { id } }: StepContext, area = "") => `/console/verification${area}?id=${id}`;

const periodOf = ({ request: { periodFrom, periodTo } }: StepContext) => `${periodFrom} to ${periodTo}`;

/** Returns the key of a request's event. The version of a request counts its events. */
const keyOf = ({ request: { id, version } }: StepContext) => `verification ${id} ${version}`;

/** Notifies the confirmed verifier, if any, that a request was submitted again. */
export const notifyOfSubmission = (context: StepContext, now: Date): Promise<void> =>
  context.request.isVerifierConfirmed
    ? notifyVerifier(context, now, "A request was submitted to you again")
    : Promise.resolve();

/** Notifies the verifier that the organization has confirmed them. */
export const notifyOfConfirmation = (context: StepContext, now: Date): Promise<void> =>
  notifyVerifier(context, now, "You can review a verification request");

/** Notifies members who may submit requests that somebody has accepted one. */
export const notifyOfAcceptance = (context: StepContext, now: Date): Promise<void> =>
  notifyOrganization(
    context,
    now,
    "Confirm your verifier",
    `Somebody accepted ${context.request.number} through its link. Check who it is, then confirm or reject them.`,
  );

function notifyVerifier(context: StepContext, now: Date, title: string): Promise<void> {
  const { sql, request } = context;
  const { verifierId, number, organizationName, level } = request;
  return notify(sql, {
    to: { users: verifierId === null ? [] : [verifierId] },
    organizationId: null,
    key: keyOf(context),
    category: "verification",
    severity: "medium",
    now,
    title,
    link: linkOf(context, "/assigned"),
    body: `${number} of ${organizationName}: ${periodOf(context)}, ${level} assurance.`,
  });
}

/** Notifies members who may submit requests that the verifier asks for changes. */
export const notifyOfChanges = (context: StepContext, now: Date): Promise<void> =>
  notifyOrganization(
    context,
    now,
    "Your verifier asks for changes",
    `${context.request.number}: ${periodOf(context)}.`,
  );

/** Notifies members who may submit requests of the decision; `certificate` is the certificate's number, or null. */
export const notifyOfDecision = (
  context: StepContext,
  certificate: string | null,
  now: Date,
): Promise<void> => {
  const title =
    certificate === null ? "Your emissions were not verified" : `Certificate ${certificate} was issued`;
  return notifyOrganization(context, now, title, `${context.request.number}: ${periodOf(context)}.`);
};

const notifyOrganization = (context: StepContext, now: Date, title: string, body: string) =>
  notify(context.sql, {
    to: { membersWith: "request:verification" },
    organizationId: context.organizationId,
    key: keyOf(context),
    category: "verification",
    severity: "medium",
    title,
    summary: title,
    body,
    link: linkOf(context),
    now,
  });
