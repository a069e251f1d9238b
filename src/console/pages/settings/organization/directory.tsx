import { type ConsoleDirectoryQuery, graphql } from "../../../../generated/console.js";
import { run } from "../../../gateway/run.js";
import { useQuery } from "../../../gateway/use-query.js";
import { useAddress } from "../../../parts/address.js";
import { Select } from "../../../parts/fields/select.js";
import { Confirm } from "../../../parts/forms/confirm.js";
import { DialogButton, Dialogs } from "../../../parts/forms/dialogs.js";
import { Copyable } from "../../../parts/forms/secret-dialog.js";
import { textOf } from "../../../parts/forms/values.js";
import { nameOf } from "../../../parts/names.js";
import { LoadedField } from "../../../parts/states.js";
import { type Column, List } from "../../../parts/table.js";
import { PROVIDER_ROLES, type ProviderRole } from "./provider-form.js";

const READ = graphql(`
  query ConsoleDirectory($after: String) {
    directoryGroups(first: 25, after: $after) {
      nodes { id displayName role memberCount version }
      pageInfo { hasNextPage endCursor }
    }
  }
`);
const MAP = graphql(`
  mutation ConsoleMapDirectoryGroup($input: MapDirectoryGroupInput!) {
    mapDirectoryGroup(input: $input) { directoryGroup { id displayName role } }
  }
`);

type Group = NonNullable<ConsoleDirectoryQuery["directoryGroups"]>["nodes"][number];

const COLUMNS: readonly Column<Group>[] = [
  { title: "Group", wraps: true, cell: ({ displayName }) => <bdi>{displayName}</bdi> },
  { title: "Members", isNumber: true, cell: ({ memberCount }) => memberCount },
  { title: "Role", cell: ({ role }) => (role === null ? <span class="quiet">None</span> : nameOf(role)) },
];

/** Groups of the organization's directory, with the role that each assigns to its members. */
export function Directory() {
  const { after = null } = useAddress().query;
  const answer = useQuery(READ, { after });
  return (
    <section class="card">
      <h2>Directory</h2>
      <p>
        Your provider can add, update and deactivate members with SCIM 2.0. Enter this URL there, and the
        token of a <a href="/console/settings/service-accounts">service account</a> with the role admin and
        the scope <code>admin:members</code>.
      </p>
      <Copyable label="SCIM URL" value={`${location.origin}/scim/v2`} />
      <h3>Groups</h3>
      <p>
        Once any group has a role, groups determine the roles of all directory members except owners. The
        highest role applies. Role claims are then ignored.
      </p>
      <Dialogs onClosed={answer.reload}>
        <LoadedField answer={answer} skeleton="line" field="directoryGroups">
          {(groups) => (
            <List caption="Directory groups" {...groups} columns={COLUMNS} actions={actionsFor}>
              No groups yet. They appear once your directory sends them.
            </List>
          )}
        </LoadedField>
      </Dialogs>
    </section>
  );
}

const actionsFor = (group: Group) => (
  <DialogButton label="Change role" look="quiet" opens={<MapGroup {...group} />} />
);

const MapGroup = ({ id, displayName, role, version }: Group) => (
  <Confirm
    title="Change role of group"
    action="Save"
    onConfirm={(values) => {
      const chosen = (textOf(values, "role") || null) as ProviderRole | null;
      return run(MAP, { input: { id, role: chosen, expectedVersion: version } });
    }}
    successMessage={`Role of ${displayName} changed.`}
  >
    <p>
      Members of <bdi>{displayName}</bdi> get this role, unless another group assigns them a higher one.
    </p>
    <Select
      label="Role"
      name="role"
      options={PROVIDER_ROLES}
      value={(role ?? "") as ProviderRole | ""}
      none="None"
    />
  </Confirm>
);
