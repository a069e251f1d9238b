import { graphql } from "../../../generated/console.js";
import { run } from "../../gateway/run.js";
import { useQuery } from "../../gateway/use-query.js";
import { useScope, useViewer } from "../../gateway/viewer.js";
import { Button } from "../../parts/button.js";
import { showMessage } from "../../parts/messages.js";
import { Empty, ShownData } from "../../parts/states.js";
import { useBusyAttempt } from "./sample-note.js";

const OPERATION = graphql(`
  query ConsoleFirstRun($mayInvite: Boolean!, $mayManageKeys: Boolean!) {
    facilities(first: 1) { nodes { id } }
    compliance { frameworks { framework } }
    members(first: 2) @include(if: $mayInvite) { nodes { role } }
    invitations(first: 1) @include(if: $mayInvite) { nodes { id } }
    apiKeys(first: 1) @include(if: $mayManageKeys) { nodes { id } }
  }
`);

const LOAD = graphql(`
  mutation ConsoleLoadSample {
    loadSampleData(input: {}) { import { id } }
  }
`);

interface Step {
  readonly title: string;
  readonly about: string;
  readonly scope: string;
  readonly isDone: boolean;
  /** Label and address of each way to take the step. */
  readonly ways: readonly (readonly [label: string, href: string])[];
}

/** The first steps of an organization without records, of which the user sees those that they may take. */
export function FirstRun({ onChanged }: { onChanged: () => void }) {
  const { organization, scopes } = useViewer();
  const may = (scope: string) => scopes.includes(scope);
  const answer = useQuery(OPERATION, { mayInvite: may("manage:members"), mayManageKeys: may("manage:keys") });
  return (
    <ShownData answer={answer} as="figure">
      {({ facilities, compliance, members, invitations, apiKeys }) => {
        const hasAny = (list: { readonly nodes: readonly unknown[] } | null | undefined) =>
          (list?.nodes.length ?? 0) > 0;
        const all: readonly Step[] = [
          {
            title: "Add a facility",
            about: "A site, plant or office. Records can name the one that they belong to.",
            scope: "write:emissions",
            isDone: hasAny(facilities),
            ways: [["Add a facility", "/console/records/facilities?create"]],
          },
          {
            title: "Add your first record",
            about: "Type in one activity, such as a month of electricity, or import a CSV file.",
            scope: "write:emissions",
            isDone: false,
            ways: [
              ["Add a record", "/console/records?add"],
              ["Import a file", "/console/records?import"],
            ],
          },
          {
            title: "Choose your frameworks",
            about: "The ones that you report under, such as CDP or EU CBAM.",
            scope: "write:compliance",
            isDone: (compliance?.frameworks.length ?? 0) > 0,
            ways: [["Choose a framework", "/console/compliance?add"]],
          },
          {
            title: "Invite a colleague",
            about: "You choose what they may see and change.",
            scope: "manage:members",
            isDone: (members?.nodes.length ?? 0) > 1 || hasAny(invitations),
            ways: [["Invite a colleague", "/console/settings/members"]],
          },
          {
            title: "Create an API key",
            about: "For programs that read your figures, such as an ERP or a dashboard.",
            scope: "manage:keys",
            isDone: hasAny(apiKeys),
            ways: [["Create an API key", "/console/settings/api-keys?create"]],
          },
        ];
        const steps = all.filter(({ scope }) => may(scope));
        if (steps.length === 0) {
          return (
            <Empty>
              {organization.name} has no records yet. Ask a colleague who may edit to add the first ones.
            </Empty>
          );
        }
        return <Steps steps={steps} onChanged={onChanged} />;
      }}
    </ShownData>
  );
}

function Steps({ steps, onChanged }: { steps: readonly Step[]; onChanged: () => void }) {
  const mayLoad = useScope("manage:organization");
  return (
    <section aria-labelledby="first-steps" class="first-run">
      <h2 id="first-steps">First steps</h2>
      <p class="quiet">
        {steps.filter(({ isDone }) => isDone).length} of {steps.length} done. Your figures appear here with
        the first record.
      </p>
      <ol>
        {steps.map(({ title, about, isDone, ways }) => (
          <li key={title} class={isDone ? "card done" : "card"}>
            <div>
              <h3>{title}</h3>
              <p class="quiet">{about}</p>
            </div>
            {isDone ? (
              <p>Done</p>
            ) : (
              <p class="ways-on">
                {ways.map(([label, href]) => (
                  <a key={label} href={href}>
                    {label}
                  </a>
                ))}
              </p>
            )}
          </li>
        ))}
      </ol>
      {mayLoad && <LoadSample onChanged={onChanged} />}
    </section>
  );
}

function LoadSample({ onChanged }: { onChanged: () => void }) {
  const { attempt, complaint, isBusy } = useBusyAttempt();
  const load = async () => {
    await run(LOAD, {});
    showMessage({ text: "The sample data are loaded." });
    onChanged();
  };
  return (
    <section aria-labelledby="sample">
      <h2 id="sample">Sample data</h2>
      <p class="quiet">
        Look around first: made-up records of two years at five facilities, calculated by published emission
        factors. One click removes them again.
      </p>
      <Button label="Load sample data" aria-busy={isBusy} onClick={() => attempt(load)} />
      {complaint}
    </section>
  );
}
