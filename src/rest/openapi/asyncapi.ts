import { ACTOR_DATA, COMMON_DATA, EVENT_DATA, OPTIONAL_DATA } from "../../domain/events/event-data.js";
import { EVENT_TYPES } from "../../domain/events/event-types.js";
import { API_VERSION } from "../../http/answer/envelope.js";
import { V1_PREFIXES } from "../../http/surface.js";

const text = (description: string) => ({ type: "string", description });

/** Returns the schema of an object. All properties except those in `optional` are required. */
const objectOf = (properties: Readonly<Record<string, object>>, optional: readonly string[] = []) => ({
  type: "object",
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
});

const EVENT = objectOf({
  specversion: { ...text("Version of the CloudEvents specification."), const: "1.0" },
  id: {
    ...text("Number of the audit entry, and the first 16 digits of its hash."),
    pattern: "^[0-9]+-[0-9a-f]{16}$",
  },
  type: text("Type of the event."),
  source: { ...text("URL of the organization."), format: "uri" },
  subject: text(
    "The changed object, such as `facility/` followed by its id; without the id if one statement changed many objects.",
  ),
  time: { ...text("Time of the change."), format: "date-time" },
  timestamp: { ...text("The same as `time`, for Standard Webhooks."), format: "date-time" },
  datacontenttype: { ...text("Media type of `data`."), const: "application/json" },
  data: objectOf({
    ...COMMON_DATA,
    actor: { ...objectOf(ACTOR_DATA), description: "Actor of the change." },
  }),
});

const refTo = (place: string) => ({ $ref: `#/${place}` });

/** Describes the events in AsyncAPI 3.0: the stream, and one message per type. */
export function describeEvents() {
  const names = EVENT_TYPES.map(({ name }) => name);
  return {
    asyncapi: "3.0.0",
    info: {
      title: "Carbon Gateway events",
      version: API_VERSION,
      description:
        "Changes of an organization's data, as CloudEvents 1.0. The same events are listed by `GET /v1/events`. Clients must ignore unknown types and properties.",
    },
    defaultContentType: "application/json",
    channels: {
      events: {
        address: `${V1_PREFIXES.at(-1)}/events/stream`,
        title: "Events of the caller's organization, as Server-Sent Events",
        messages: Object.fromEntries(names.map((name) => [name, refTo(`components/messages/${name}`)])),
      },
    },
    operations: {
      sendEvents: {
        action: "send",
        channel: refTo("channels/events"),
        summary: "The gateway sends the events that the caller's scopes allow, in order.",
      },
    },
    components: {
      messages: Object.fromEntries(
        EVENT_TYPES.map(({ name, description, scope, data }) => [
          name,
          {
            name,
            title: name,
            summary: description,
            description: `Needs the scope \`${scope}\`.`,
            payload: {
              allOf: [
                refTo("components/schemas/Event"),
                { properties: { type: { const: name }, data: refTo(`components/schemas/${data}`) } },
              ],
            },
          },
        ]),
      ),
      schemas: {
        Event: EVENT,
        ...Object.fromEntries(
          Object.entries(EVENT_DATA).map(([name, fields]) => [
            name,
            objectOf(
              fields,
              Object.keys(fields).filter((field) => OPTIONAL_DATA.includes(`${name}.${field}`)),
            ),
          ]),
        ),
      },
    },
  };
}
