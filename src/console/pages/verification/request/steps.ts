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

interface RequestVersion {
  readonly id: string;
  readonly version: number;
}

/** A step of a request that needs a confirmation. */
export interface Step {
  readonly by: VerificationParty;
  /** States that allow the step. */
  readonly from: readonly VerificationStatus[];
  /** Further condition on the request; none by default. */
  readonly isOffered?: (request: Request) => boolean;
  /** Label of the button. */
  readonly action: string;
  /** Message shown after the step. */
  readonly done: string;
  /** Text of the confirmation dialog. */
  readonly consequence: (request: Request) => string;
  /** Label of the note field, if the dialog has one. */
  readonly noteLabel?: string;
  /** Takes the step. Resolves to the link for the verifier if it creates one. */
  readonly take: (target: RequestVersion, note: string | null) => Promise<unknown>;
}

const lockWarning = ({ period }: Request) =>
  `This takes a snapshot of the records of ${daysOf(period)} and locks them: nobody can add, edit or delete them during the review or once they are verified.`;

/** States in which a verifier may accept a request. */
const OPEN: readonly VerificationStatus[] = ["SUBMITTED", "CHANGES_REQUESTED"];

/** Returns true if a verifier has accepted a request but is not confirmed yet. */
const isAccepted = ({ verifier }: Request): boolean =>
  verifier.acceptedAt !== null && verifier.confirmedAt === null;

/** Submits a draft. Resolves to the link for its verifier. */
export async function submitRequest(target: RequestVersion): Promise<string | null | undefined> {
  return (await run(SUBMIT, target)).submitVerification?.request.verifierLink;
}

/** Steps of a request, except its decision. */
export const STEPS: readonly Step[] = [
  {
    by: "ORGANIZATION",
    from: ["DRAFT"],
    action: "Submit",
    done: "submitted",
    consequence: (request) =>
      `${lockWarning(request)} You'll get a link for your verifier. Once they accept, confirm them.`,
    take: submitRequest,
  },
  {
    by: "ORGANIZATION",
    from: OPEN,
    isOffered: isAccepted,
    action: "Confirm verifier",
    done: "verifier confirmed",
    consequence: ({ verifier, period }) =>
      `${verifier.name} will be able to read the records of ${daysOf(period)} and decide the request. Only confirm a person you know by this name and e-mail address.`,
    take: (target) => run(CONFIRM, target),
  },
  {
    by: "ORGANIZATION",
    from: OPEN,
    isOffered: isAccepted,
    action: "Reject verifier",
    done: "verifier rejected",
    consequence: ({ verifier }) =>
      `${verifier.name} gets no access. You can create a new link for someone else.`,
    take: (target) => run(REJECT, target),
  },
  {
    by: "ORGANIZATION",
    from: OPEN,
    isOffered: ({ verifier }) => verifier.acceptedAt === null,
    action: "Create new link",
    done: "new link created",
    consequence: () => "The previous link will stop working. Send the new one to your verifier.",
    take: async (target) => (await run(CREATE_LINK, target)).createVerifierLink?.request.verifierLink,
  },
  {
    by: "ORGANIZATION",
    from: ["CHANGES_REQUESTED"],
    action: "Submit again",
    done: "submitted again",
    consequence: (request) =>
      `${lockWarning(request)} Findings about earlier snapshots no longer count towards the materiality threshold.`,
    take: (target) => run(RESUBMIT, target),
  },
  {
    by: "ORGANIZATION",
    from: ["DRAFT", "SUBMITTED", "IN_REVIEW", "CHANGES_REQUESTED"],
    action: "Withdraw",
    done: "withdrawn",
    consequence: () => "This ends the request and unlocks its records.",
    take: (target) => run(WITHDRAW, target),
  },
  {
    by: "ORGANIZATION",
    from: ["VERIFIED"],
    action: "Reopen",
    done: "reopened",
    consequence: ({ period, certificate }) =>
      `This unlocks the records of ${daysOf(period)} and permanently marks certificate ${certificate?.number} as superseded. Anyone who checks it will see that. The next decision issues a new one.`,
    noteLabel: "Reason",
    take: (target, note) => run(REOPEN, { ...target, note }),
  },
  {
    by: "VERIFIER",
    from: ["SUBMITTED"],
    action: "Start review",
    done: "review started",
    consequence: ({ organizationName }) =>
      `${organizationName} will see your name and that you have started.`,
    take: (target) => run(START, target),
  },
  {
    by: "VERIFIER",
    from: ["IN_REVIEW"],
    action: "Request changes",
    done: "changes requested",
    consequence: ({ organizationName }) =>
      `This unlocks the records, so that ${organizationName} can correct them and submit them again.`,
    noteLabel: "Requested changes",
    take: (target, note) => run(REQUEST_CHANGES, { ...target, note }),
  },
];
