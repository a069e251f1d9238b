import type { Method } from "./endpoint.js";

/** The routes at a path, one for each method. */
export interface Resource<Route> {
  /** Prefix such as `/api/v1`. */
  readonly prefix: string;
  /** Path below the prefix, such as `emissions` or `facilities/{id}`. */
  readonly name: string;
  /** Path with the last of its prefixes, such as `/v1/facilities/{id}`. */
  readonly route: string;
  /** Routes by method. HEAD has the route of GET. */
  readonly methods: ReadonlyMap<string, Route>;
  /** Methods listed by OPTIONS and by 405. */
  readonly allowed: readonly string[];
}

/** A resource, with the parameters of the path that led to it. */
export interface FoundResource<Route> {
  readonly resource: Resource<Route>;
  readonly params: Readonly<Record<string, string>>;
}

export interface PlacedRoute<Route> {
  readonly prefixes: readonly string[];
  readonly path: string;
  readonly method: Method;
  readonly route: Route;
}

/**
 * Creates the function that finds the resource at a path, or undefined. A path without parameters takes precedence over
 * one with parameters. A trailing slash makes no difference. Throws if two routes have the same template and method.
 */
export function createResources<Route>(
  placed: readonly PlacedRoute<Route>[],
): (path: string) => FoundResource<Route> | undefined {
  const templates = new Map<string, [PlacedRoute<Route>, ...PlacedRoute<Route>[]]>();
  for (const one of placed) {
    for (const prefix of one.prefixes) {
      const template = prefix + one.path;
      const others = templates.get(template);
      if (others) others.push(one);
      else templates.set(template, [one]);
    }
  }
  const exact = new Map<string, FoundResource<Route>>();
  const patterns: { pattern: RegExp; resource: Resource<Route> }[] = [];
  for (const [template, here] of templates) {
    const resource = createResource(template, here);
    if (template.includes("{")) patterns.push({ pattern: patternOf(template), resource });
    else for (const slash of ["", "/"]) exact.set(template + slash, { resource, params: {} });
  }
  return (path) => {
    const found = exact.get(path);
    if (found) return found;
    for (const { pattern, resource } of patterns) {
      const match = pattern.exec(path);
      if (match) return { resource, params: decode(match.groups) };
    }
    return undefined;
  };
}

function createResource<Route>(
  template: string,
  placed: readonly [PlacedRoute<Route>, ...PlacedRoute<Route>[]],
): Resource<Route> {
  const methods = new Map<string, Route>();
  for (const { method, route } of placed) {
    if (methods.has(method)) throw new Error(`two endpoints at ${method} ${template}`);
    methods.set(method, route);
    if (method === "GET") methods.set("HEAD", route);
  }
  const { prefixes, path } = placed[0];
  return {
    prefix: template.slice(0, -path.length),
    name: path.slice(1),
    route: `${prefixes.at(-1)}${path}`,
    methods,
    allowed: [...methods.keys(), "OPTIONS"],
  };
}

/**
 * Returns the regular expression for a path template. Templates contain only letters, digits, `-`, `_`, `/` and
 * `{name}`.
 */
const patternOf = (template: string): RegExp =>
  new RegExp(`^${template.replaceAll(/\{(\w+)\}/g, "(?<$1>[^/]+)")}/?$`);

/** Decodes path parameters. The server has already refused paths that cannot be decoded. */
function decode(groups: Readonly<Record<string, string>> | undefined): Record<string, string> {
  return Object.fromEntries(
    Object.entries(groups ?? {}).map(([name, value]) => [name, decodeURIComponent(value)]),
  );
}
