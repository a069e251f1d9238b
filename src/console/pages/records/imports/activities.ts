import type { ActivityItem } from "../../../../domain/emissions/activity-report.js";
import { graphql } from "../../../../generated/console.js";
import { run } from "../../../gateway/run.js";
import { textOf } from "../../../parts/forms/values.js";

const SET = graphql(`
  mutation ConsoleSetMappings($input: [ActivityMappingInput!]!) {
    setActivityMappings(input: $input) { mappings { id } }
  }
`);

/** Returns the name of an activity's factor field. */
export const choiceName = (index: number): string => `factor_for_${index}`;

/** Saves the chosen factors as the organization's mappings. */
export async function saveChoices(items: readonly ActivityItem[], values: FormData): Promise<void> {
  const input = items.flatMap(({ text, unit, region }, index) => {
    const factorId = textOf(values, choiceName(index));
    return factorId === "" ? [] : [{ text, unit, region, factorId, fixedYear: false }];
  });
  if (input.length > 0) await run(SET, { input });
}
