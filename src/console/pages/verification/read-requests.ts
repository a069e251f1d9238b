import {
  type ConsoleVerificationAssignmentsQuery,
  type ConsoleVerificationRecordsQuery,
  type ConsoleVerificationRequestQuery,
  type ConsoleVerificationRequestsQuery,
  graphql,
} from "../../../generated/console.js";

/** A page of the organization's requests. */
export const READ_REQUESTS = graphql(`
  query ConsoleVerificationRequests($after: String) {
    verificationRequests(first: 20, after: $after) {
      nodes { id number status period { from to } scopes verifier { email } certificate { number status verifyUrl } }
      pageInfo { hasNextPage endCursor }
    }
  }
`);

/** A page of the requests that the user verifies. */
export const READ_ASSIGNMENTS = graphql(`
  query ConsoleVerificationAssignments($after: String) {
    verificationAssignments(first: 20, after: $after) {
      nodes { id number organizationName status period { from to } scopes level snapshot { takenAt } }
      pageInfo { hasNextPage endCursor }
    }
  }
`);

/** A request without its records. */
export const READ_REQUEST = graphql(`
  query ConsoleVerificationRequest($id: UUID!) {
    verificationRequest(id: $id) {
      id
      number
      organizationName
      period { from to }
      scopes
      level
      materialityPercentExact
      status
      verifier { email isEmailConfirmed name organization accountCreatedAt acceptedAt confirmedAt }
      verifierEmail
      verifierLinkExpiresAt
      isLocked
      isAssigned
      snapshot {
        number
        takenAt
        recordCount
        totals { scope co2eTonnes }
        totalCo2eTonnes
        totalCo2eTonnesExact
        digest
      }
      findings(first: 200) {
        id
        snapshotNumber
        recordId
        text
        severity
        misstatementTonnes
        misstatementTonnesExact
        createdAt
      }
      statusChanges(first: 100) { status changedBy changedAt note }
      opinion
      opinionStatement
      certificate { number issuedAt opinion status supersededByNumber digest signature keyId verifyUrl }
      version
    }
  }
`);

/** A page of a request's records. */
export const READ_RECORDS = graphql(`
  query ConsoleVerificationRecords($id: UUID!, $after: String) {
    verificationRequest(id: $id) {
      records(first: 25, after: $after) {
        nodes { id recordedOn co2eTonnes co2eTonnesExact scope facilityCode category reference source note }
        pageInfo { hasNextPage endCursor }
      }
    }
  }
`);

/** A request in the organization's list. */
export type ListedRequest = NonNullable<
  ConsoleVerificationRequestsQuery["verificationRequests"]
>["nodes"][number];

/** A request in the verifier's list. */
export type Assignment = NonNullable<
  ConsoleVerificationAssignmentsQuery["verificationAssignments"]
>["nodes"][number];

/** A request without its records. */
export type Request = NonNullable<ConsoleVerificationRequestQuery["verificationRequest"]>;

/** A finding of the verifier. */
export type Finding = Request["findings"][number];

/** A record under verification. */
export type VerifiedRecord = NonNullable<
  ConsoleVerificationRecordsQuery["verificationRequest"]
>["records"]["nodes"][number];
