import { graphql } from "../../../../generated/console.js";
import { run } from "../../../gateway/run.js";
import { useViewer } from "../../../gateway/viewer.js";
import { Confirm } from "../../../parts/forms/confirm.js";
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
  };
  return (
    <Confirm title={`Remove ${user.name}`} action="Remove" onConfirm={remove}>
      <p>
        {user.email} no longer sees anything of {viewer.organization.name}, and is signed out of it. The
        account stays.
      </p>
    </Confirm>
  );
}
