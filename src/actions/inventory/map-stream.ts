import { write } from "../../data/database/transaction.js";
import type { SqlSession } from "../../data/database/types.js";
import {
  findStream,
  type MappedStream,
  type StreamKey,
  type StreamRow,
} from "../../data/inventory/streams.js";
import {
  countMappedStreams,
  deleteStreamMapping,
  lockStreamMapping,
  setStreamMapping,
} from "../../data/inventory/write-streams.js";
import { lockOrganizationRow } from "../../data/organizations/lock-row.js";
import type { EmissionScope } from "../../domain/enums.js";
import type { StreamMethod } from "../../domain/inventory/inventory.js";
import { type InventoryLine, isOfScope, LINES_OF_SCOPE } from "../../domain/inventory/lines.js";
import { TEXT_LIMITS } from "../../domain/texts/text-limits.js";
import { ActionError, InvalidInput, requireValid, requireVersion } from "../action-error.js";
import type { ActorContext } from "../actor-context.js";
import { changesNothing } from "../idempotency.js";
import { readShare } from "../read-amount.js";
import { readNote, readOptional } from "../read-text.js";

/** Maximum number of an organization's mapped streams. Each inventory reads all of them. */
const MAX_STREAMS = 10_000;

/** A stream with its line, as the caller sends it. Omitted parts other than the line are unknown. */
export interface StreamInput {
  readonly scope: EmissionScope;
  readonly category?: string | null | undefined;
  /** Required; null removes the mapping. */
  readonly line?: InventoryLine | null | undefined;
  readonly method?: StreamMethod | null | undefined;
  /** Decimals in any notation. */
  readonly activityUncertaintyPercent?: string | null | undefined;
  readonly factorUncertaintyPercent?: string | null | undefined;
  readonly renewable?: boolean | null | undefined;
  readonly note?: string | null | undefined;
}

const UNCERTAINTY = { max: 1_000, decimals: 4 };

/**
 * Maps a stream to a line, changes its mapping, or removes it. Throws InvalidInput, also for a line of another scope,
 * and CONFLICT if the version is not the expected one, which is 0 without a mapping, or if the organization has the
 * maximum number of mapped streams.
 */
export async function mapStream(
  { resources, writer, tenant }: ActorContext,
  input: StreamInput,
  expectedVersion: number | null | undefined,
): Promise<StreamRow> {
  const { key, mapping } = readStream(input);
  const { organizationId } = writer;
  await write(resources.database, writer, async (sql) => {
    await lockOrganizationRow(sql, organizationId);
    const existing = await lockStreamMapping(sql, organizationId, key);
    if (mapping ? existing && changesNothing(existing, mapping) : !existing) return;
    requireVersion("stream", existing?.version ?? 0, expectedVersion);
    if (!mapping) return deleteStreamMapping(sql, organizationId, key);
    if (!existing) await requireSpace(sql, organizationId);
    await setStreamMapping(sql, organizationId, mapping);
  });
  return (await findStream(tenant, key)) ?? emptyStream(key);
}

function readStream(input: StreamInput) {
  const { scope, line, method = null, renewable = null } = input;
  const [category, , activityUncertaintyPercentExact, factorUncertaintyPercentExact, note] = requireValid(
    () => readOptional("stream", "category", input.category, TEXT_LIMITS.category),
    () => requireLine(scope, line),
    () => readUncertainty("activityUncertaintyPercent", input.activityUncertaintyPercent),
    () => readUncertainty("factorUncertaintyPercent", input.factorUncertaintyPercent),
    () => readNote("stream", "note", input.note),
  );
  const key: StreamKey = { scope, category };
  const parts = { method, activityUncertaintyPercentExact, factorUncertaintyPercentExact, renewable, note };
  if (line != null)
    return { key, mapping: { ...key, line, ...parts } satisfies Omit<MappedStream, "version"> };
  const [kept] = Object.entries(parts).find(([, value]) => value !== null) ?? [];
  if (kept === undefined) return { key, mapping: null };
  throw new InvalidInput("stream", kept.replace(/Exact$/, ""), "must be omitted without a line");
}

/** Throws InvalidInput unless a line is null or belongs to the scope. It may not be omitted. */
function requireLine(scope: EmissionScope, line: InventoryLine | null | undefined): void {
  if (line === null || (line !== undefined && isOfScope(line, scope))) return;
  const lines = LINES_OF_SCOPE[scope].join(", ");
  const expected = `must be a line of ${scope} (${lines}), or null to remove the mapping`;
  throw new InvalidInput("stream", "line", `${expected} (got ${line ?? "nothing"})`);
}

const readUncertainty = (field: string, text: string | null | undefined): string | null =>
  text == null ? null : readShare("stream", field, text, UNCERTAINTY);

async function requireSpace(sql: SqlSession, organizationId: string): Promise<void> {
  if ((await countMappedStreams(sql, organizationId)) < MAX_STREAMS) return;
  const message = `The organization already has ${MAX_STREAMS} mapped streams, the maximum. Remove the mappings of streams without records, or use fewer categories.`;
  throw new ActionError("CONFLICT", "stream", message, "category");
}

const emptyStream = (key: StreamKey): StreamRow => ({
  ...key,
  line: null,
  method: null,
  activityUncertaintyPercentExact: null,
  factorUncertaintyPercentExact: null,
  renewable: null,
  note: null,
  version: 0,
  co2eTonnesExact: "0",
  recordCount: 0,
  latestMonth: null,
});
