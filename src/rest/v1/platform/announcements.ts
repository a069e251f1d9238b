import { z } from "zod";
import { listQuery, nextCursor, pageOf, pageShape } from "../../../catalogue/list.js";
import { upperCase, uuidShape } from "../../../catalogue/values.js";
import { ANNOUNCEMENT_LEVELS, AUDIENCE_KINDS } from "../../../domain/announcements/announcement.js";
import { snakeCase } from "../../../domain/texts/snake-case.js";
import {
  type AnnouncementFieldsFragment,
  graphql,
  type ManagedAnnouncementFieldsFragment,
} from "../../../generated/operations.js";
import { endpoint } from "../../endpoint.js";
import { lowerCase } from "../../ext/lower-case.js";

const shared = {
  id: z.guid(),
  title: z.string(),
  body_markdown: z.string().meta({ description: "Paragraphs, bold, italic, links and lists." }),
  level: z.enum(ANNOUNCEMENT_LEVELS),
  starts_at: z.iso.datetime(),
  ends_at: z.iso.datetime().nullable().meta({ description: "Null for never." }),
  dismissible: z.boolean(),
};
const announcementShape = z
  .object({
    ...shared,
    dismissed: z.boolean().meta({ description: "Whether the person has dismissed it." }),
  })
  .meta({ id: "Announcement" });

const audienceShape = z
  .object({
    kind: z.enum(AUDIENCE_KINDS),
    values: z.array(z.string()).meta({ description: "Plans, countries, slugs or roles; empty for all." }),
  })
  .meta({ id: "AnnouncementAudience" });

const managedShape = z
  .object({ ...shared, audience: audienceShape, version: z.int() })
  .meta({ id: "ManagedAnnouncement" });

graphql(`
  fragment AnnouncementFields on Announcement {
    id title bodyMarkdown level startsAt endsAt dismissible dismissed
  }
`);
graphql(`
  fragment ManagedAnnouncementFields on ManagedAnnouncement {
    id title bodyMarkdown level startsAt endsAt dismissible audience audienceValues version
  }
`);

const describeText = (row: Omit<AnnouncementFieldsFragment, "dismissed">) => ({
  id: row.id,
  title: row.title,
  body_markdown: row.bodyMarkdown,
  level: lowerCase(row.level),
  starts_at: row.startsAt.toISOString(),
  ends_at: row.endsAt?.toISOString() ?? null,
  dismissible: row.dismissible,
});

const describe = (row: AnnouncementFieldsFragment): z.infer<typeof announcementShape> => ({
  ...describeText(row),
  dismissed: row.dismissed,
});

const describeManaged = (row: ManagedAnnouncementFieldsFragment): z.infer<typeof managedShape> => ({
  ...describeText(row),
  audience: { kind: lowerCase(row.audience), values: [...row.audienceValues] },
  version: row.version,
});

const TEXT_EXAMPLE = {
  id: "5f0a2c1e-7d3b-4a86-9c55-0e1f2d3c4b5a",
  title: "Maintenance on Sunday",
  body_markdown: "From **02:00 UTC** on, for an hour.",
  level: "warning" as const,
  starts_at: "2026-11-20T10:00:00.000Z",
  ends_at: "2026-11-22T03:00:00.000Z",
  dismissible: true,
};
const EXAMPLE = { ...TEXT_EXAMPLE, dismissed: false };
const MANAGED_EXAMPLE: z.infer<typeof managedShape> = {
  ...TEXT_EXAMPLE,
  audience: { kind: "plans", values: ["pro"] },
  version: 1,
};

const getActive = endpoint({
  path: "/announcements/active",
  summary: "The announcements that are active for you, most urgent first, then newest",
  scope: [],
  operation: graphql(`query RestActiveAnnouncements { activeAnnouncements { ...AnnouncementFields } }`),
  data: z.object({ items: z.array(announcementShape) }).meta({ id: "ActiveAnnouncements" }),
  example: { items: [EXAMPLE] },
  reshape: ({ activeAnnouncements }) => ({ items: activeAnnouncements.map(describe) }),
});

const params = z.object({ id: uuidShape });
const scope = "admin:platform";
const version = (announcement: z.infer<typeof managedShape>) => announcement.version;
const time = z.iso.datetime({ offset: true });

/** The parts of an announcement that a super admin writes. The rules of their values are the graph's. */
const parts = {
  title: z.string(),
  body_markdown: z.string().meta({ description: "Markdown of at most 4,000 characters." }),
  level: z.enum(ANNOUNCEMENT_LEVELS).optional(),
  starts_at: time.optional().meta({ description: "At once if it is left out." }),
  ends_at: time.nullish().meta({ description: "After `starts_at`; null for never." }),
  dismissible: z.boolean().optional(),
  audience: z
    .strictObject({ kind: z.enum(AUDIENCE_KINDS), values: z.array(z.string()).optional() })
    .meta({ id: "AnnouncementAudienceInput" })
    .optional(),
};
const createBody = z.strictObject(parts);
const patchBody = z.strictObject({
  ...parts,
  title: parts.title.optional(),
  body_markdown: parts.body_markdown.optional(),
});

