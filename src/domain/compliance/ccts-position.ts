import { multiplyDecimals, roundUp, subtractDecimals } from "../decimals.js";

/** Figures of an obligated entity for a financial year; plain decimals. */
export interface CctsFigures {
  /** Emission intensities: tonnes of CO2 equivalent per unit of output. */
  readonly targetGei: string;
  readonly achievedGei: string;
  /** Equivalent output, in the output unit of the intensities. */
  readonly output: string;
}

/** Position of an entity. Certificates are whole, each for one tonne of CO2 equivalent. */
export interface CctsPosition {
  /** Tonnes of CO2 equivalent below the target; negative if above it. */
  readonly surplus: string;
  readonly toIssue: bigint;
  readonly toSurrender: bigint;
}

/**
 * Computes the surplus: (target − achieved intensity) × equivalent output. Rounds certificates to issue down and
 * certificates to surrender up. Source: India's Carbon Credit Trading Scheme, 2023, and Greenhouse Gases Emission
 * Intensity Target Rules, 2025.
 */
export function computePosition({ targetGei, achievedGei, output }: CctsFigures): CctsPosition {
  const difference = subtractDecimals(targetGei, achievedGei);
  const isShort = difference.startsWith("-");
  const surplus = multiplyDecimals([difference, output]);
  return {
    surplus,
    toIssue: isShort ? 0n : BigInt(surplus.split(".")[0] ?? "0"),
    toSurrender: isShort ? roundUp(surplus.replace("-", "")) : 0n,
  };
}

/**
 * Returns the compensation in rupees for certificates not surrendered: twice the cycle's average price each. 0 without
 * a shortfall; null without a price.
 */
export function computeCompensation(shortfall: bigint, averagePrice: string | null): string | null {
  if (shortfall <= 0n) return "0";
  if (averagePrice === null) return null;
  return multiplyDecimals(["2", averagePrice, String(shortfall)]);
}

/** Returns true if `text` names two consecutive years, such as `2025-26`. */
export function isFinancialYear(text: string): boolean {
  const [, first, second] = /^(\d{4})-(\d{2})$/.exec(text) ?? [];
  return first !== undefined && Number(second) === (Number(first) + 1) % 100;
}
