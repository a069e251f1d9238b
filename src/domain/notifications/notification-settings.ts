import { SEVERITIES, type Severity } from "../foresight/find-anomalies.js";
import { findEmailFault } from "../people/email.js";
import { isWithinLimit, TEXT_LIMITS } from "../texts/text-limits.js";
import { isWebLink } from "../texts/web-link.js";
import { type DeliveryChannel, NOTIFICATION_CATEGORIES, type NotificationCategory } from "./categories.js";
import { isTimeZone } from "./time-zone.js";

export const FREQUENCIES = ["immediate", "daily", "weekly"] as const;

/** Weekdays in the order of `Date.getUTCDay()`. */
export const WEEKDAYS = [
  "sunday",
  "monday",
  "tuesday",
  "wednesday",
  "thursday",
  "friday",
  "saturday",
] as const;

type EnabledChannels = Readonly<Record<"in_app" | DeliveryChannel, boolean>>;

/** Schedule of e-mails: immediate, or collected until a given hour. */
export interface Digest {
  readonly frequency: (typeof FREQUENCIES)[number];
  readonly weekday: (typeof WEEKDAYS)[number];
  readonly hour: number;
  /** An IANA time zone. */
  readonly timezone: string;
}

/** A person's notification settings, as in the JSON of the API. */
export interface NotificationSettings {
  readonly channels: {
    readonly in_app: { readonly enabled: boolean };
    /** A null address means the account's. */
    readonly email: { readonly enabled: boolean; readonly address: string | null };
    readonly webhook: { readonly enabled: boolean; readonly url: string | null };
  };
  readonly categories: Readonly<Record<NotificationCategory, EnabledChannels>> & {
    readonly deadline: { readonly days_before: readonly number[] };
    readonly anomaly: { readonly min_severity: Severity };
  };
  readonly digest: Digest;
}

/** A setting's default, and the values it accepts. */
export interface Setting {
  readonly initial: unknown;
  readonly expected: string;
  readonly fits: (value: unknown) => boolean;
}

/** Settings by name, which may be nested in groups. */
export interface SettingGroup {
  readonly [name: string]: SettingGroup | Setting;
}

const flag = (initial: boolean): Setting => ({
  initial,
  expected: "true or false",
  fits: (value) => typeof value === "boolean",
});
const oneOf = (values: readonly string[], initial: string): Setting => ({
  initial,
  expected: `one of ${values.join(", ")}`,
  fits: (value) => values.includes(value as string),
});
const isWhole = (value: unknown, max: number) =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) <= max;
const allChannels = { in_app: flag(true), email: flag(true), webhook: flag(true) };
const always: Setting = {
  initial: true,
  expected: "true, because security notifications cannot be turned off",
  fits: (value) => value === true,
};
const daysBefore: Setting = {
  initial: [30, 7, 1],
  expected: "a list of at most 10 whole numbers from 0 to 365",
  fits: (value) => Array.isArray(value) && value.length <= 10 && value.every((days) => isWhole(days, 365)),
};
const address: Setting = {
  initial: null,
  expected: `an e-mail address of at most ${TEXT_LIMITS.email} characters`,
  fits: (value) => typeof value === "string" && findEmailFault(value) === undefined,
};
const url: Setting = {
  initial: null,
  expected: `an https URL without a user name or password, of at most ${TEXT_LIMITS.url} characters`,
  fits: (value) =>
    typeof value === "string" &&
    /^https:/i.test(value) &&
    isWebLink(value) &&
    isWithinLimit(value, TEXT_LIMITS.url),
};

/** All settings, with their defaults. */
export const SETTINGS: SettingGroup = {
  channels: {
    in_app: { enabled: flag(true) },
    email: { enabled: flag(true), address },
    webhook: { enabled: flag(false), url },
  },
  categories: {
    ...Object.fromEntries(NOTIFICATION_CATEGORIES.map((category) => [category, allChannels])),
    deadline: { ...allChannels, days_before: daysBefore },
    anomaly: { ...allChannels, min_severity: oneOf(SEVERITIES, "low") },
    security: { in_app: always, email: always, webhook: always },
  },
  digest: {
    frequency: oneOf(FREQUENCIES, "immediate"),
    weekday: oneOf(WEEKDAYS, "monday"),
    hour: {
      initial: 8,
      expected: "a whole number from 0 to 23",
      fits: (value) => isWhole(value, 23),
    },
    timezone: {
      initial: "UTC",
      expected: "an IANA time zone such as Europe/Berlin",
      fits: isTimeZone,
    },
  },
};

export const isSetting = (node: SettingGroup | Setting): node is Setting =>
  typeof node["fits"] === "function";

/** Settings that differ from their defaults, nested in the same groups. */
export interface ChangedSettings {
  readonly [name: string]: unknown;
}

/** Adds the defaults of unchanged settings. */
export const completeSettings = (changed: ChangedSettings): NotificationSettings =>
  complete(SETTINGS, changed) as unknown as NotificationSettings;

function complete(group: SettingGroup, changed: ChangedSettings): ChangedSettings {
  const settings = Object.entries(group).map(([name, node]) => {
    const value = changed[name];
    return [
      name,
      isSetting(node) ? (value ?? node.initial) : complete(node, (value ?? {}) as ChangedSettings),
    ];
  });
  return Object.fromEntries(settings);
}

/**
 * Returns the channels for a notification: those enabled both in general and for the category, but none for an anomaly
 * below the minimum severity. A webhook also needs a URL. Security notifications always appear in the console.
 */
export function findEnabledChannels(
  { channels, categories }: NotificationSettings,
  category: NotificationCategory,
  severity: Severity,
): EnabledChannels {
  const isTooMinor =
    category === "anomaly" &&
    SEVERITIES.indexOf(severity) < SEVERITIES.indexOf(categories.anomaly.min_severity);
  const { in_app, email, webhook } = categories[category];
  return {
    in_app: category === "security" || (channels.in_app.enabled && in_app && !isTooMinor),
    email: channels.email.enabled && email && !isTooMinor,
    webhook: channels.webhook.enabled && channels.webhook.url !== null && webhook && !isTooMinor,
  };
}
