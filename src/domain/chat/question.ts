import type { Framework } from "../enums.js";
import type { Module } from "../modules.js";
import type { DateRange } from "../window.js";
import type { Definition } from "./definitions.js";
import type { MonthsAhead, ReadPeriod } from "./periods.js";

/** Modules that a chat can answer questions about. */
export const CHAT_MODULES = [
  "emissions",
  "compliance",
  "credits",
  "market",
] as const satisfies readonly Module[];
export type ChatModule = (typeof CHAT_MODULES)[number];

export type ChatRole = "user" | "assistant";
/** Engines that write answers. */
export type ChatEngine = "rules" | "model";
export const CHAT_NOTICES = ["MODEL_UNAVAILABLE", "UNGROUNDED_ANSWER_REPLACED"] as const;
export type ChatNotice = (typeof CHAT_NOTICES)[number];

/** Number of days for which a conversation is kept after its last message. */
export const CONVERSATION_DAYS = 30;
/** Maximum number of questions and answers in one conversation. */
export const MAX_MESSAGES = 40;
/** Maximum numbers of figures, queries and sources in one answer. */
export const MAX_FIGURES = 36;
export const MAX_QUERIES = 5;
export const MAX_SOURCES = 10;
/** Maximum length of a question in characters. */
export const MAX_MESSAGE_LENGTH = 2_000;

/** Dimensions by which emissions can be split. */
export const PARTS = ["scope", "facility", "category", "country"] as const;
export type Part = (typeof PARTS)[number];
export const STEPS = ["month", "quarter", "year"] as const;
export type Step = (typeof STEPS)[number];
/** Returns true if a dimension is a time step. */
export const isStep = (by: Part | Step | null): by is Step =>
  (STEPS as readonly (string | null)[]).includes(by);

/** Filter on emissions. */
export interface Filter {
  readonly kind: "text" | Part;
  readonly value: string;
  /** Name to use in answers, such as `Pune works (PUNE)`. */
  readonly label: string;
}

type EmissionIntent =
  | ("total" | "count" | "latest" | "missing" | "average" | "share" | "split")
  | ("compare" | "why" | "unusual" | "forecast" | "ratio");

/** A question about emissions. */
export interface EmissionQuestion {
  readonly by: Part | Step | null;
  readonly subject: "emissions";
  readonly intent: EmissionIntent;
  /** In question order. */
  readonly filters: readonly Filter[];
  /** For a share, filters of the total. */
  readonly whole: readonly Filter[];
  /** At most two, with fixed days. Empty for the default, usually the last 12 months. */
  readonly periods: readonly ReadPeriod[];
  /** Limit to the largest or smallest parts. */
  readonly top: { readonly count: number; readonly isLowest: boolean } | null;
  /** Period to compare with, if the question names only one: the year before, or the period before. */
  readonly baseline: "year" | "before" | null;
  /** Direction of change that the question asks about. */
  readonly direction: "up" | "down" | null;
  readonly ahead: MonthsAhead | null;
}

export const CREDIT_STATES = ["available", "issued", "sold", "retired"] as const;
export type CreditState = (typeof CREDIT_STATES)[number];

interface ForecastQuestion {
  readonly isForecast: boolean;
  /** Words that name a credit type or an instrument. */
  readonly about: string | null;
  readonly ahead: MonthsAhead | null;
}

export interface CreditQuestion extends ForecastQuestion {
  /** State of the credits to count; null for all. */
  readonly state: CreditState | null;
  readonly subject: "credits";
  readonly by: "type" | "vintage" | null;
  readonly period: ReadPeriod | null;
}

export type MarketQuestion = ForecastQuestion & { readonly subject: "market" };

export interface ComplianceQuestion {
  readonly frameworks: readonly Framework[];
  readonly subject: "compliance";
  readonly intent: "deadlines" | "count" | "status";
  readonly isOverdue: boolean;
  /** Number of deadlines to list, such as 1 for the next one; null for all. */
  readonly count: number | null;
  /** Range of due dates; null for all from today on, or for all past ones if `isOverdue`. */
  readonly due: DateRange | null;
  /** Words in the titles of deadlines. */
  readonly about: string | null;
  /** Status of the frameworks to list, such as `action_required`; `open` for all but compliant and not applicable. */
  readonly status: string | null;
}

/** A fully understood question. */
export type Question =
  | EmissionQuestion
  | CreditQuestion
  | MarketQuestion
  | ComplianceQuestion
  | { readonly subject: "facilities" }
  | { readonly subject: "factors"; readonly search: string }
  | { readonly subject: "terms"; readonly definition: Definition };
