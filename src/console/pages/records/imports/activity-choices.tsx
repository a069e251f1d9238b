import { useState } from "preact/hooks";
import type {
  ActivityItem,
  ActivityReport,
  ShownFactor,
} from "../../../../domain/emissions/activity-report.js";
import { countOf } from "../../../../domain/texts/count-of.js";
import { Select } from "../../../parts/fields/select.js";
import { Table } from "../../../parts/table.js";
import type { Factor } from "../factors/factor.js";
import { FactorSearch } from "../factors/factor-search.js";
import { choiceName } from "./activities.js";

const nameOf = ({ activity, factor_exact: factor, unit, source }: ShownFactor) =>
  `${activity}, ${factor} kg per ${unit} (${source})`;

/** The activities of a file. Those without an emission factor have a field to choose one. */
export function Activities({ activities }: { activities: ActivityReport }) {
  const { items } = activities;
  const resolved = items.filter(({ status }) => status === "resolved");
  return (
    <>
      {items.map(
        (item, index) =>
          item.status === "unresolved" && (
            <Choice key={choiceName(index)} item={item} name={choiceName(index)} />
          ),
      )}
      {resolved.length > 0 && (
        <Table
          caption="Activities with an emission factor"
          rows={resolved}
          columns={[
            { title: "Text", wraps: true, cell: ({ text }) => <bdi>{text}</bdi> },
            { title: "Unit", cell: ({ unit }) => unit },
            { title: "Region", cell: ({ region }) => region ?? "–" },
            { title: "Rows", isNumber: true, cell: ({ rows }) => rows },
            {
              title: "Factor",
              wraps: true,
              cell: ({ factors, by }) =>
                `${factors.map(nameOf).join("; ") || "–"}${by === "mapping" ? " (your mapping)" : ""}`,
            },
          ]}
        />
      )}
    </>
  );
}

/** Option for a factor that is not a candidate. */
const OTHER = "other";

/** The factor field of an activity: a candidate, or another factor by search. */
function Choice({ item, name }: { item: ActivityItem; name: string }) {
  const { text, unit, region, rows, candidates, problem } = item;
  const [choice, setChoice] = useState("");
  const [factor, setFactor] = useState<Factor | null>(null);
  const label = `${text} (${[unit, region].filter(Boolean).join(", ")}), ${countOf(rows, "row")}`;
  const options = Object.fromEntries([
    ...candidates.map((candidate) => [candidate.id, nameOf(candidate)] as const),
    [OTHER, "Another factor…"],
  ]);
  return (
    <fieldset>
      <Select
        label={label}
        name={`${name}_choice`}
        options={options}
        value={choice}
        none="Choose a factor"
        onChange={setChoice}
      />
      {problem && (
        <small>
          The search was incomplete: expected {problem.expected}, got {problem.got}.
        </small>
      )}
      {choice === OTHER && <FactorSearch chosen={factor} day="" country={region} onChoose={setFactor} />}
      <input type="hidden" name={name} value={choice === OTHER ? (factor?.id ?? "") : choice} />
    </fieldset>
  );
}
