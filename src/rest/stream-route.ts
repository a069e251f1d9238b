import type { Admission, Admit } from "../access/admission.js";
import type { Arrival } from "../http/arrival.js";
import type { RawInput } from "./input.js";

/** A method of a path whose answer is sent while it is written. */
export interface StreamRoute {
  readonly admit: Admit;
  /** Opens the answer, in parts. Rejects if an error occurs before the first. */
  open(arrival: Arrival, params: RawInput["params"], admission: Admission): Promise<OpenStream>;
}

/** An answer that is sent in parts. */
interface OpenStream {
  readonly headers: Readonly<Record<string, string>>;
  readonly chunks: AsyncIterable<string | Buffer>;
  /** Called once it was sent, or its client has left. */
  readonly close?: () => Promise<void>;
}
