import { type ConsoleLocksQuery, graphql } from "../../../generated/console.js";
import { useQuery } from "../../gateway/use-query.js";
import type { EmissionRecord } from "./read-records.js";

/** The latest verification requests that lock records. The gateway enforces earlier ones too. */
const READ_LOCKS = graphql(`
  query ConsoleLocks {
    verificationRequests(statuses: [SUBMITTED, IN_REVIEW, VERIFIED], first: 100) {
      nodes { id number scopes period { from to } }
    }
  }
`);

/** A verification request that locks the records of its period and scopes. */
export type Lock = NonNullable<ConsoleLocksQuery["verificationRequests"]>["nodes"][number];

/** Finds the lock of a record. */
export type LockOf = (record: Pick<EmissionRecord, "recordedOn" | "scope">) => Lock | undefined;

/**
 * Reads the locks; undefined while loading. If reading fails, nothing appears locked, but the gateway still refuses
 * changes.
 */
export function useLocks(): LockOf | undefined {
  const { data, error } = useQuery(READ_LOCKS, {});
  if (data === undefined && error === undefined) return undefined;
  const locks = data?.verificationRequests?.nodes ?? [];
  return ({ recordedOn, scope }) =>
    locks.find(
      ({ scopes, period }) => scopes.includes(scope) && period.from <= recordedOn && recordedOn <= period.to,
    );
}

/** Link to the verification request that locks a record. */
export const LockLink = ({ lock }: { lock: Lock | undefined }) =>
  lock && (
    <a
      class="lock"
      href={`/console/verification?${new URLSearchParams({ id: lock.id })}`}
      title={`Locked by verification request ${lock.number}`}
    >
      <svg viewBox="0 0 16 16" aria-hidden="true">
        <path d="M4 7V5a4 4 0 0 1 8 0v2h1v8H3V7zm2 0h4V5a2 2 0 0 0-4 0z" />
      </svg>{" "}
      Locked
    </a>
  );
