import { type ConsoleLocksQuery, graphql } from "../../../generated/console.js";
import { useQuery } from "../../gateway/use-query.js";
import type { EmissionRecord } from "./read-records.js";

/** The latest verification requests that lock records. The gateway refuses changes under earlier ones as well. */
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

/** Reads the locks; returns undefined until they have arrived. Without them, the gateway still refuses the change. */
export function useLocks(): LockOf | undefined {
  const { data, error } = useQuery(READ_LOCKS, {});
  if (data === undefined && error === undefined) return undefined;
  const locks = data?.verificationRequests?.nodes ?? [];
  return ({ recordedOn, scope }) =>
    locks.find(
      ({ scopes, period }) => scopes.includes(scope) && period.from <= recordedOn && recordedOn <= period.to,
    );
}

/** Returns the link to the verification request of a lock. */
export const linkToLock = ({ id }: Lock) => `/console/verification?${new URLSearchParams({ id })}`;
