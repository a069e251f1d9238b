import type { Accounts } from "../../access/accounts/accounts.js";
import { V1_PREFIXES } from "../../http/surface.js";
import type { EndpointGroup } from "../endpoint.js";
import { apiKeys } from "./api-keys.js";
import { auditExport, auditLog, auditVerification } from "./audit.js";
import { createAuthEndpoints } from "./auth.js";
import { calc } from "./calc.js";
import { emissionFactors } from "./emission-factors.js";
import { invitations } from "./invitations.js";
import { members } from "./members.js";
import { sessions } from "./sessions.js";
import { viewer } from "./viewer.js";

/** Makes the wider API. */
export const createV1 = (accounts: Accounts): EndpointGroup => ({
  prefixes: V1_PREFIXES,
  keysOnly: false,
  endpoints: [
    ...createAuthEndpoints(accounts),
    ...[...viewer, ...sessions, ...members, ...invitations, ...apiKeys],
    ...[emissionFactors, calc],
    ...[auditLog, auditVerification, auditExport],
  ],
});
