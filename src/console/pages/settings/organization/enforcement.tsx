import { MAX_BREAK_GLASS } from "../../../../domain/sso/role-rules.js";
import { graphql } from "../../../../generated/console.js";
import { run } from "../../../gateway/run.js";
import { Checkboxes } from "../../../parts/fields/checkboxes.js";
import { Confirm } from "../../../parts/forms/confirm.js";
import { DialogButton } from "../../../parts/forms/dialogs.js";
import { need } from "../../../parts/forms/values.js";
import type { Connection, Members } from "./read-member-sign-in.js";

const ENFORCE = graphql(`
  mutation ConsoleEnforceSingleSignOn($breakGlassIds: [UUID!]!, $expectedVersion: Int) {
    enforceSingleSignOn(input: { breakGlassIds: $breakGlassIds, expectedVersion: $expectedVersion }) { singleSignOn { id } }
  }
`);
const RELEASE = graphql(`
  mutation ConsoleReleaseSingleSignOn($expectedVersion: Int) {
    releaseSingleSignOn(input: { expectedVersion: $expectedVersion }) { singleSignOn { id } }
  }
`);

interface EnforcementProps {
  readonly connection: Connection;
  readonly members: Members | null;
}

/** The state of enforcement, and the owners who are exempt from it. */
export function Enforcement({ connection, members }: EnforcementProps) {
  const { isEnforced, breakGlassIds } = connection;
  const named = members?.nodes.filter(({ user }) => breakGlassIds.includes(user.id)) ?? [];
  return (
    <>
      <h3>Enforcement</h3>
      <div class="row">
        <p>
          {isEnforced ? (
            <>
              Members with an address at your domains must use the provider. Break-glass owners are exempt:{" "}
              <bdi>{named.map(({ user }) => user.name).join(", ") || `${breakGlassIds.length}`}</bdi>.
            </>
          ) : (
            "Members may also sign in with a password or a passkey."
          )}
        </p>
        {isEnforced ? (
          <DialogButton label="Stop enforcing" opens={<StopEnforcing connection={connection} />} />
        ) : (
          members && (
            <DialogButton label="Enforce" opens={<Enforce connection={connection} members={members} />} />
          )
        )}
      </div>
    </>
  );
}

function Enforce({ connection, members }: { connection: Connection; members: Members }) {
  const owners = members.nodes.filter(({ role }) => role === "OWNER");
  const ownerOf = (id: string) => owners.find(({ user }) => user.id === id);
  const describeLack = (id: string) => {
    const owner = ownerOf(id);
    if (!owner?.hasPassword)
      return owner?.hasSecondFactor ? "Has no password" : "Has no password and no second factor";
    return owner.hasSecondFactor ? null : "Has no second factor";
  };
  const chosenOf = (values: FormData) => values.getAll("breakGlassIds").map(String);
  const check = (values: FormData) => {
    const chosen = chosenOf(values);
    const isCountValid = chosen.length > 0 && chosen.length <= MAX_BREAK_GLASS;
    const isComplete = chosen.every((id) => describeLack(id) === null);
    return isCountValid
      ? need("breakGlassIds", isComplete, "Choose owners who have a password and a second factor.")
      : need("breakGlassIds", false, `Choose 1 or ${MAX_BREAK_GLASS} owners.`);
  };
  return (
    <Confirm
      title="Enforce single sign-on"
      action="Enforce"
      check={check}
      onConfirm={(values) =>
        run(ENFORCE, { breakGlassIds: chosenOf(values), expectedVersion: connection.version })
      }
      successMessage="Members must now sign in with the provider."
    >
      <p>
        Every member with an address at your domains must sign in with the provider. Sessions that were
        started another way end now. Yours does too, unless you choose yourself below.
      </p>
      <Checkboxes
        label="Break-glass owners"
        name="breakGlassIds"
        options={owners.map(({ user }) => user.id)}
        labelOf={(id) => nameMember(ownerOf(id))}
        explain={(id) => describeLack(id) ?? "Has a password and a second factor"}
        chosen={[]}
      />
      <p>
        They can still sign in with a password and a second factor if the provider fails. We e-mail all owners
        each time they do.
      </p>
      {members.pageInfo.hasNextPage && <p>Shows only owners among the first 100 members.</p>}
    </Confirm>
  );
}

const nameMember = (member: Members["nodes"][number] | undefined) =>
  member ? `${member.user.name} (${member.user.email})` : "";

const StopEnforcing = ({ connection: { version } }: { connection: Connection }) => (
  <Confirm
    title="Stop enforcing single sign-on?"
    action="Stop enforcing"
    onConfirm={() => run(RELEASE, { expectedVersion: version })}
    successMessage="Members can sign in with a password or a passkey again."
  >
    <p>Members will also be able to sign in with a password or a passkey.</p>
  </Confirm>
);
