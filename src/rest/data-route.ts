import type { Admission, Admit } from "../access/admission.js";
import type { Repeatable, Replay } from "../access/idempotency.js";
import type { SerializedData } from "../http/answer/envelope.js";
import type { IncomingCall } from "../http/incoming-call.js";
import type { PathParameters } from "./input.js";

/** A method of a path that returns data. */
export interface DataRoute {
  readonly admit: Admit;
  /**
   * Cost in points. Undefined if it depends on the request's input, and `answer` then records it. Also undefined for a
   * route without an operation.
   */
  readonly cost: number | undefined;
  /** True only if it changes nothing. Only changes return secrets, so the responses of a read may be compressed. */
  readonly isRead: boolean;
  /** Returns the data of the response. The caller sends nothing before `admission.rateLimit` has resolved. */
  answer(
    incomingCall: IncomingCall,
    params: PathParameters,
    admission: Admission,
  ): Answered | Promise<Answered | Replay>;
}

/** Data to send; `created` is the path, below the prefix, of a created resource. */
export type Answered = SerializedData & {
  readonly created?: `/${string}` | undefined;
  /** Stores the answer before it is sent. */
  readonly keep?: Repeatable["keep"];
};
