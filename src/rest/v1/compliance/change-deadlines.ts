import { z } from "zod";
import { upperCase } from "../../../catalogue/values.js";
import { SETTABLE_STATUSES } from "../../../domain/compliance/deadlines.js";
import { FRAMEWORKS } from "../../../domain/enums.js";
import { type DeadlineFieldsFragment, graphql } from "../../../generated/operations.js";
import { endpoint } from "../../endpoint.js";
import {
  DEADLINE_EXAMPLE,
  deadlineParams,
  deadlineShape,
  describeDeadline,
  recurrenceShape,
} from "./deadline.js";

/** What is changed of a deadline: parts of it, or that it was completed. */
const patchShape = z.union([
  z.strictObject({
    status: z.literal("completed"),
    completed_on: z.iso.date(),
    evidence: z.string().nullish().meta({ description: "Such as the number of a receipt." }),
  }),
  z
    .strictObject({
      title: z.string(),
      due_date: z.iso.date(),
      status: z.enum(SETTABLE_STATUSES),
      recurrence: recurrenceShape,
    })
    .partial(),
]);

type Patch = z.infer<typeof patchShape>;

/** Which of both mutations runs, and its variables. */
function readPatch(patch: Patch) {
  if (patch.status === "completed") {
    const { completed_on: completedOn, evidence = null } = patch as Extract<Patch, { completed_on: string }>;
    return { completes: true, patch: {}, completedOn, evidence };
  }
  const { title, due_date, status, recurrence } = patch as Exclude<Patch, { completed_on: string }>;
  return {
    completes: false,
    patch: {
      ...(title !== undefined && { title }),
      ...(due_date !== undefined && { dueDate: due_date }),
      ...(status !== undefined && { status: upperCase(status) }),
      ...(recurrence !== undefined && { recurrence: recurrence && upperCase(recurrence) }),
    },
  };
}

/** Changes of deadlines, and the catalogue's. */
export const deadlineChanges = [
  endpoint({
    method: "PATCH",
    path: "/compliance/deadlines/{id}",
    summary: "Changes a deadline; or completes it, and adds the next one if it recurs",
    scope: "write:compliance",
    operation: graphql(`
      mutation RestChangeDeadline(
        $id: UUID!, $patch: DeadlinePatchInput!, $completes: Boolean!, $completedOn: Date = "1000-01-01", $evidence: String,
        $expectedVersion: Int
      ) {
        updateDeadline(id: $id, patch: $patch, expectedVersion: $expectedVersion) @skip(if: $completes) { ...DeadlineFields }
        completeDeadline(id: $id, completedOn: $completedOn, evidence: $evidence, expectedVersion: $expectedVersion)
          @include(if: $completes)
        { ...DeadlineFields }
      }
    `),
    params: deadlineParams,
    body: patchShape,
    variables: ({ params, body, expectedVersion }) => ({ ...params, ...readPatch(body), expectedVersion }),
    data: deadlineShape,
    example: DEADLINE_EXAMPLE,
    reshape: ({ updateDeadline, completeDeadline }) =>
      describeDeadline((updateDeadline ?? completeDeadline) as DeadlineFieldsFragment),
    version: ({ version }) => version,
  }),
  endpoint({
    method: "POST",
    path: "/compliance/deadlines/adopt",
    summary: "Adds the deadlines of a framework in the catalogue that comes with the gateway, each once",
    scope: "write:compliance",
    operation: graphql(`
      mutation RestAdoptDeadlines($framework: Framework!) {
        adoptDeadlines(framework: $framework) {
          addedDeadlines { ...DeadlineFields }
          presentDeadlines { ...DeadlineFields }
        }
      }
    `),
    body: z.strictObject({ framework: z.enum(FRAMEWORKS) }),
    variables: ({ body }) => body,
    data: z
      .object({
        added: z.array(deadlineShape),
        already_present: z.array(deadlineShape).meta({ description: "Those that were there, as they are." }),
      })
      .meta({ id: "AdoptedDeadlines" }),
    example: { added: [DEADLINE_EXAMPLE], already_present: [] },
    reshape: ({ adoptDeadlines: { addedDeadlines, presentDeadlines } }) => ({
      added: addedDeadlines.map(describeDeadline),
      already_present: presentDeadlines.map(describeDeadline),
    }),
    createdId: ({ added }) => (added.length > 0 ? null : undefined),
    mayExist: true,
    createdIn: "/compliance/deadlines",
  }),
];
