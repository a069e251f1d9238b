import { useState } from "preact/hooks";
import type { AnnouncementLevel, AudienceKind } from "../../../../generated/console.js";
import { Announcement } from "../../../parts/announcements/announcement.js";
import { Field, TextArea } from "../../../parts/fields/field.js";
import { Select } from "../../../parts/fields/select.js";
import { textOf } from "../../../parts/forms/values.js";
import type { ManagedAnnouncement } from "./read-announcements.js";

const LEVELS: readonly AnnouncementLevel[] = ["INFO", "WARNING", "CRITICAL"];
const KINDS: readonly AudienceKind[] = ["ALL", "PLANS", "REGIONS", "ORGANIZATIONS", "ROLES"];
const NEW = { title: "", bodyMarkdown: "", level: "INFO", isDismissible: true, audience: "ALL" } as const;

/** The fields of an announcement, with a preview. */
export function AnnouncementFields({ announcement }: { announcement?: ManagedAnnouncement }) {
  const { title, bodyMarkdown, level, isDismissible, audience } = announcement ?? NEW;
  const [shown, setShown] = useState({ title, bodyMarkdown, level });
  const preview = ({ currentTarget }: Event) => {
    const form = (currentTarget as HTMLElement).closest("form");
    if (form) setShown(textsOf(new FormData(form)));
  };
  return (
    <div onInput={preview}>
      <Field label="Title" name="title" value={title} />
      <TextArea
        label="Text"
        name="bodyMarkdown"
        value={bodyMarkdown}
        hint="Up to 4,000 characters. You can use **bold**, *italic*, [links](https://…), and lists that begin with - or 1."
      />
      <div class="pair">
        <Select label="Level" name="level" options={LEVELS} value={level} />
        <Select label="Audience" name="audience" options={KINDS} value={audience} />
      </div>
      <Field
        label="Limit to"
        name="audienceValues"
        value={announcement?.audienceValues.join(", ") ?? ""}
        hint="Plans, country codes (e.g. IN), short names of organizations or roles, separated by commas. Leave empty for all"
      />
      <div class="pair">
        <Field
          label="From"
          name="startsAt"
          type="datetime-local"
          value={toLocal(announcement?.startsAt)}
          hint="Leave empty to publish now"
        />
        <Field
          label="Until"
          name="endsAt"
          type="datetime-local"
          value={toLocal(announcement?.endsAt)}
          hint="Leave empty for no end"
        />
      </div>
      <label>
        <input type="checkbox" name="isDismissible" defaultChecked={isDismissible} /> Readers can dismiss it
      </label>
      <Announcement {...shown} />
    </div>
  );
}

const textsOf = (values: FormData) => ({
  title: textOf(values, "title"),
  bodyMarkdown: textOf(values, "bodyMarkdown"),
  level: textOf(values, "level") as AnnouncementLevel,
});

/** Reads the fields as input of the mutation. */
export function readAnnouncement(values: FormData) {
  const startsAt = textOf(values, "startsAt");
  const endsAt = textOf(values, "endsAt");
  const audienceValues = textOf(values, "audienceValues").split(",");
  return {
    ...textsOf(values),
    isDismissible: values.has("isDismissible"),
    ...(startsAt && { startsAt: new Date(startsAt).toISOString() }),
    endsAt: endsAt ? new Date(endsAt).toISOString() : null,
    audience: textOf(values, "audience") as AudienceKind,
    audienceValues: audienceValues.map((value) => value.trim()).filter(Boolean),
  };
}

/** Formats a time for a `datetime-local` field, in the user's time zone. */
function toLocal(time: string | null | undefined): string {
  if (!time) return "";
  const offsetMs = new Date(time).getTimezoneOffset() * 60_000;
  return new Date(Date.parse(time) - offsetMs).toISOString().slice(0, 16);
}
