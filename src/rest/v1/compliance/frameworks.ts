import { z } from "zod";
import { pageShape } from "../../../catalogue/list.js";
import { listOf, upperCase } from "../../../catalogue/values.js";
import { FRAMEWORK_STATUSES, FRAMEWORKS } from "../../../domain/enums.js";
import { graphql, type RestFrameworksQuery } from "../../../generated/operations.js";
import { endpoint } from "../../endpoint.js";
import { lowerCase } from "../../ext/lower-case.js";

const frameworkShape = z
  .object({
    framework: z.enum(FRAMEWORKS),
    status: z.enum(FRAMEWORK_STATUSES),
    last_updated: z.iso.datetime(),
    note: z.string().nullable().meta({ description: "What was said about the status." }),
    version: z.int(),
  })
  .meta({ id: "FrameworkState" });

type FrameworkState = z.infer<typeof frameworkShape>;

const EXAMPLE: FrameworkState = {
  framework: "EU_CBAM",
  status: "action_required",
  last_updated: "2026-11-20T10:00:00.000Z",
  note: "Declarant status applied for",
  version: 2,
};

type Queried = NonNullable<RestFrameworksQuery["compliance"]>["frameworks"][number];

const describeFramework = (state: Queried): FrameworkState => ({
  framework: state.framework,
  status: lowerCase(state.status),
  last_updated: state.lastUpdated.toISOString(),
  note: state.note ?? null,
  version: state.version,
});

/** The frameworks that the organization is registered for. */
export const frameworks = [
  endpoint({
    path: "/compliance/frameworks",
    summary:
      "The organization's status in each framework that it is registered for: all of them, as they are few",
    scope: "read:compliance",
    operation: graphql(`
      query RestFrameworks($statuses: [FrameworkStatus!]) {
        compliance { frameworks(statuses: $statuses) { framework status lastUpdated note version } }
      }
    `),
    query: z.strictObject({
      status: listOf(FRAMEWORK_STATUSES, "Only frameworks with one of these statuses"),
    }),
    variables: ({ query: { status } }) => ({ statuses: status?.map(upperCase) ?? null }),
    data: pageShape("Frameworks", frameworkShape),
    example: { items: [EXAMPLE], next_cursor: null },
    reshape: ({ compliance }) => ({
      items: compliance.frameworks.map(describeFramework),
      next_cursor: null,
    }),
  }),
  endpoint({
    method: "PUT",
    path: "/compliance/frameworks/{code}",
    summary:
      "Sets the organization's status in a framework, and registers it for the framework if it was not",
    scope: "write:compliance",
    operation: graphql(`
      mutation RestSetFrameworkStatus(
        $framework: Framework!, $status: FrameworkStatus!, $note: String, $expectedVersion: Int
      ) {
        setFrameworkStatus(framework: $framework, status: $status, note: $note, expectedVersion: $expectedVersion) {
          framework status lastUpdated note version
        }
      }
    `),
    params: z.object({ code: z.enum(FRAMEWORKS) }),
    body: z.strictObject({
      status: z.enum(FRAMEWORK_STATUSES),
      note: z.string().nullish().meta({ description: "It replaces the note before." }),
    }),
    variables: ({ params: { code }, body: { status, note }, expectedVersion }) => ({
      framework: code,
      status: upperCase(status),
      note: note ?? null,
      expectedVersion,
    }),
    data: frameworkShape,
    example: EXAMPLE,
    reshape: ({ setFrameworkStatus }) => describeFramework(setFrameworkStatus),
    version: ({ version }) => version,
  }),
];
