import { makeExecutableSchema } from "@graphql-tools/schema";
import type { IResolvers } from "@graphql-tools/utils";
import type { GraphQLSchema } from "graphql";
import { anomalies } from "../resolvers/anomalies.js";
import { benchmarks } from "../resolvers/benchmarks.js";
import { cbamDeclarations } from "../resolvers/cbam/declarations.js";
import { cbam } from "../resolvers/cbam/estimate.js";
import { ccts } from "../resolvers/ccts.js";
import { chat } from "../resolvers/chat.js";
import { compliance } from "../resolvers/compliance.js";
import { credits } from "../resolvers/credits.js";
import { emissions } from "../resolvers/emissions/emissions.js";
import { facilities } from "../resolvers/emissions/facilities.js";
import { factors } from "../resolvers/emissions/factors.js";
import { imports } from "../resolvers/emissions/imports.js";
import { kpis } from "../resolvers/emissions/kpis.js";
import { metrics } from "../resolvers/emissions/metrics.js";
import { recalculation } from "../resolvers/emissions/recalculation.js";
import { records } from "../resolvers/emissions/records.js";
import { enums } from "../resolvers/enums.js";
import { foresight } from "../resolvers/foresight.js";
import { insights } from "../resolvers/insights/insights.js";
import { key } from "../resolvers/key.js";
import { market } from "../resolvers/market.js";
import { apiKeys } from "../resolvers/people/api-keys.js";
import { audit } from "../resolvers/people/audit.js";
import { members } from "../resolvers/people/members.js";
import { notifications } from "../resolvers/people/notifications.js";
import { viewer } from "../resolvers/people/viewer.js";
import { announcements } from "../resolvers/platform/announcements.js";
import { monitoring } from "../resolvers/platform/monitoring.js";
import { priceIndex } from "../resolvers/price-index.js";
import { certificates } from "../resolvers/verification/certificates.js";
import { verification } from "../resolvers/verification/requests.js";
import { verificationSteps } from "../resolvers/verification/steps.js";
import { forgetAfterMutations } from "../server/mutations.js";
import { paceLists } from "../server/scheduler.js";
import { placeProblems } from "./input-paths.js";
import { refuseNulls } from "./present-directive.js";
import { scalars } from "./scalars.js";
import { enforceScopes } from "./scope-directive.js";

const RESOLVERS = [
  scalars,
  enums,
  key,
  emissions,
  compliance,
  ccts,
  cbam,
  cbamDeclarations,
  credits,
  benchmarks,
  market,
  priceIndex,
  foresight,
  anomalies,
  insights,
  records,
  recalculation,
  facilities,
  kpis,
  metrics,
  factors,
  imports,
  viewer,
  notifications,
  members,
  apiKeys,
  audit,
  monitoring,
  chat,
  announcements,
  verification,
  verificationSteps,
  certificates,
];

/**
 * Makes the executable schema of `typeDefs` (schema.graphql), with scopes enforced, nulls refused and large lists paced. `more` are
 * resolvers of fields that `typeDefs` adds to schema.graphql. Throws if a resolver has no field or a scope does not exist.
 */
export function createSchema(typeDefs: string, more: readonly IResolvers[] = []): GraphQLSchema {
  const schema = makeExecutableSchema({
    typeDefs,
    resolvers: [...RESOLVERS, ...more],
    resolverValidationOptions: { requireResolversToMatchSchema: "error" },
  });
  return paceLists(enforceScopes(refuseNulls(placeProblems(forgetAfterMutations(schema)))));
}
