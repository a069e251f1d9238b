import type { EmissionScope, Framework } from "../enums.js";
import type { Module } from "../modules.js";
import type { DateRange } from "../window.js";
import type { Definition } from "./definitions.js";
import type { FacilityName } from "./names.js";
import type { Ahead, ReadPeriod } from "./periods.js";

/** The modules that can be asked. */
export const CHAT_MODULES = [
  "emissions",
  "compliance",
  "credits",
  "market",
] as const satisfies readonly Module[];
export type ChatModule = (typeof CHAT_MODULES)[number];

export const CHAT_ROLES = ["user", "assistant"] as const;
export type ChatRole = (typeof CHAT_ROLES)[number];
/** What an answer is made by. */
export const CHAT_ENGINES = ["rules", "model"] as const;
export type ChatEngine = (typeof CHAT_ENGINES)[number];
export const CHAT_NOTICES = ["MODEL_UNAVAILABLE", "UNGROUNDED_ANSWER_REPLACED"] as const;
export type ChatNotice = (typeof CHAT_NOTICES)[number];

/** How long a conversation lasts after its last message. */
export const CONVERSATION_DAYS = 30;
/** Questions and answers of one conversation. */
export const MOST_MESSAGES = 40;
/** Figures of one answer, and what else it has. */
export const MOST_FIGURES = 36;
export const MOST_QUERIES = 5;
export const MOST_SOURCES = 10;
/** The most characters of a question. */
export const LONGEST_MESSAGE = 2_000;

/** How emissions are split. */
export const PARTS = ["scope", "facility", "category", "country"] as const;
export type Part = (typeof PARTS)[number];
export type Step = "month" | "quarter" | "year";

/** Which emissions, and of which days. Periods are as they were when the question was asked. */
export interface EmissionSubject {
  readonly periods: readonly ReadPeriod[];
  readonly scopes: readonly EmissionScope[];
  readonly facilities: readonly (FacilityName & { readonly label: string })[];
  readonly categories: readonly string[];
}

/** What is asked of emissions. */
export type EmissionQuestion = EmissionSubject & { readonly subject: "emissions" } & (
    | { readonly intent: "total" | "compare" | "count" }
    /** Against the same days of the year before. */
    | { readonly intent: "year_on_year" }
    | { readonly intent: "breakdown"; readonly by: Part }
    | { readonly intent: "top"; readonly by: Part; readonly count: number }
    | { readonly intent: "trend"; readonly step: Step }
    | { readonly intent: "forecast"; readonly ahead: Ahead | null }
  );

/** A question that was understood as a whole. */
export type Question =
  | EmissionQuestion
  | { readonly subject: "facilities"; readonly intent: "count" }
  | {
      readonly subject: "credits";
      readonly intent: "total" | "breakdown" | "retired" | "forecast";
      readonly creditType: string | null;
      /** Which quantity is meant; null for all. */
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
      /** Whether only the first is asked for. */
      readonly isNext: boolean;
      /** Days in which they are due; null for all that are ahead. */
      readonly due: DateRange | null;
    }
  | { readonly subject: "factors"; readonly intent: "factor"; readonly search: string }
  | { readonly subject: "terms"; readonly intent: "definition"; readonly definition: Definition };

export const CREDIT_STATES = ["available", "issued", "sold", "retired"] as const;
export type CreditState = (typeof CREDIT_STATES)[number];

/** What was read: a question, or in one sentence why there is none. */
export type Reading = { readonly question: Question } | { readonly fault: string };
