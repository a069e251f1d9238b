import type { Server } from "@modelcontextprotocol/server";
import type { Admission } from "../access/admission.js";
import type { Principal } from "../access/principal.js";
import type { Arrival } from "../http/arrival.js";

/** A client's message, with its caller. */
export interface McpCall {
  readonly arrival: Arrival;
  readonly principal: Principal;
  /** Null for messages that do not count against the limit. */
  readonly admission: Admission | null;
}

/** Registers the requests that one part of the surface answers on the server of a message. */
export type Serve = (server: Server, call: McpCall) => void;
