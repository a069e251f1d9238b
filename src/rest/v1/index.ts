import type { GraphQLSchema } from "graphql";
import type { Accounts } from "../../actions/accounts/accounts.js";
import type { ScopesOf } from "../../catalogue/prepare.js";
import { EXAMPLES, OPERATIONS } from "../../generated/catalogue.js";
import { V1_PREFIXES } from "../../http/surface.js";
import { createCataloguedEndpoints } from "../catalogued.js";
import type { Endpoint, EndpointGroup } from "../endpoint.js";
import { auditExport, auditLog } from "./audit.js";
import { calculate } from "./calculations/calc.js";
import { cbamEstimate } from "./cbam/estimate.js";
import { ask } from "./chat.js";
import { createEmissionRecords } from "./emissions/create-records.js";
import { createExports, type Exporting } from "./emissions/export.js";
import { createImport, type Importing } from "./emissions/import.js";
import { createPreview, type Previewing } from "./emissions/preview.js";
import { trend } from "./emissions/trend.js";
import { createEventStream, type OpenStream } from "./events.js";
import { withoutSeries } from "./foresight/without-series.js";
import { createVsmeExport, type ReadReport } from "./inventory/vsme-export.js";
import { getPriceIndex } from "./markets/price-index.js";
import { createAuthEndpoints } from "./people/auth.js";
import { caller } from "./people/caller.js";
import { createFactorEndpoints } from "./people/factors.js";
import { preferences } from "./people/preferences.js";
import { verificationExport } from "./verification/export.js";
import { type Certified, createVerify } from "./verification/verify.js";

/** Dependencies of the wider API besides the schema. */
export interface V1Parts {
  readonly accounts: Accounts;
  readonly importing: Importing & Previewing;
  readonly exporting: Exporting;
  readonly certified: Certified;
  readonly readReport: ReadReport;
  readonly openEvents: OpenStream;
}

/** Creates the wider API. */
export const createV1 = (
  schema: GraphQLSchema,
  { accounts, importing, exporting, certified, readReport, openEvents }: V1Parts,
  scopesOf: ScopesOf,
): EndpointGroup => ({
  prefixes: V1_PREFIXES,
  keysOnly: false,
  endpoints: [
    ...createCataloguedEndpoints(
      schema,
      {
        texts: OPERATIONS,
        examples: EXAMPLES,
        overrides: {
          ask,
          calculate,
          createEmissionRecords,
          getPriceIndex,
          getViewer: caller,
          getViewerByPost: caller,
        },
      },
      scopesOf,
    ),
    ...withAreas({
      people: [...createAuthEndpoints(accounts), ...createFactorEndpoints(accounts), ...preferences],
      emissions: [trend, createImport(importing), createPreview(importing), ...createExports(exporting)],
      foresight: withoutSeries,
      cbam: [cbamEstimate],
      inventory: [createVsmeExport(readReport)],
      events: [createEventStream(openEvents)],
      audit: [auditLog, auditExport],
      verification: [verificationExport, createVerify(certified)],
    }),
  ],
});

/** Returns the endpoints outside the catalogue, each with its area. */
const withAreas = (endpoints: Readonly<Record<string, readonly Endpoint[]>>): Endpoint[] =>
  Object.entries(endpoints).flatMap(([area, listed]) => listed.map((endpoint) => ({ area, ...endpoint })));
