import { requireAccess } from "../../../access/context.js";
import { readVsmeReport } from "../../../actions/inventory/vsme-report.js";
import { INVENTORY_YEARS } from "../../../domain/inventory/policies.js";
import type { Resolvers } from "../../../generated/resolvers.js";
import { requireWithin } from "../../paging/arguments.js";

/** Facts for a VSME report. */
export const vsme = {
  Query: {
    vsmeReport(_parent, request, context) {
      requireWithin("year", request.year, INVENTORY_YEARS.first, INVENTORY_YEARS.last);
      return readVsmeReport(requireAccess(context), request);
    },
  },
} satisfies Resolvers;
