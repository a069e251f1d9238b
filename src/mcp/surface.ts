import type { Server } from "@modelcontextprotocol/server";
import type { Admission } from "../access/admission.js";
import type { Principal } from "../access/principal.js";
import type { IncomingCall } from "../http/incoming-call.js";

/** A client's message, with its caller. */
export interface McpCall {
  readonly incomingCall: IncomingCall;
  readonly principal: Principal;
  /** Null for messages that do not count against the hourly limit. */
  readonly admission: Admission | null;
}

/** Registers one part's request handlers on the server that answers a message. */
export type Serve = (server: Server, call: McpCall) => void;
