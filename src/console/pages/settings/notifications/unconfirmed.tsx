import { useState } from "preact/hooks";
import { messageOf } from "../../../gateway/failure.js";
import { sendConfirmations } from "../../../gateway/session.js";

/** Warns that an address is unconfirmed, with a button that sends the link again. */
export function Unconfirmed({ address }: { address: string }) {
  const [message, setMessage] = useState("");
  const send = () =>
    sendConfirmations().then(
      () => setMessage("A new link is on its way, unless we sent one in the last hour: then use that one."),
      (failure) => setMessage(messageOf(failure)),
    );
  return (
    <>
      <p>
        Check your inbox to confirm {address}. You won't get notifications by e-mail until you open the link.
      </p>
      <button type="button" class="outline" onClick={send}>
        Send a link
      </button>
      <p role="status">{message}</p>
    </>
  );
}
