import { requireAccess } from "../../../access/context.js";
import { requireActorContext } from "../../../actions/actor-context.js";
import { issueInventory } from "../../../actions/inventory/issue-inventory.js";
import { type BaseYearComparison, readBaseYear } from "../../../actions/inventory/read-base-year.js";
import {
  countIssues,
  findIssue,
  type IssueRow,
  listIssues,
  readIssueText,
} from "../../../data/inventory/issues.js";
import type { TenantReader } from "../../../data/tenant/reader.js";
import type { BaseYearFigure } from "../../../domain/inventory/base-year.js";
import { once } from "../../../domain/once.js";
import type { Resolvers } from "../../../generated/resolvers.js";
import { requireMonth } from "../../paging/arguments.js";
import { readConnection } from "../../paging/page.js";
import { floatOf } from "../floats.js";

/** An issue. Its statement is read only if selected. */
export interface InventoryIssueModel extends IssueRow {
  readonly text: () => Promise<string>;
}

export type BaseYearStatusModel = BaseYearComparison;
export type BaseYearFigureModel = BaseYearFigure;

/** Returns an issue that `tenant` can read. `requireOpen` throws if the caller may not read its statement. */
export const toIssue = (
  tenant: TenantReader,
  row: IssueRow,
  requireOpen?: () => void,
): InventoryIssueModel => ({
  ...row,
  text: once(async () => {
    requireOpen?.();
    return readIssueText(tenant, row);
  }),
});

/** Issues of inventories, and the comparison of the base year with its latest issue. */
export const issues = {
  Query: {
    inventoryIssues(_parent, { year, ...args }, context) {
      const access = requireAccess(context);
      return readConnection(access, args, {
        name: "inventoryIssues",
        parameters: [year],
        read: (page) => listIssues(access.tenant, year, page),
        count: () => countIssues(access.tenant, year),
        toNode: (row) => toIssue(access.tenant, row),
      });
    },
    async inventoryIssue(_parent, { year, issue }, context) {
      const { tenant } = requireAccess(context);
      const found = await findIssue(tenant, year, issue);
      return found && toIssue(tenant, found);
    },
    baseYearStatus(_parent, { holdingsAsOf = null }, context) {
      const { tenant, loaders } = requireAccess(context);
      if (holdingsAsOf !== null) requireMonth("holdingsAsOf", holdingsAsOf);
      return loaders.shared(["base year", holdingsAsOf], () =>
        readBaseYear(tenant, holdingsAsOf, context.request.now),
      );
    },
  },

  InventoryIssue: {
    statement: async ({ text }) => JSON.parse(await text()),
    statementText: ({ text }) => text(),
  },
  BaseYearStatus: {
    thresholdPercent: floatOf("thresholdPercent"),
    required: ({ figures }) => figures.some(({ required }) => required),
  },
  BaseYearFigure: {
    reported: floatOf("reported"),
    restated: floatOf("restated"),
    change: floatOf("change"),
    structural: floatOf("structural"),
    other: floatOf("other"),
  },

  Mutation: {
    async issueInventory(_parent, { input }, context) {
      const { issue, isNew } = await issueInventory(requireActorContext(context), input);
      return { issue: toIssue(requireAccess(context).tenant, issue), isNew };
    },
  },
} satisfies Resolvers;
