import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { toAppError } from "../http/answer/failure.js";
import type { McpCall } from "./surface.js";

/**
 * Wraps a message handler, because the SDK would send the message of any error to the client. Protocol errors are
 * unchanged. Other errors become protocol errors with their code and the request's id; failures of the server are
 * logged and masked, as on the other surfaces.
 */
export const maskFailures =
  <Message, Result>(
    { incomingCall: { request } }: McpCall,
    handle: (message: Message) => Promise<Result>,
  ): ((message: Message) => Promise<Result>) =>
  async (message) => {
    try {
      return await handle(message);
    } catch (thrown) {
      if (thrown instanceof ProtocolError) throw thrown;
      const { code, message: text } = toAppError(thrown, request.log);
      throw new ProtocolError(ProtocolErrorCode.InternalError, text, { code, request_id: request.id });
    }
  };
