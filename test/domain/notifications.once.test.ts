import { describe, expect, it } from "vitest";
import { timeOfEmail } from "../../src/domain/notifications/digest.js";
import { writeMail } from "../../src/domain/notifications/mail-text.js";
import { completeSettings, type Digest } from "../../src/domain/notifications/notification-settings.js";
import { patchSettings } from "../../src/domain/notifications/patch-settings.js";
import { isTimeZone } from "../../src/domain/notifications/time-zone.js";

describe("the time of an e-mail", () => {
  const { digest } = completeSettings({});
  it.each<[string, Partial<Digest>, now: string, expected: string]>([
    ["at once", {}, "2026-11-20T10:00:00Z", "2026-11-20T10:00:00.000Z"],
    ["today", { frequency: "daily", hour: 11 }, "2026-11-20T10:00:00Z", "2026-11-20T11:00:00.000Z"],
    [
      "not now, but tomorrow",
      { frequency: "daily", hour: 10 },
      "2026-11-20T10:00:00Z",
      "2026-11-21T10:00:00.000Z",
    ],
    [
      "a zone of half hours",
      { frequency: "daily", timezone: "Asia/Kolkata" },
      "2026-11-20T02:29:59Z",
      "2026-11-20T02:30:00.000Z",
    ],
    [
      "a day ahead of UTC",
      { frequency: "daily", timezone: "Pacific/Kiritimati" },
      "2026-11-20T10:00:00Z",
      "2026-11-20T18:00:00.000Z",
    ],
    [
      "weekly",
      { frequency: "weekly", weekday: "sunday" },
      "2026-11-20T10:00:00Z",
      "2026-11-22T08:00:00.000Z",
    ],
    [
      "the weekday of the zone",
      { frequency: "weekly", weekday: "saturday", hour: 1, timezone: "Asia/Tokyo" },
      "2026-11-20T10:00:00Z",
      "2026-11-20T16:00:00.000Z",
    ],
    // https://www.iana.org/time-zones: clocks in Berlin skip 2:00 on 2026-03-29, and show it twice on 2026-10-25.
    [
      "summer time",
      { frequency: "daily", timezone: "Europe/Berlin" },
      "2026-03-29T07:00:00Z",
      "2026-03-30T06:00:00.000Z",
    ],
    [
      "an hour that is skipped",
      { frequency: "daily", hour: 2, timezone: "Europe/Berlin" },
      "2026-03-28T12:00:00Z",
      "2026-03-29T01:00:00.000Z",
    ],
    [
      "after summer time",
      { frequency: "daily", timezone: "Europe/Berlin" },
      "2026-10-24T12:00:00Z",
      "2026-10-25T07:00:00.000Z",
    ],
  ])("is: %s", (_what, changed, now, expected) => {
    expect(timeOfEmail({ ...digest, ...changed }, new Date(now)).toISOString()).toBe(expected);
  });

  it.each(["Mars/Olympus", "", "+05:30", "Europe/Berlin ", 5, null, "x".repeat(1_000)])(
    "accepts no zone %j",
    (zone) => {
      expect(isTimeZone(zone)).toBe(false);
    },
  );
});

describe("a merge patch of settings", () => {
  it("keeps only differences from the defaults", () => {
    const first = patchSettings({}, { digest: { hour: 9, weekday: "monday" }, channels: {} });
    expect(first).toEqual({ changed: { digest: { hour: 9 }, channels: {} }, faults: [] });
    expect(patchSettings(first.changed, { digest: { hour: 8 } }).changed).toEqual({
      digest: {},
      channels: {},
    });
  });

  it.each([[[]], ["x"], [5], [null], [JSON.parse('{"__proto__":{"hour":1}}')]])("refuses %j", (patch) => {
    const { changed, faults } = patchSettings({ digest: { hour: 9 } }, patch);
    expect([changed, faults.length]).toEqual([{ digest: { hour: 9 } }, 1]);
  });
});

describe("an e-mail", () => {
  const one = {
    category: "deadline",
    summary: "A deadline is due today",
    link: "/console/compliance",
  } as const;
  const footer = "-- \nChange which e-mails you get: https://x.example/console/settings/notifications\n";
  it("states a single notification, or counts several and names at most 20", () => {
    expect(writeMail([one], "https://x.example")).toEqual({
      subject: "A deadline is due today",
      text: `A deadline is due today.\nhttps://x.example/console/compliance\n\n${footer}`,
    });
    expect(writeMail([one, { ...one, summary: "", link: null }], "https://x.example")).toEqual({
      subject: "2 notifications",
      text: `A deadline is due today.\nhttps://x.example/console/compliance\n\nA compliance deadline is near.\n\n${footer}`,
    });
    const { text } = writeMail(
      Array.from({ length: 23 }, () => one),
      "https://x.example",
    );
    expect([text.split("A deadline").length - 1, text.split("And 3 more").length - 1]).toEqual([20, 1]);
  });
});
