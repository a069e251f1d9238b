import { z } from "zod";
import { FRAMEWORK_STATUSES, FRAMEWORKS } from "../../domain/enums.js";
import { graphql } from "../../generated/operations.js";
import { endpoint } from "../endpoint.js";
import { lowerCase } from "./lower-case.js";

export const compliance = endpoint({
  path: "/compliance",
  summary: "Status of every registered framework, and the next 10 deadlines",
  scope: "read:compliance",
  operation: graphql(`
    query ExtCompliance {
      compliance {
        frameworks { framework status lastUpdated }
        upcomingDeadlines(first: 10) { framework title dueDate status }
      }
    }
  `),
  data: z
    .object({
      frameworks: z.array(
        z
          .object({
            framework: z.enum(FRAMEWORKS).meta({ description: "Code of the framework." }),
            status: z
              .enum(FRAMEWORK_STATUSES)
              .meta({ description: "State of compliance with the framework." }),
            last_updated: z.iso.datetime().meta({ description: "Time of the latest change of the status." }),
          })
          .meta({ id: "FrameworkStatus" }),
      ),
      upcoming_deadlines: z
        .array(
          z
            .object({
              framework: z.enum(FRAMEWORKS).meta({ description: "Code of the framework." }),
              title: z.string().meta({ description: "Title of the deadline." }),
              due_date: z.iso.date().meta({ description: "Day it is due." }),
              status: z.string().meta({ description: "Such as `pending`. New values may appear." }),
            })
            .meta({ id: "Deadline" }),
        )
        .max(10),
    })
    .meta({ id: "Compliance" }),
  example: {
    frameworks: [
      { framework: "EU_CBAM", status: "action_required", last_updated: "2026-11-08T09:00:00.000Z" },
    ],
    upcoming_deadlines: [
      { framework: "EU_CBAM", title: "Annual CBAM declaration", due_date: "2027-09-30", status: "pending" },
    ],
  },
  reshape: ({ compliance }) => ({
    frameworks: compliance.frameworks.map(({ framework, status, lastUpdated }) => ({
      framework,
      status: lowerCase(status),
      last_updated: lastUpdated.toISOString(),
    })),
    upcoming_deadlines: compliance.upcomingDeadlines.map(({ framework, title, dueDate, status }) => ({
      framework,
      title,
      due_date: dueDate,
      status,
    })),
  }),
});
