import { listAccountIds } from "../../data/verification/independence.js";
import { notify } from "../notifications/notify.js";
import type { Stepping } from "./take-step.js";

const linkOf = ({ request: { id } }: Stepping, area = "") => `/console/verification${area}?id=${id}`;

const periodOf = ({ request: { periodFrom, periodTo } }: Stepping) => `${periodFrom} to ${periodTo}`;

/** What distinguishes the events of a request: its number of changes. */
const keyOf = ({ request: { id, version } }: Stepping) => `verification ${id} ${version}`;

/** Tells the verifier, who has an account or not, that a request waits. */
export async function tellOfSubmission(stepping: Stepping, now: Date): Promise<void> {
  const { sql, request } = stepping;
  await notify(sql, {
    to: { users: await listAccountIds(sql, request.verifierEmail) },
    ...{
      organizationId: null,
      key: keyOf(stepping),
      category: "verification",
      severity: "medium",
      link: linkOf(stepping, "/assigned"),
      now,
    },
    title: `${request.organizationName} asks you to verify its emissions`,
    body: `${request.number}: ${periodOf(stepping)}, ${request.level} assurance.`,
  });
}

/** Tells those who may submit requests that the verifier asks for changes. */
export const tellOfChanges = (stepping: Stepping, now: Date): Promise<void> =>
  tellOrganization(
    stepping,
    now,
    "Your verifier asks for changes",
    `${stepping.request.number}: ${periodOf(stepping)}.`,
  );

/** Tells those who may submit requests what was decided; `certificate` is the number of the certificate, or null. */
export const tellOfDecision = (stepping: Stepping, certificate: string | null, now: Date): Promise<void> => {
  const title =
    certificate === null ? "Your emissions were not verified" : `Certificate ${certificate} was issued`;
  return tellOrganization(stepping, now, title, `${stepping.request.number}: ${periodOf(stepping)}.`);
};

const tellOrganization = (stepping: Stepping, now: Date, title: string, body: string) =>
  notify(stepping.sql, {
    to: { membersWith: "request:verification" },
    ...{ organizationId: stepping.organizationId, key: keyOf(stepping), category: "verification" },
    ...{ severity: "medium", title, body, link: linkOf(stepping), now },
  });
