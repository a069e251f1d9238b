import { useState } from "preact/hooks";
import { countOf } from "../../../../domain/texts/count-of.js";
import { type ConsoleCatalogueQuery, type Framework, graphql } from "../../../../generated/console.js";
import { run } from "../../../gateway/run.js";
import { useQuery } from "../../../gateway/use-query.js";
import { Select } from "../../../parts/fields/select.js";
import { Confirm } from "../../../parts/forms/confirm.js";
import { FRAMEWORK_NAMES } from "../../../parts/frameworks.js";
import { showMessage } from "../../../parts/messages.js";
import { Day } from "../../../parts/moment.js";
import { Source } from "../../../parts/source.js";
import { Empty, Loaded } from "../../../parts/states.js";
import { EVERY } from "./deadline-fields.js";

const READ = graphql(`
  query ConsoleCatalogue($framework: Framework!) {
    compliance {
      cataloguedDeadlines(framework: $framework) {
        id
        title
        isDuty
        dueDate
        precision
        recurrence
        basis
        note
        source
        sourceUrl
      }
    }
  }
`);

const ADOPT = graphql(`
  mutation ConsoleAdoptDeadlines($framework: Framework!) {
    adoptDeadlines(input: { framework: $framework }) { addedDeadlines { id } presentDeadlines { id } }
  }
`);

type Entry = NonNullable<ConsoleCatalogueQuery["compliance"]>["cataloguedDeadlines"][number];

/** Lists a framework's deadlines in the catalogue, and adds those that are missing and not past. */
export function AdoptDeadlines() {
  const [framework, setFramework] = useState<Framework>("CCTS");
  const answer = useQuery(READ, { framework });
  const adopt = async () => {
    const { adoptDeadlines } = await run(ADOPT, { framework });
    const { addedDeadlines = [], presentDeadlines = [] } = adoptDeadlines ?? {};
    const kept = presentDeadlines.length > 0 && ` You already had ${presentDeadlines.length}.`;
    showMessage({
      text: `${FRAMEWORK_NAMES[framework]}: ${countOf(addedDeadlines.length, "date")} added.${kept || ""}`,
    });
  };
  return (
    <Confirm title="Add from the catalogue" action="Add" onConfirm={adopt}>
      <Select
        label="Framework"
        name="framework"
        options={FRAMEWORK_NAMES}
        value={framework}
        hint="Adds every future date below that you don't have yet"
        onChange={setFramework}
      />
      <Loaded answer={answer} skeleton="short">
        {({ compliance }) => <Entries entries={compliance?.cataloguedDeadlines ?? []} />}
      </Loaded>
    </Confirm>
  );
}

function Entries({ entries }: { entries: readonly Entry[] }) {
  if (entries.length === 0) return <Empty>The catalogue has no dates for this framework.</Empty>;
  return (
    <ul class="deadlines">
      {entries.map(
        ({ id, title, isDuty, dueDate, precision, recurrence, basis, note, source, sourceUrl }) => (
          <li key={id}>
            <strong>
              <Day on={dueDate} />
            </strong>{" "}
            {title}
            <div class="quiet">
              {isDuty ? "Duty" : "News"}, {basis}
              {precision !== "DAY" && `, known to the ${precision.toLowerCase()}`}
              {recurrence && `, ${EVERY[recurrence]}`}. {note}
            </div>
            <small class="source">
              <Source source={source} sourceUrl={sourceUrl} />
            </small>
          </li>
        ),
      )}
    </ul>
  );
}
