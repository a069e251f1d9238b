import { graphql } from "../../../../generated/console.js";
import { run } from "../../../gateway/run.js";
import { useViewer } from "../../../gateway/viewer.js";
import { Confirm } from "../../../parts/forms/confirm.js";
import { showMessage } from "../../../parts/messages.js";
import type { Member } from "./read-members.js";

const OPERATION = graphql(`
  mutation ConsoleRemoveMember($userId: UUID!) {
    removeMember(input: { userId: $userId }) { member { role } }
  }
`);

/** Removes a member from the organization. */
export function RemoveMember({ member: { user } }: { member: Member }) {
  const viewer = useViewer();
  const remove = async () => {
    await run(OPERATION, { userId: user.id });
    if (user.id === viewer.user.id) location.replace("/console/");
    else showMessage({ text: `${user.name} is no longer a member.` });
  };
  return (
    <Confirm title={`Remove ${user.name}?`} action="Remove" onConfirm={remove}>
      <p>
        {user.email} will be signed out of {viewer.organization.name} and lose access to its data. The account
        itself is kept.
      </p>
    </Confirm>
  );
}
