import { useLocation } from "preact-iso";
import { graphql } from "../../../generated/console.js";
import { useQuery } from "../../gateway/use-query.js";
import { useViewer } from "../../gateway/viewer.js";
import { Button } from "../../parts/button.js";
import { Loaded } from "../../parts/states.js";
import { Table } from "../../parts/table.js";
import { Sample } from "./sample.js";

const OPERATION = graphql(`
  query ConsoleFirstRun($mayInvite: Boolean!, $mayManageKeys: Boolean!) {
    facilities(first: 1) { nodes { id } }
    compliance { frameworks { framework } }
    members(first: 2) @include(if: $mayInvite) { nodes { role } }
    invitations(first: 1) @include(if: $mayInvite) { nodes { id } }
    apiKeys(first: 1) @include(if: $mayManageKeys) { nodes { id } }
  }
`);

/** First steps of an organization without records: name, required scope, explanation and buttons. */
const STEPS = [
  [
    "Add a facility",
    "write:emissions",
    "A site, plant or office. You can assign each record to one.",
    { "Add a facility": "/console/records/facilities?create" },
  ],
  [
    "Add your first record",
    "write:emissions",
    "Enter one activity, e.g. a month of electricity, or import a CSV file.",
    { "Add a record": "/console/records?add", "Import a file": "/console/records?import" },
  ],
  [
    "Choose your frameworks",
    "write:compliance",
    "The ones you report under, e.g. CDP or EU CBAM.",
    { "Choose a framework": "/console/compliance?add" },
  ],
  [
    "Invite a colleague",
    "manage:members",
    "You choose what they may see and change.",
    { "Invite a colleague": "/console/settings/members" },
  ],
  [
    "Create an API key",
    "manage:keys",
    "For programs that read your data, e.g. an ERP or a dashboard.",
    { "Create an API key": "/console/settings/api-keys?create" },
  ],
] as const;

/** The first steps that the user's role allows, with their progress. */
export function FirstRun({ onChanged }: { onChanged: () => void }) {
  const { organization, scopes } = useViewer();
  const { route } = useLocation();
  const may = (scope: string) => scopes.includes(scope);
  const answer = useQuery(OPERATION, { mayInvite: may("manage:members"), mayManageKeys: may("manage:keys") });
  return (
    <Loaded answer={answer} skeleton="figure">
      {({ facilities, compliance, members, invitations, apiKeys }) => {
        const count = (...lists: ({ readonly nodes: readonly unknown[] } | null | undefined)[]) =>
          lists.reduce((sum, list) => sum + (list?.nodes.length ?? 0), 0);
        const done: Readonly<Record<string, boolean>> = {
          "Add a facility": count(facilities) > 0,
          "Choose your frameworks": (compliance?.frameworks.length ?? 0) > 0,
          "Invite a colleague": count(members, invitations) > 1,
          "Create an API key": count(apiKeys) > 0,
        };
        const rows = STEPS.filter(([, scope]) => may(scope));
        return (
          <>
            <h2>First steps</h2>
            {rows.length > 0 && (
              <p class="quiet">
                {rows.filter(([name]) => done[name]).length} of {rows.length} done
              </p>
            )}
            <Table
              caption="First steps"
              rows={rows}
              columns={[
                {
                  title: "Step",
                  wraps: true,
                  cell: ([name, , about]) => (
                    <>
                      <bdi>{name}</bdi>
                      <br />
                      <span class="quiet">{about}</span>
                    </>
                  ),
                },
                {
                  title: "Next",
                  isActions: true,
                  cell: ([name, , , ways]) =>
                    done[name] ? (
                      <span class="fall">✓ Done</span>
                    ) : (
                      <span class="steps">
                        {Object.entries(ways).map(([label, href]) => (
                          <Button key={label} label={label} onClick={() => route(href)} />
                        ))}
                      </span>
                    ),
                },
              ]}
            >
              {organization.name} has no records yet. Ask a colleague with edit access to add the first ones.
            </Table>
            <Sample id={null} onChanged={onChanged} />
          </>
        );
      }}
    </Loaded>
  );
}
