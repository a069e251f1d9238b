import type { IncomingMessage, ServerResponse } from "node:http";
import express, { type Request, type Response } from "express";

/** How large a JSON body may be. The larger one is for 500 records with the longest texts. */
const type = ["application/json", "application/merge-patch+json"];
const PARSERS = {
  "256kb": express.json({ limit: "256kb", type }),
  "2mb": express.json({ limit: "2mb", type }),
};
export type BodyLimit = keyof typeof PARSERS;

/**
 * Reads a request's JSON body: an object or an array; undefined if there is none or its type is not JSON. Rejects with an
 * error of status 400, 413 or 415 if it is malformed, larger than the limit or encoded in an unknown way.
 */
export function readJson(
  incoming: IncomingMessage,
  response: ServerResponse,
  limit: BodyLimit = "256kb",
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    PARSERS[limit](incoming as Request, response as Response, (error: unknown) => {
      if (error) reject(error);
      else resolve((incoming as Request).body);
    });
  });
}
