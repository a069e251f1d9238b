import type { FrameworkRow } from "../../data/compliance/compliance.js";
import { lockFramework, setFramework } from "../../data/compliance/write-frameworks.js";
import { write } from "../../data/database/transaction.js";
import type { Framework, FrameworkStatus } from "../../domain/enums.js";
import { requireVersion } from "../action-error.js";
import type { ActorContext } from "../actor-context.js";
import { changesNothing } from "../idempotency.js";
import { readNote } from "../read-text.js";

/** Status to set for an organization in a framework. */
export interface FrameworkRequest {
  readonly framework: Framework;
  readonly status: FrameworkStatus;
  readonly note?: string | null | undefined;
}

/**
 * Sets the organization's current status in a framework, which also registers the organization for it. Throws
 * InvalidInput for an invalid note, and CONFLICT if the version is not the expected one. The version is 0 before the
 * registration.
 */
export async function setFrameworkStatus(
  { resources, writer, now }: ActorContext,
  { framework, status, ...request }: FrameworkRequest,
  expectedVersion?: number | null,
): Promise<FrameworkRow> {
  const note = readNote("framework", "note", request.note);
  const change = { organizationId: writer.organizationId, framework, status, note };
  return write(resources.database, writer, async (sql) => {
    const existing = await lockFramework(sql, change);
    const isExpected = expectedVersion == null || expectedVersion === existing?.version;
    // Setting the same status again updates its time, unless the caller expects a different version.
    if (existing && !isExpected && changesNothing(existing, { status, note })) return existing;
    requireVersion("framework", existing?.version ?? 0, expectedVersion);
    return setFramework(sql, change, now);
  });
}
