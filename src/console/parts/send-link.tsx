import { useState } from "preact/hooks";
import { messageOf } from "../gateway/failure.js";
import { sendConfirmations } from "../gateway/session.js";
import { Button } from "./button.js";

/** A button that sends the links which confirm the user's addresses again. */
export function SendLink() {
  const [message, setMessage] = useState("");
  const send = () =>
    sendConfirmations().then(
      () => setMessage("We sent you a link, or did so within the last hour. Check your inbox."),
      (failure) => setMessage(messageOf(failure)),
    );
  return (
    <>
      <Button label="Send a link" onClick={send} />
      <p role="status">{message}</p>
    </>
  );
}
