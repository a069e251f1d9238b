import { COLLECTIONS, type SyncedTable } from "../../domain/collections.js";
import { Prisma } from "../../generated/prisma/client.js";
import { TABLES, VISIBILITY } from "../../generated/tables.js";
import { MINE, OWN, ROWS } from "./rows.js";

/** Values of `/// @visible` in schema.prisma, which documents them. The default is `hidden`. */
type Visibility = (typeof VISIBILITY)[Model];

type Model = Prisma.ModelName;
type ModelOf<Seen extends Visibility> = {
  [M in Model]: (typeof VISIBILITY)[M] extends Seen ? M : never;
}[Model];
type OwnModel = ModelOf<Exclude<Visibility, "mine" | "hidden">>;
type MyModel = ModelOf<"mine" | "own and mine">;
/** A table whose rows callers can see. */
export type SourceTable = (typeof TABLES)[OwnModel | MyModel];

interface Source {
  readonly table: SourceTable;
  /** Query of the rows. `$organization` and `$user` are replaced by the caller's ids. */
  readonly rows: string;
  readonly isCached: boolean;
}

const SYNCED: ReadonlySet<string> = new Set(Object.values(COLLECTIONS));
const CACHED: ReadonlySet<Visibility> = new Set(["own", "own and shared", "shared"]);
const SOURCES = new Map<string, Source>();

/** Adds a source, and returns its name. */
function addSource(name: string, model: OwnModel | MyModel, condition: string | null): string {
  const rows = ROWS[model] ?? `SELECT t.* FROM ${TABLES[model]} AS t`;
  const where = condition === null ? "" : ` WHERE ${condition}`;
  const isCached = CACHED.has(VISIBILITY[model]);
  SOURCES.set(name, { table: TABLES[model], rows: rows + where, isCached });
  return name;
}

function addSources<M extends OwnModel | MyModel>(
  whose: "own" | "mine",
  isSeen: (rows: Visibility) => boolean,
  conditionOf: (model: M) => string | null,
): Readonly<Record<(typeof TABLES)[M], Prisma.Sql>> {
  const models = (Object.keys(VISIBILITY) as M[]).filter((model) => isSeen(VISIBILITY[model]));
  const sources = models.map((model) => {
    const table = TABLES[model];
    return [table, Prisma.raw(addSource(`"${whose} ${table}"`, model, conditionOf(model)))];
  });
  return Object.fromEntries(sources);
}

const OF_ORGANIZATION = "t.organization_id = $organization";

/**
 * Sources of the organization's rows, by table: `FROM ${own.facilities} AS f` reads the facilities of the caller's
 * organization. Each is a name that no table has, which a reader defines in the statement's WITH.
 */
export const own = addSources<OwnModel>(
  "own",
  (rows) => rows !== "mine" && rows !== "hidden",
  (model) => {
    const rows: Visibility = VISIBILITY[model];
    if (rows === "shared" || rows === "live shared") return null;
    if (rows === "own and shared") return `(${OF_ORGANIZATION} OR t.organization_id IS NULL)`;
    return OWN[model] ?? OF_ORGANIZATION;
  },
);

/**
 * Sources of the user's rows; empty for an API key or a service account. They differ from `own`: a user's memberships,
 * sessions, settings and requests to verify span organizations, and other members cannot see a user's conversations.
 */
export const mine = addSources<MyModel>(
  "mine",
  (rows) => rows === "mine" || rows === "own and mine",
  (model) => MINE[model] ?? "t.user_id = $user",
);

/**
 * The tenant's records, for a condition on their trigrams. Compares the organization as text, so that PostgreSQL uses
 * the trigram index and no index by organization.
 */
export const ownRecordsByGrams: Prisma.Sql = Prisma.raw(
  addSource(
    `"own emission_records by grams"`,
    "EmissionRecord",
    "t.organization_id::text = $organization::text AND t.deleted_at IS NULL",
  ),
);

/**
 * Sources of the tenant's rows in tables that clients can synchronize. They include deleted records, but no rows shared
 * by all organizations.
 */
export const synced: Readonly<Record<SyncedTable, Prisma.Sql>> = Object.fromEntries(
  (Object.keys(VISIBILITY) as OwnModel[])
    .filter((model) => SYNCED.has(TABLES[model]))
    .map((model) => {
      const table = TABLES[model];
      return [table, Prisma.raw(addSource(`"synced ${table}"`, model, OF_ORGANIZATION))];
    }),
) as Record<SyncedTable, Prisma.Sql>;

/** Returns a name for a CTE in a tenant's statement, to define in WITH and to read in FROM. */
export const cte = (name: string): Prisma.Sql => Prisma.raw(`"cte ${name}"`);

/** Returns the source with this name; undefined for any other name. */
export const findSource = (name: string): Source | undefined => SOURCES.get(name);

/** Returns true if `cte` created this name. */
export const isCte = (name: string): boolean => /^"cte \w+"$/.test(name);
