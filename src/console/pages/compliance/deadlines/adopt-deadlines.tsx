import { useState } from "preact/hooks";
import { type ConsoleCatalogueQuery, type Framework, graphql } from "../../../../generated/console.js";
import { run } from "../../../gateway/run.js";
import { useQuery } from "../../../gateway/use-query.js";
import { Select } from "../../../parts/fields/select.js";
import { Confirm } from "../../../parts/forms/confirm.js";
import { useDialog } from "../../../parts/forms/dialogs.js";
import { nameOf } from "../../../parts/names.js";
import { Source } from "../../../parts/source.js";
import { Empty, ShownData } from "../../../parts/states.js";
import { FRAMEWORKS } from "../read-compliance.js";
import { EVERY } from "./deadline-fields.js";

const READ = graphql(`
  query ConsoleCatalogue($framework: Framework!) {
    compliance {
      cataloguedDeadlines(framework: $framework) {
        id
        title
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

/** Shows the catalogue's deadlines of a framework, and adds the missing ones. */
export function AdoptDeadlines() {
  const { say } = useDialog();
  const [framework, setFramework] = useState<Framework>("CCTS");
  const answer = useQuery(READ, { framework });
  const adopt = async () => {
    const { adoptDeadlines } = await run(ADOPT, { framework });
    const [added, there] = [adoptDeadlines?.addedDeadlines ?? [], adoptDeadlines?.presentDeadlines ?? []];
    say(`${nameOf(framework)}: ${added.length} deadlines added, ${there.length} were there already.`);
  };
  return (
    <Confirm title="Adopt deadlines" action="Adopt" onConfirm={adopt}>
      <Select
        label="Framework"
        name="framework"
        options={FRAMEWORKS}
        value={framework}
        hint="Adds those of the catalogue that are neither past nor there already"
        onChange={setFramework}
      />
      <ShownData answer={answer} as="short">
        {({ compliance }) => <Entries entries={compliance?.cataloguedDeadlines ?? []} />}
      </ShownData>
    </Confirm>
  );
}

function Entries({ entries }: { entries: readonly Entry[] }) {
  if (entries.length === 0) return <Empty>The catalogue has no deadlines of this framework.</Empty>;
  return (
    <ul class="deadlines">
      {entries.map(({ id, title, dueDate, precision, recurrence, basis, note, source, sourceUrl }) => (
        <li key={id}>
          <strong>{dueDate}</strong> {title}
          <div class="quiet">
            {nameOf(basis)}
            {precision !== "DAY" && `, known to the ${precision.toLowerCase()}`}
            {recurrence && `, ${EVERY[recurrence]}`}. {note}
          </div>
          <small class="source">
            <Source source={source} sourceUrl={sourceUrl} />
          </small>
        </li>
      ))}
    </ul>
  );
}
