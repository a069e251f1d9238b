import type { GraphQLSchema } from "graphql";
import { type Context, requireAccess } from "../../access/context.js";
import { createItems, type WriteItems } from "../../catalogue/answer/items.js";
import { type ChangedItem, findLatestPlace, MAX_CHANGES, readChanges } from "../../data/sync/changes.js";
import { readChangeCursor, writeChangeCursor } from "../../data/sync/cursor.js";
import type { Collection } from "../../domain/collections.js";
import { EXAMPLES, OPERATIONS } from "../../generated/catalogue.js";
import type { Resolvers } from "../../generated/resolvers.js";
import { refuseArgument, requireSize } from "../paging/arguments.js";

/** Fragments of the catalogue that select the fields of an item in REST. */
const FRAGMENTS: Readonly<Record<Collection, string>> = {
  "emission-records": "EmissionRecord",
  facilities: "Facility",
  "emission-factors": "EmissionFactor",
  "business-metrics": "BusinessMetric",
  "credit-batches": "CreditBatch",
  "credit-sales": "CreditSale",
  "credit-retirements": "CreditRetirement",
  frameworks: "FrameworkState",
  deadlines: "ComplianceDeadline",
  "ccts-periods": "CctsPeriod",
  "cbam-declarations": "CbamDeclaration",
  "market-prices": "SingleMarketPrice",
};

/** Writers by schema and collection. Each schema has its own types. */
const writers = new WeakMap<GraphQLSchema, (collection: Collection) => WriteItems>();

function writerOf(schema: GraphQLSchema, collection: Collection): WriteItems {
  let find = writers.get(schema);
  if (!find) {
    const create = createItems(schema, OPERATIONS, EXAMPLES);
    const known = new Map<Collection, WriteItems>();
    find = (wanted) => {
      const writer = known.get(wanted) ?? create(FRAGMENTS[wanted]);
      known.set(wanted, writer);
      return writer;
    };
    writers.set(schema, find);
  }
  return find(collection);
}

interface Arguments {
  readonly cursor?: string | null | undefined;
  readonly from?: "now" | null | undefined;
  readonly limit: number;
}

/** Creates the resolver of a collection's changes. */
const changesOf =
  (collection: Collection) =>
  async (
    _parent: unknown,
    { cursor, from, limit }: Arguments,
    context: Context,
    { schema }: { readonly schema: GraphQLSchema },
  ) => {
    requireSize("limit", limit, MAX_CHANGES);
    const { tenant } = requireAccess(context);
    const { organizationId } = tenant;
    const place = cursor == null ? null : readChangeCursor(organizationId, collection, cursor);
    if (place === undefined) {
      throw refuseArgument(
        "cursor",
        "expected a cursor of this collection, got one that was altered, or belongs to another collection or organization",
      );
    }
    if (place && from) throw refuseArgument("from", "expected either cursor or from, got both");
    const page = from
      ? { ...(await findLatestPlace(tenant)), items: [], hasMore: false }
      : await readChanges(tenant, collection, place, limit);
    const rows = page.items.flatMap(({ row }) => row ?? []);
    const written = (await writerOf(schema, collection)(rows, context, tenant)).values();
    const toChange = ({ key, version, row }: ChangedItem) => ({
      op: row ? ("upsert" as const) : ("delete" as const),
      key,
      version,
      data: row ? (written.next().value ?? null) : null,
    });
    return {
      items: page.items.map(toChange),
      nextCursor: writeChangeCursor(organizationId, collection, page.next),
      hasMore: page.hasMore,
      asOf: page.asOf,
    };
  };

/** Changes to collections, for keeping a copy in sync. */
export const changes = {
  Query: {
    emissionRecordChanges: changesOf("emission-records"),
    facilityChanges: changesOf("facilities"),
    emissionFactorChanges: changesOf("emission-factors"),
    businessMetricChanges: changesOf("business-metrics"),
    creditBatchChanges: changesOf("credit-batches"),
    creditSaleChanges: changesOf("credit-sales"),
    creditRetirementChanges: changesOf("credit-retirements"),
    frameworkChanges: changesOf("frameworks"),
    deadlineChanges: changesOf("deadlines"),
    cctsPeriodChanges: changesOf("ccts-periods"),
    cbamDeclarationChanges: changesOf("cbam-declarations"),
    marketPriceChanges: changesOf("market-prices"),
  },
} satisfies Resolvers;
