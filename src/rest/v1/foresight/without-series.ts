import { z } from "zod";
import type { Module } from "../../../domain/modules.js";
import { graphql } from "../../../generated/operations.js";
import { endpoint, type Method } from "../../endpoint.js";
import { moduleParams, requireModule } from "../modules.js";

const WITH_SERIES = ["emissions", "credits", "market"] as const;

interface Refusal {
  readonly name: "forecast" | "predictions" | "anomalies" | "insights";
  readonly method?: Method;
  /** Modules with their own endpoints. */
  readonly having: readonly Module[];
  /** Data that the other modules lack. */
  readonly missing: string;
}

/** Creates the endpoint that refuses modules without data for it, and unknown modules. */
const refusal = ({ name, method = "GET", having, missing }: Refusal) =>
  endpoint({
    method,
    path: `/{module}/${name}`,
    summary: `Refuses modules that have no ${missing}, and therefore no ${name}`,
    scope: [],
    operation: graphql(`query RestWithoutSeries { organization { id } }`),
    params: moduleParams,
    variables({ params: { module } }) {
      requireModule(module, name, having);
      return {};
    },
    data: z.null(),
    example: null,
    reshape: () => null,
    failures: ["NOT_SUPPORTED_FOR_MODULE"],
  });

const withoutSeriesOf = (name: Refusal["name"]) =>
  refusal({ name, having: WITH_SERIES, missing: "monthly amounts" });

export const withoutSeries = [
  withoutSeriesOf("forecast"),
  withoutSeriesOf("predictions"),
  withoutSeriesOf("anomalies"),
  refusal({
    name: "insights",
    method: "POST",
    missing: "figures of their own",
    having: ["emissions", "compliance", "credits", "market"],
  }),
];
