import { type Response, Router } from "express";
import { once } from "../domain/once.js";
import { getOnly } from "../http/server/side-server.js";
import { GRAPHQL_PATH } from "../http/surface.js";
import { createExplorer } from "./altair.js";
import { type HomeContent, type Page, renderHome } from "./home.js";
import { renderSandbox } from "./sandbox.js";

/** Path of Altair. */
export const EXPLORER_PATH = "/graphiql";

export interface PagesOptions extends Pick<HomeContent, "demoKey" | "schemaPath" | "endpoints"> {
  /** Returns the gateway's URL once it is listening. */
  readonly url: () => string;
}

/** Creates the router of the HTML pages: the home page, Apollo Sandbox at /graphql, and Altair at /graphiql. */
export function createPages({ url, ...options }: PagesOptions): Router {
  const router = Router({ caseSensitive: true });
  const show = (render: (content: HomeContent) => Page, response: Response) => {
    const paths = { explorerPath: EXPLORER_PATH, graphqlPath: GRAPHQL_PATH };
    const { html, policy } = render({ ...options, ...paths, url: url() });
    response.set({ "Content-Security-Policy": policy, "Referrer-Policy": "same-origin" });
    response.type("html").send(html);
  };
  router.all("/", getOnly);
  router.get("/", (_request, response) => show(renderHome, response));
  router.get(GRAPHQL_PATH, (_request, response) => show(renderSandbox, response));
  const explorer = once(() => createExplorer(EXPLORER_PATH, GRAPHQL_PATH, options.demoKey));
  router.use(EXPLORER_PATH, async (request, response, next) => {
    (await explorer())(request, response, next);
  });
  return router;
}
