import { graphql, type VerificationParty, type VerificationStatus } from "../../../../generated/console.js";
import { run } from "../../../gateway/run.js";
import { daysOf } from "../names.js";
import type { Request } from "../read-requests.js";

const SUBMIT = graphql(`
  mutation ConsoleSubmitVerification($id: UUID!, $version: Int!) {
    submitVerification(id: $id, expectedVersion: $version) { id }
  }
`);

const RESUBMIT = graphql(`
  mutation ConsoleResubmitVerification($id: UUID!, $version: Int!) {
    resubmitVerification(id: $id, expectedVersion: $version) { id }
  }
`);

const WITHDRAW = graphql(`
  mutation ConsoleWithdrawVerification($id: UUID!, $version: Int!) {
    withdrawVerification(id: $id, expectedVersion: $version) { id }
  }
`);

const REOPEN = graphql(`
  mutation ConsoleReopenVerification($id: UUID!, $version: Int!, $note: String) {
    reopenVerification(id: $id, expectedVersion: $version, note: $note) { id }
  }
`);

const START = graphql(`
  mutation ConsoleStartVerification($id: UUID!, $version: Int!) {
    startVerification(id: $id, expectedVersion: $version) { id }
  }
`);

const REQUEST_CHANGES = graphql(`
  mutation ConsoleRequestVerificationChanges($id: UUID!, $version: Int!, $note: String) {
    requestVerificationChanges(id: $id, expectedVersion: $version, note: $note) { id }
  }
`);

interface Seen {
  readonly id: string;
  readonly version: number;
}

/** A step of a request that is taken after a question. */
export interface Step {
  readonly by: VerificationParty;
  /** The states in which it can be taken. */
  readonly from: readonly VerificationStatus[];
  /** What the button says. */
  readonly action: string;
  /** What it does, for the last question before it. */
  readonly consequence: (request: Request) => string;
  /** What is asked for with it, if anything. */
  readonly asks?: string;
  readonly take: (seen: Seen, note: string | null) => Promise<unknown>;
}

const lockOf = ({ period }: Request) =>
  `A snapshot of the records of ${daysOf(period)} is taken, and they are locked: nobody can add, change or delete one while they are reviewed, or once they are verified.`;

/** The steps of a request but for its decision. */
export const STEPS: readonly Step[] = [
  {
    by: "ORGANIZATION",
    from: ["DRAFT"],
    action: "Submit",
    consequence: (request) =>
      `${lockOf(request)} ${request.verifier.email} may read them until it is decided.`,
    take: (seen) => run(SUBMIT, seen),
  },
  {
    by: "ORGANIZATION",
    from: ["CHANGES_REQUESTED"],
    action: "Submit again",
    consequence: (request) =>
      `${lockOf(request)} Findings about earlier snapshots no longer count towards the materiality.`,
    take: (seen) => run(RESUBMIT, seen),
  },
  {
    by: "ORGANIZATION",
    from: ["DRAFT", "SUBMITTED", "IN_REVIEW", "CHANGES_REQUESTED"],
    action: "Withdraw",
    consequence: () => "The request ends here. Its records are not locked by it any more.",
    take: (seen) => run(WITHDRAW, seen),
  },
  {
    by: "ORGANIZATION",
    from: ["VERIFIED"],
    action: "Reopen",
    consequence: ({ period, certificate }) =>
      `The records of ${daysOf(period)} are unlocked, and the certificate ${certificate?.number} is superseded for good, which everybody sees who checks it. Another decision issues a new one.`,
    asks: "Why",
    take: (seen, note) => run(REOPEN, { ...seen, note }),
  },
  {
    by: "VERIFIER",
    from: ["SUBMITTED"],
    action: "Start review",
    consequence: ({ organizationName }) => `${organizationName} sees that you have begun, and your name.`,
    take: (seen) => run(START, seen),
  },
  {
    by: "VERIFIER",
    from: ["IN_REVIEW"],
    action: "Request changes",
    consequence: ({ organizationName }) =>
      `The records are unlocked, so that ${organizationName} can change them and submit them again.`,
    asks: "What is to be changed",
    take: (seen, note) => run(REQUEST_CHANGES, { ...seen, note }),
  },
];
