import type { IncomingMessage, ServerResponse } from "node:http";
import express, { type Request, type Response } from "express";

const parseJson = express.json({ limit: "256kb" });

/**
 * Reads a request's JSON body: an object or an array; undefined if there is none or its type is not JSON. Rejects with an
 * error of status 400, 413 or 415 if it is malformed, larger than 256 KB or encoded in an unknown way.
 */
export function readJson(incoming: IncomingMessage, response: ServerResponse): Promise<unknown> {
  return new Promise((resolve, reject) => {
    parseJson(incoming as Request, response as Response, (error: unknown) => {
      if (error) reject(error);
      else resolve((incoming as Request).body);
    });
  });
}