const toInput = ({ level, starts_at, ends_at, dismissible, audience }: z.output<typeof patchBody>) => ({
  ...(level && { level: upperCase(level) }),
  ...(starts_at !== undefined && { startsAt: starts_at as never }),
  ...(ends_at !== undefined && { endsAt: ends_at as never }),
  ...(dismissible !== undefined && { dismissible }),
  ...(audience && { audience: upperCase(audience.kind), audienceValues: audience.values ?? [] }),
});

const problemPath = (path: string) => (path === "audienceValues" ? "audience.values" : snakeCase(path));

/** What those who run the platform tell those who use it. */
export const announcements = [
  getActive,
  { ...getActive, method: "POST" as const },
  endpoint({
    method: "POST",
    path: "/announcements/{id}/dismiss",
    summary: "Dismisses an active announcement. A critical one stays on the list, as dismissed",
    scope: null,
    operation: graphql(`
      mutation RestDismissAnnouncement($id: UUID!) { dismissAnnouncement(id: $id) { ...AnnouncementFields } }
    `),
    params,
    variables: ({ params }) => params,
    data: announcementShape,
    example: { ...EXAMPLE, dismissed: true },
    reshape: ({ dismissAnnouncement }) => describe(dismissAnnouncement),
    failures: ["NOT_FOUND", "CONFLICT"],
  }),
  endpoint({
    path: "/admin/announcements",
    summary: "Every announcement, the one that starts last first",
    scope,
    operation: graphql(`
      query RestAnnouncements($first: Int, $after: String) {
        announcements(first: $first, after: $after) {
          nodes { ...ManagedAnnouncementFields }
          pageInfo { hasNextPage endCursor }
        }
      }
    `),
    query: listQuery,
    variables: ({ query }) => pageOf(query),
    data: pageShape("Announcements", managedShape),
    example: { items: [MANAGED_EXAMPLE], next_cursor: null },
    reshape: ({ announcements: { nodes, pageInfo } }) => ({
      items: nodes.map(describeManaged),
      next_cursor: nextCursor(pageInfo),
    }),
  }),
  endpoint({
    method: "POST",
    path: "/admin/announcements",
    summary: "Announces something to those who use the platform",
    scope,
    operation: graphql(`
      mutation RestCreateAnnouncement($input: AnnouncementInput!) {
        createAnnouncement(input: $input) { ...ManagedAnnouncementFields }
      }
    `),
    body: createBody,
    variables: ({ body }) => ({
      input: { title: body.title, bodyMarkdown: body.body_markdown, ...toInput(body) },
    }),
    data: managedShape,
    example: MANAGED_EXAMPLE,
    reshape: ({ createAnnouncement }) => describeManaged(createAnnouncement),
    problemPath,
    createdId: ({ id }) => id,
    version,
  }),
  endpoint({
    method: "PATCH",
    path: "/admin/announcements/{id}",
    summary: "Changes the parts of an announcement that are given",
    scope,
    operation: graphql(`
      mutation RestUpdateAnnouncement($id: UUID!, $patch: AnnouncementPatchInput!, $expectedVersion: Int) {
        updateAnnouncement(id: $id, patch: $patch, expectedVersion: $expectedVersion) {
          ...ManagedAnnouncementFields
        }
      }
    `),
    params,
    body: patchBody,
    variables: ({ params: { id }, body, expectedVersion }) => ({
      id,
      expectedVersion,
      patch: {
        ...(body.title !== undefined && { title: body.title }),
        ...(body.body_markdown !== undefined && { bodyMarkdown: body.body_markdown }),
        ...toInput(body),
      },
    }),
    data: managedShape,
    example: { ...MANAGED_EXAMPLE, version: 2 },
    reshape: ({ updateAnnouncement }) => describeManaged(updateAnnouncement),
    problemPath,
    version,
  }),
  endpoint({
    method: "DELETE",
    path: "/admin/announcements/{id}",
    summary: "Deletes an announcement; the answer is what it was",
    scope,
    operation: graphql(`
      mutation RestDeleteAnnouncement($id: UUID!, $expectedVersion: Int) {
        deleteAnnouncement(id: $id, expectedVersion: $expectedVersion) { ...ManagedAnnouncementFields }
      }
    `),
    params,
    variables: ({ params: { id }, expectedVersion }) => ({ id, expectedVersion }),
    data: managedShape,
    example: MANAGED_EXAMPLE,
    reshape: ({ deleteAnnouncement }) => describeManaged(deleteAnnouncement),
    version,
  }),
];
