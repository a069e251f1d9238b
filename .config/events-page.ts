import { EVENT_TYPES } from "../src/domain/events/event-types.js";

const INTRODUCTION = `# Types of events

[v1.md](v1.md#events) says how events are read, and \`/asyncapi.json\` has their schemas. A caller sees the types whose scope it has. New
types may appear. \`npm run generate\` writes this page.

| type | when | scope |
| --- | --- | --- |
`;

/** Returns the text of docs/events.md: a row for each type of event. */
export const createEventsPage = (): string =>
  INTRODUCTION +
  EVENT_TYPES.map(({ name, description, scope }) => `| \`${name}\` | ${description} | \`${scope}\` |\n`).join(
    "",
  );
