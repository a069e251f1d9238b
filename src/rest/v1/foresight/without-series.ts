import { z } from "zod";
import { graphql } from "../../../generated/operations.js";
import { endpoint } from "../../endpoint.js";
import { moduleParams, requireModule } from "../modules.js";

const HAVING = ["emissions", "credits", "market"] as const;

/** Makes the endpoint that refuses the modules which have no monthly amounts. The others have endpoints of their own. */
const refusal = <Name extends "forecast" | "predictions" | "anomalies">(name: Name) =>
  endpoint({
    path: `/{module}/${name}`,
    summary: `Refuses the modules that have no monthly amounts, and so no ${name}`,
    scope: [],
    operation: graphql(`query RestWithoutSeries { organization { id } }`),
    params: moduleParams,
    variables({ params: { module } }) {
      requireModule(module, name, HAVING);
      return {};
    },
    data: z.null(),
    example: null,
    reshape: () => null,
    failures: ["NOT_SUPPORTED_FOR_MODULE"],
  });

export const withoutSeries = [refusal("forecast"), refusal("predictions"), refusal("anomalies")];
