import { CHAT_MODULES } from "../../domain/chat/question.js";
import type { Override } from "../catalogued.js";
import { moduleParams, requireModule } from "./modules.js";

interface Params {
  readonly module: string;
}

/** Refuses a module without a chat with NOT_SUPPORTED_FOR_MODULE, instead of as an unknown module. */
export const ask: Override = (derived) => ({
  ...derived,
  input: { ...derived.input, params: moduleParams },
  variables(input) {
    requireModule((input.params as Params).module, "chat", CHAT_MODULES);
    return derived.variables(input);
  },
});
