import type { SqlSession } from "../../data/database/types.js";
import type { Claim } from "../../data/webhooks/claims.js";
import { disableEndpoint } from "../../data/webhooks/write-endpoints.js";
import type { DisabledReason } from "../../domain/webhooks/endpoint-health.js";
import { notify } from "../notifications/notify.js";

const REASONS = {
  gone: "Its receiver answered 410 (Gone).",
  unreachable: "Its receiver has accepted nothing for 5 days.",
} as const;

/** Disables an endpoint whose receiver is gone or unreachable, and notifies the members who manage webhooks. */
export async function disableUnreachable(
  sql: SqlSession,
  { endpointId, organizationId }: Pick<Claim, "endpointId" | "organizationId">,
  reason: Exclude<DisabledReason, "request">,
  now: Date,
): Promise<void> {
  const version = await disableEndpoint(sql, endpointId, reason, now);
  if (version === undefined) return;
  const title = "A webhook endpoint was disabled";
  await notify(sql, {
    organizationId,
    to: { membersWith: "manage:webhooks" },
    key: `webhook endpoint ${endpointId} disabled, version ${version}`,
    category: "security",
    severity: "high",
    title,
    summary: title,
    body: `${REASONS[reason]} Its events are kept for 30 days. Enable it again to continue where it stopped.\nEndpoint: ${endpointId}`,
    link: "/console/settings/webhooks",
    now,
  });
}
