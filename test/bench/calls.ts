import type { Tenant } from "./fill.js";
import type { Call } from "./load.js";

export const ENDPOINTS = ["emissions", "compliance", "credits", "benchmarks", "market"] as const;
export type EndpointName = (typeof ENDPOINTS)[number];

export const restCall = (name: EndpointName, key: string, headers: Call["headers"] = {}): Call => ({
  method: "GET",
  path: `/ext/v1/${name}`,
  headers: { "X-API-Key": key, ...headers },
});

export const graphqlCall = (query: string, key: string): Call => ({
  method: "POST",
  path: "/graphql",
  headers: { "X-API-Key": key, "Content-Type": "application/json" },
  body: JSON.stringify({ query }),
});

/** Returns one call per key, alternating between tenants. */
export function callsOfKeys(tenants: readonly Tenant[], call: (key: string) => Call): Call[] {
  return keysInTurns(tenants).map(call);
}

/** Returns calls of all endpoints for each key. */
export function mixedCalls(tenants: readonly Tenant[]): Call[] {
  return keysInTurns(tenants).flatMap((key) => ENDPOINTS.map((name) => restCall(name, key)));
}

function keysInTurns(tenants: readonly Tenant[]): string[] {
  const max = Math.max(...tenants.map(({ keys }) => keys.length));
  return Array.from({ length: max }, (_, index) => tenants.flatMap(({ keys }) => keys[index] ?? [])).flat();
}

export const SMALL_QUERY = "{ emissions { totalCo2eTonnes recordCount byScope { scope co2eTonnes } } }";

export const DASHBOARD_QUERY = `query Dashboard {
  emissions {
    records(first: 50) {
      nodes { id recordedOn scope co2eTonnes category facility { code name country } }
    }
    trend { from to co2eTonnes recordCount byScope { scope co2eTonnes } }
  }
  compliance {
    frameworks { framework status lastUpdated upcomingDeadlines(first: 5) { title dueDate status } }
  }
  credits {
    batches(first: 20) {
      nodes {
        id reference creditType vintage issued sold retired available
        retirements(first: 5) { reference quantity retiredOn beneficiary }
      }
    }
  }
  market {
    instruments(first: 30) {
      nodes { creditType exchange latestPrice { price currency asOf } history(first: 5) { price currency asOf } }
    }
  }
}`;
