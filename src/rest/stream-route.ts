import type { Admission, Admit } from "../access/admission.js";
import type { IncomingCall } from "../http/incoming-call.js";
import type { PathParameters } from "./input.js";

/** A method of a path whose response is sent while it is being written. */
export interface StreamRoute {
  readonly admit: Admit;
  /** Opens the response, in parts. Rejects if an error occurs before the first part. */
  open(incomingCall: IncomingCall, params: PathParameters, admission: Admission): Promise<OpenStream>;
}

/** A response sent in parts. */
interface OpenStream {
  readonly headers: Readonly<Record<string, string>>;
  readonly chunks: AsyncIterable<string | Buffer>;
  /** Called when it has been sent or its client has disconnected, usually twice. */
  readonly close?: () => Promise<void>;
}
