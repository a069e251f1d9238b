import { requireAccess } from "../../../access/context.js";
import { requireActorContext } from "../../../actions/actor-context.js";
import { recalculateRecords } from "../../../actions/emissions/recalculate.js";
import { percentOf, subtractDecimals } from "../../../domain/decimals.js";
import type { AmountChange } from "../../../domain/emissions/recalculation.js";
import { MAX_PAGE_SIZE } from "../../../domain/page.js";
import type { Resolvers } from "../../../generated/resolvers.js";
import { requireNoNul } from "../../paging/arguments.js";
import { readRecordSearch } from "./filter.js";

const difference = ({ before, after }: AmountChange) => subtractDecimals(after, before);

/** Recalculation of records with another set of factors. */
export const recalculation = {
  Mutation: {
    async recalculateEmissionRecords(_parent, { input: { factorSet, dryRun, ...search } }, context) {
      const caller = requireActorContext(context);
      const access = requireAccess(context);
      requireNoNul("factorSet.source", factorSet.source);
      const wanted = await readRecordSearch(search, access);
      return recalculateRecords(caller, access.tenant, { wanted, factorSet, dryRun });
    },
  },

  RecalculateEmissionRecordsPayload: {
    isDryRun: ({ dryRun }) => dryRun,
    changedCount: ({ changed }) => changed.length,
    records: ({ changed }) => changed.slice(0, MAX_PAGE_SIZE),
  },
  RecalculatedAmount: {
    before: ({ before }) => Number(before),
    beforeExact: ({ before }) => before,
    after: ({ after }) => Number(after),
    afterExact: ({ after }) => after,
    change: (amount) => Number(difference(amount)),
    changeExact: difference,
    percent: (amount) => percentOf(difference(amount), amount.before, 2),
  },
} satisfies Resolvers;
