import type { Problem } from "../../../gateway/failure.js";
import { need, optionalOf, textOf } from "../../../parts/forms/values.js";
import { CATEGORIES, channelsOf, type Settings } from "./settings.js";

const DAYS = "categories.deadline.days_before";
const isDays = (text: string) => text === "" || /^\d{1,3}(\s*,\s*\d{1,3})*$/.test(text);

/** Returns the problems that the browser can find in the settings. */
export function checkPatch(values: FormData): readonly Problem[] {
  const isWebhookComplete =
    !values.has("channels.webhook.enabled") || optionalOf(values, "channels.webhook.url") !== null;
  return [
    ...need("channels.webhook.url", isWebhookComplete, "Enter a URL, or switch the webhook off."),
    ...need(
      DAYS,
      isDays(textOf(values, DAYS).trim()),
      "Enter whole numbers separated by commas, e.g. 30, 7, 1.",
    ),
  ];
}

/**
 * Returns the form as a merge patch. Includes the webhook's URL only if it changed, because sending a URL creates a
 * new secret.
 */
export function readPatch(values: FormData, settings: Settings): Record<string, unknown> {
  const { channels } = settings;
  const offered = channelsOf(settings);
  const text = (name: string) => textOf(values, name).trim();
  const isOn = (name: string) => values.has(name);
  const url = text("channels.webhook.url") || null;
  const days = text(DAYS);
  const categories = Object.keys(CATEGORIES).filter((category) => category !== "security");
  const channelsOn = (category: string) =>
    Object.fromEntries(offered.map((channel) => [channel, isOn(`categories.${category}.${channel}`)]));
  const switches = Object.fromEntries(categories.map((category) => [category, channelsOn(category)]));
  return {
    channels: {
      in_app: { enabled: isOn("channels.in_app.enabled") },
      ...(offered.includes("email") && {
        email: { enabled: isOn("channels.email.enabled"), address: text("channels.email.address") || null },
      }),
      webhook: {
        enabled: isOn("channels.webhook.enabled"),
        ...(url !== channels.webhook.url && { url }),
      },
    },
    categories: {
      ...switches,
      deadline: { ...switches["deadline"], days_before: days === "" ? [] : days.split(",").map(Number) },
      anomaly: { ...switches["anomaly"], min_severity: text("categories.anomaly.min_severity") },
    },
    ...(values.has("digest.frequency") && {
      digest: {
        frequency: text("digest.frequency"),
        ...(values.has("digest.weekday") && { weekday: text("digest.weekday") }),
        ...(values.has("digest.hour") && {
          hour: Number(text("digest.hour")),
          timezone: text("digest.timezone"),
        }),
      },
    }),
  };
}
