import { useState } from "preact/hooks";
import { messageOf } from "../gateway/failure.js";
import { sendConfirmations } from "../gateway/session.js";
import { Button } from "./button.js";

/** A button that sends the user's confirmation links again. */
export function SendLink() {
  const [message, setMessage] = useState("");
  const send = () =>
    sendConfirmations().then(
      () => setMessage("Check your inbox: we sent you a link just now or within the last hour."),
      (failure) => setMessage(messageOf(failure)),
    );
  return (
    <>
      <Button label="Send link again" onClick={send} />
      <p role="status">{message}</p>
    </>
  );
}
