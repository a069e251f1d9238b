import type { EmissionScope, Framework } from "../enums.js";
import type { Module } from "../modules.js";
import type { DateRange } from "../window.js";
import type { Definition } from "./definitions.js";
import type { FacilityName } from "./names.js";
import type { Ahead, ReadPeriod } from "./periods.js";

/** Modules that a chat can answer questions about. */
export const CHAT_MODULES = [
  "emissions",
  "compliance",
  "credits",
  "market",
] as const satisfies readonly Module[];
export type ChatModule = (typeof CHAT_MODULES)[number];

export const CHAT_ROLES = ["user", "assistant"] as const;
export type ChatRole = (typeof CHAT_ROLES)[number];
/** Engines that write answers. */
export const CHAT_ENGINES = ["rules", "model"] as const;
export type ChatEngine = (typeof CHAT_ENGINES)[number];
export const CHAT_NOTICES = ["MODEL_UNAVAILABLE", "UNGROUNDED_ANSWER_REPLACED"] as const;
export type ChatNotice = (typeof CHAT_NOTICES)[number];

/** Days that a conversation is kept after its last message. */
export const CONVERSATION_DAYS = 30;
/** Maximum number of questions and answers in one conversation. */
export const MOST_MESSAGES = 40;
/** Maximum numbers of figures, queries and sources in one answer. */
export const MOST_FIGURES = 36;
export const MOST_QUERIES = 5;
export const MOST_SOURCES = 10;
/** Maximum length of a question in characters. */
export const LONGEST_MESSAGE = 2_000;

/** Dimensions by which emissions can be split. */
export const PARTS = ["scope", "facility", "category", "country"] as const;
export type Part = (typeof PARTS)[number];
export type Step = "month" | "quarter" | "year";

/** The emissions in question. Periods are fixed when the question is asked. */
export interface EmissionSubject {
  readonly periods: readonly ReadPeriod[];
  readonly scopes: readonly EmissionScope[];
  readonly facilities: readonly (FacilityName & { readonly label: string })[];
  readonly categories: readonly string[];
}

/** A question about emissions. */
export type EmissionQuestion = EmissionSubject & { readonly subject: "emissions" } & (
    | { readonly intent: "total" | "compare" | "count" }
    /** Compares with the same days of the previous year. */
    | { readonly intent: "year_on_year" }
    | { readonly intent: "breakdown"; readonly by: Part }
    | { readonly intent: "top"; readonly by: Part; readonly count: number }
    | { readonly intent: "trend"; readonly step: Step }
    | { readonly intent: "forecast"; readonly ahead: Ahead | null }
  );

/** A question understood in full. */
export type Question =
  | EmissionQuestion
  | { readonly subject: "facilities"; readonly intent: "count" }
  | {
      readonly subject: "credits";
      readonly intent: "total" | "breakdown" | "retired" | "forecast";
      readonly creditType: string | null;
      /** The quantity asked for; null for all. */
      readonly state: CreditState | null;
      readonly periods: readonly ReadPeriod[];
      readonly ahead: Ahead | null;
    }
  | {
      readonly subject: "market";
      readonly intent: "price" | "forecast";
      readonly creditType: string | null;
      readonly exchange: string | null;
      readonly ahead: Ahead | null;
    }
  | {
      readonly subject: "compliance";
      readonly intent: "deadlines" | "count" | "status";
      readonly framework: Framework | null;
      readonly isOverdue: boolean;
      /** True if the question asks only for the first deadline. */
      readonly isNext: boolean;
      /** Days in which the deadlines are due; null for all future ones. */
      readonly due: DateRange | null;
    }
  | { readonly subject: "factors"; readonly intent: "factor"; readonly search: string }
  | { readonly subject: "terms"; readonly intent: "definition"; readonly definition: Definition };

export const CREDIT_STATES = ["available", "issued", "sold", "retired"] as const;
export type CreditState = (typeof CREDIT_STATES)[number];

/** The question, or a sentence that says why it cannot be answered. */
export type Reading = { readonly question: Question } | { readonly fault: string };
