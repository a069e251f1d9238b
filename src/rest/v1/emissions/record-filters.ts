import type { EmissionScope } from "../../../domain/enums.js";
import { upperCase } from "../calculations/factor.js";

interface RecordFilters {
  readonly scope?: EmissionScope | undefined;
  readonly facility?: string | undefined;
  readonly category?: string | undefined;
}

/** A filter of records as the graph takes it. */
export const toRecordFilter = ({ scope, facility, category }: RecordFilters) => ({
  scopes: scope ? [upperCase(scope)] : null,
  facilityCodes: facility === undefined ? null : [facility],
  categories: category === undefined ? null : [category],
  references: null,
});
