import { graphql } from "../../../../generated/console.js";
import { run } from "../../../gateway/run.js";
import { Confirm } from "../../../parts/forms/confirm.js";
import type { Member } from "./read-members.js";

const RESET = graphql(`
  mutation ConsoleResetMemberFactors($userId: UUID!) {
    resetMemberFactors(input: { userId: $userId }) { member { user { id } } }
  }
`);

/** Removes the second factors of a member who has lost them. */
export const ResetFactors = ({ member: { user } }: { member: Member }) => (
  <Confirm
    title="Reset second factor"
    action="Reset"
    onConfirm={() => run(RESET, { userId: user.id })}
    successMessage={`Second factor of ${user.name} reset.`}
  >
    <p>
      This removes the authenticator app, passkeys and recovery codes of <bdi>{user.name}</bdi>, signs them
      out everywhere and notifies them by e-mail. First make sure that they really asked for it.
    </p>
  </Confirm>
);
