export const ANNOUNCEMENT_LEVELS = ["critical", "warning", "info"] as const;
/** Urgency of an announcement, most urgent first. */
export type AnnouncementLevel = (typeof ANNOUNCEMENT_LEVELS)[number];

export const AUDIENCE_KINDS = ["all", "plans", "regions", "organizations", "roles"] as const;
/** Criterion that selects the readers of an announcement. */
export type AudienceKind = (typeof AUDIENCE_KINDS)[number];

/** Readers of an announcement: everyone, or people who match at least one value. */
export interface Audience {
  readonly kind: AudienceKind;
  /** Plans, countries of facilities, slugs of organizations, or roles; empty for everyone. */
  readonly values: readonly string[];
}

export const MAX_AUDIENCE_VALUES = 100;
