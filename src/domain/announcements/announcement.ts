export const ANNOUNCEMENT_LEVELS = ["critical", "warning", "info"] as const;
/** How urgent an announcement is, most urgent first. */
export type AnnouncementLevel = (typeof ANNOUNCEMENT_LEVELS)[number];

export const AUDIENCE_KINDS = ["all", "plans", "regions", "organizations", "roles"] as const;
/** By what the readers of an announcement are chosen. */
export type AudienceKind = (typeof AUDIENCE_KINDS)[number];

/** Who reads an announcement: everybody, or those of whom one of the values is true. */
export interface Audience {
  readonly kind: AudienceKind;
  /** Plans, countries of facilities, slugs of organizations, or roles; none for all. */
  readonly values: readonly string[];
}

/** An audience names no more. */
export const MOST_AUDIENCE_VALUES = 100;
