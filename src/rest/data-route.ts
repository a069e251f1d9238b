import type { Admission, Admit } from "../access/admission.js";
import type { Arrival } from "../http/arrival.js";
import type { SerializedData } from "../http/envelope.js";
import type { RawInput } from "./input.js";

/** How one method of a path is answered with data. */
export interface DataRoute {
  readonly admit: Admit;
  /** In points. Undefined if it depends on the request's input: `answer` notes it then. */
  readonly cost: number | undefined;
  /** True if it changes nothing. Its answers then hold no secret, since only changes answer with secrets, and may be compressed. */
  readonly isRead: boolean;
  /** The answer's data. The caller sends nothing before `admission.rateLimit` has resolved. */
  answer(arrival: Arrival, params: RawInput["params"], admission: Admission): Answered | Promise<Answered>;
}

/** Data to send; `created` is the path below the prefix of what was created, if something was. */
type Answered = SerializedData & {
  readonly created?: `/${string}` | undefined;
};
