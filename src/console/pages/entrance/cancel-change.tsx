import { spendAddressLink } from "../../gateway/session.js";
import { Entrance } from "./entrance.js";

/** Cancels or reverts a change of the account's address, with the link in the notice. */
export const CancelChange = ({
  token,
  onDone,
}: {
  token: string;
  onDone: (text: string) => Promise<void>;
}) => (
  <Entrance
    title="Keep your e-mail address"
    submit="Cancel the change"
    enter={() => spendAddressLink(token)}
    onDone={() => onDone("The change is cancelled. We sent you a link to choose a new password.")}
    intro="Your account will keep the address that received this link. All sessions are signed out, and we e-mail you a link to choose a new password."
  />
);
