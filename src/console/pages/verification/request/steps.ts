import { graphql, type VerificationParty, type VerificationStatus } from "../../../../generated/console.js";
import { run } from "../../../gateway/run.js";
import { daysOf } from "../names.js";
import type { Request } from "../read-requests.js";

const SUBMIT = graphql(`
  mutation ConsoleSubmitVerification($id: UUID!, $version: Int!) {
    submitVerification(input: { id: $id, expectedVersion: $version }) { request { verifierLink } }
  }
`);

const RESUBMIT = graphql(`
  mutation ConsoleResubmitVerification($id: UUID!, $version: Int!) {
    resubmitVerification(input: { id: $id, expectedVersion: $version }) { request { id } }
  }
`);

const WITHDRAW = graphql(`
  mutation ConsoleWithdrawVerification($id: UUID!, $version: Int!) {
    withdrawVerification(input: { id: $id, expectedVersion: $version }) { request { id } }
  }
`);

const REOPEN = graphql(`
  mutation ConsoleReopenVerification($id: UUID!, $version: Int!, $note: String) {
    reopenVerification(input: { id: $id, expectedVersion: $version, note: $note }) { request { id } }
  }
`);

const CREATE_LINK = graphql(`
  mutation ConsoleCreateVerifierLink($id: UUID!, $version: Int!) {
    createVerifierLink(input: { id: $id, expectedVersion: $version }) { request { verifierLink } }
  }
`);

const CONFIRM = graphql(`
  mutation ConsoleConfirmVerifier($id: UUID!, $version: Int!) {
    confirmVerifier(input: { id: $id, expectedVersion: $version }) { request { id } }
  }
`);

const REJECT = graphql(`
  mutation ConsoleRejectVerifier($id: UUID!, $version: Int!) {
    rejectVerifier(input: { id: $id, expectedVersion: $version }) { request { id } }
  }
`);

const START = graphql(`
  mutation ConsoleStartVerification($id: UUID!, $version: Int!) {
    startVerification(input: { id: $id, expectedVersion: $version }) { request { id } }
  }
`);

const REQUEST_CHANGES = graphql(`
  mutation ConsoleRequestVerificationChanges($id: UUID!, $version: Int!, $note: String) {
    requestVerificationChanges(input: { id: $id, expectedVersion: $version, note: $note }) { request { id } }
  }
`);

interface Seen {
  readonly id: string;
  readonly version: number;
}

/** A step of a request that needs a confirmation. */
export interface Step {
  readonly by: VerificationParty;
  /** The states that allow the step. */
  readonly from: readonly VerificationStatus[];
  /** Further condition on the request; none by default. */
  readonly isOffered?: (request: Request) => boolean;
  /** Label of the button. */
  readonly action: string;
  /** Confirmation shown after the step. */
  readonly done: string;
  /** Text of the confirmation dialog. */
  readonly consequence: (request: Request) => string;
  /** Label of the note that the dialog asks for, if any. */
  readonly asks?: string;
  /** Takes the step. Resolves to the link for the verifier if it creates one. */
  readonly take: (seen: Seen, note: string | null) => Promise<unknown>;
}

const lockOf = ({ period }: Request) =>
  `A snapshot of the records of ${daysOf(period)} is taken, and they are locked: nobody can add, change or delete one while they are reviewed, or once they are verified.`;

/** States in which somebody may accept a request. */
const OPEN: readonly VerificationStatus[] = ["SUBMITTED", "CHANGES_REQUESTED"];

/** Returns true if somebody has accepted a request and is not confirmed yet. */
const isAccepted = ({ verifier }: Request): boolean =>
  verifier.acceptedAt !== null && verifier.confirmedAt === null;

/** Submits a draft. Resolves to the link for its verifier. */
export async function submitRequest(seen: Seen): Promise<string | null | undefined> {
  return (await run(SUBMIT, seen)).submitVerification?.request.verifierLink;
}

/** Steps of a request, except its decision. */
export const STEPS: readonly Step[] = [
  {
    by: "ORGANIZATION",
    from: ["DRAFT"],
    action: "Submit",
    done: "submitted",
    consequence: (request) =>
      `${lockOf(request)} You then get a link for your verifier. Once they accept, you confirm them.`,
    take: submitRequest,
  },
  {
    by: "ORGANIZATION",
    from: OPEN,
    isOffered: isAccepted,
    action: "Confirm verifier",
    done: "verifier confirmed",
    consequence: ({ verifier, period }) =>
      `${verifier.name} can then read the records of ${daysOf(period)}, and decides the request. Confirm only a person whom you know by this name and e-mail address.`,
    take: (seen) => run(CONFIRM, seen),
  },
  {
    by: "ORGANIZATION",
    from: OPEN,
    isOffered: isAccepted,
    action: "Reject verifier",
    done: "verifier rejected",
    consequence: ({ verifier }) =>
      `${verifier.name} gets no access. You can then create a new link for somebody else.`,
    take: (seen) => run(REJECT, seen),
  },
  {
    by: "ORGANIZATION",
    from: OPEN,
    isOffered: ({ verifier }) => verifier.acceptedAt === null,
    action: "Create new link",
    done: "new link created",
    consequence: () => "The previous link stops working. Send the new one to your verifier.",
    take: async (seen) => (await run(CREATE_LINK, seen)).createVerifierLink?.request.verifierLink,
  },
  {
    by: "ORGANIZATION",
    from: ["CHANGES_REQUESTED"],
    action: "Submit again",
    done: "submitted again",
    consequence: (request) =>
      `${lockOf(request)} Findings about earlier snapshots no longer count towards the materiality.`,
    take: (seen) => run(RESUBMIT, seen),
  },
  {
    by: "ORGANIZATION",
    from: ["DRAFT", "SUBMITTED", "IN_REVIEW", "CHANGES_REQUESTED"],
    action: "Withdraw",
    done: "withdrawn",
    consequence: () => "The request ends, and no longer locks its records.",
    take: (seen) => run(WITHDRAW, seen),
  },
  {
    by: "ORGANIZATION",
    from: ["VERIFIED"],
    action: "Reopen",
    done: "reopened",
    consequence: ({ period, certificate }) =>
      `The records of ${daysOf(period)} are unlocked, and the certificate ${certificate?.number} is superseded permanently, which anyone who checks it can see. Another decision issues a new one.`,
    asks: "Why",
    take: (seen, note) => run(REOPEN, { ...seen, note }),
  },
  {
    by: "VERIFIER",
    from: ["SUBMITTED"],
    action: "Start review",
    done: "review started",
    consequence: ({ organizationName }) => `${organizationName} sees that you have begun, and your name.`,
    take: (seen) => run(START, seen),
  },
  {
    by: "VERIFIER",
    from: ["IN_REVIEW"],
    action: "Request changes",
    done: "changes requested",
    consequence: ({ organizationName }) =>
      `The records are unlocked, so that ${organizationName} can change them and submit them again.`,
    asks: "Requested changes",
    take: (seen, note) => run(REQUEST_CHANGES, { ...seen, note }),
  },
];
