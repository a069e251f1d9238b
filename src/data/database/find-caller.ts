import type { Database } from "./types.js";
import { isDatabaseUnavailable } from "./unavailable.js";

/** The organization for which a caller acts; null without one. */
interface FoundCaller {
  readonly organization: { readonly id: string } | null;
}

/**
 * Finds the caller of a credential on the primary. While that is unavailable, accepts what a replica knows, if the
 * replica has every change of the caller's organization that this process knows of, such as a revocation.
 */
export async function findCaller<Caller extends FoundCaller>(
  database: Database,
  find: (reader: Pick<Database, "select">) => Promise<Caller | null>,
): Promise<Caller | null> {
  const findOnReplica = async () => {
    const replica = database.replicas?.standIn();
    const caller = replica && (await find(replica));
    return caller && replica.isFresh(caller.organization?.id ?? null) ? caller : null;
  };
  const findOnPrimary = () =>
    find(database).catch(async (error: unknown) => {
      const caller = isDatabaseUnavailable(error) ? await findOnReplica() : null;
      if (caller === null) throw error;
      return caller;
    });
  return (await findOnReplica()) ?? findOnPrimary();
}
