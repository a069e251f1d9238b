import { graphql } from "../../../../generated/console.js";
import { run } from "../../../gateway/run.js";
import { textOf } from "../../../parts/forms/values.js";

/** A candidate emission factor for an activity. */
export interface ShownFactor {
  readonly id: string;
  readonly activity: string;
  readonly factor_exact: string;
  readonly unit: string;
  readonly source: string;
}

/** An activity of a file. */
export interface ActivityItem {
  readonly text: string;
  readonly unit: string;
  readonly region: string | null;
  readonly rows: number;
  readonly status: "resolved" | "unresolved";
  readonly by: string | null;
  readonly factors: readonly ShownFactor[];
  readonly candidates: readonly ShownFactor[];
}

/** The activities of a file, those without an emission factor first. */
export interface ActivityReport {
  readonly distinct: number;
  readonly unresolved: number;
  readonly unresolved_rows: number;
  readonly items: readonly ActivityItem[];
}

const SET = graphql(`
  mutation ConsoleSetMappings($input: [ActivityMappingInput!]!) {
    setActivityMappings(input: $input) { mappings { id } }
  }
`);

/** Maximum number of mappings in a request. */
const MOST_SET = 500;

/** Returns the name of the field in which the user chooses a factor for an activity. */
export const choiceName = (index: number): string => `factor_for_${index}`;

/** Saves the factors that a form chooses for activities as the organization's mappings. */
export async function keepChoices(items: readonly ActivityItem[], values: FormData): Promise<void> {
  const input = items.flatMap(({ text, unit, region }, index) => {
    const factorId = textOf(values, choiceName(index));
    return factorId === "" ? [] : [{ text, unit, region, factorId, fixedYear: false }];
  });
  if (input.length > 0) await run(SET, { input: input.slice(0, MOST_SET) });
}
