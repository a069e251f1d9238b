import { graphql, type Role } from "../../../../generated/console.js";
import { run } from "../../../gateway/run.js";
import { useViewer } from "../../../gateway/viewer.js";
import { Select } from "../../../parts/fields/select.js";
import { Confirm } from "../../../parts/forms/confirm.js";
import { textOf } from "../../../parts/forms/values.js";
import { showMessage } from "../../../parts/messages.js";
import { rolesOf } from "../../../parts/roles.js";
import type { Member } from "./read-members.js";

const OPERATION = graphql(`
  mutation ConsoleChangeMemberRole($userId: UUID!, $role: Role!) {
    changeMemberRole(input: { userId: $userId, role: $role }) { member { role } }
  }
`);

/** Changes a member's role. */
export function ChangeRole({ member: { user, role } }: { member: Member }) {
  const viewer = useViewer();
  const change = async (values: FormData) => {
    await run(OPERATION, { userId: user.id, role: textOf(values, "role") as Role });
    // The pages still show content for the previous role.
    if (user.id === viewer.user.id) location.reload();
    else showMessage({ text: `Role of ${user.name} changed.` });
  };
  return (
    <Confirm title={`Role of ${user.name}`} action="Change role" onConfirm={change}>
      <Select label="Role" name="role" options={rolesOf(viewer.scopes)} value={role} />
    </Confirm>
  );
}
