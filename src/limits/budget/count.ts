import { Cluster, type Redis, type Result } from "ioredis";
import { WINDOW_SECONDS } from "../../domain/tiers.js";
import { watchFailures } from "./redis.js";

declare module "ioredis" {
  interface RedisCommander<Context> {
    /** How many keys, the keys, the seconds of a window, and the limit of each key: two numbers for each. */
    countUpTo(keys: number, ...keysAndArguments: (string | number)[]): Result<number[], Context>;
  }
}

/** What one request has brought a budget to, and the milliseconds left of its window. */
export interface Counted {
  readonly count: number;
  readonly msLeft: number;
}

/**
 * A refused request is not counted: a key that went on knocking while it was over its limit would otherwise find its
 * budget of a higher tier spent. What is in a counter's place and cannot be counted up, such as a list, makes way for a
 * new counter: an error would be one of all keys that are counted together. Other errors, such as that of a Redis that is
 * out of memory, are passed on.
 */
const COUNT_UP_TO = `
local function isNoCounter(message)
  return string.find(message, 'WRONGTYPE') or string.find(message, 'not an integer') or string.find(message, 'overflow')
end
local replies = {}
for index, key in ipairs(KEYS) do
  local count = redis.pcall('incr', key)
  if type(count) == 'table' then
    if not isNoCounter(count.err) then return count end
    redis.call('del', key)
    count = redis.call('incr', key)
  end
  local left = redis.call('pttl', key)
  if left < 0 then
    redis.call('expire', key, ARGV[1])
    left = ARGV[1] * 1000
  end
  if count > tonumber(ARGV[index + 1]) then redis.call('decr', key) end
  replies[2 * index - 1] = count
  replies[2 * index] = left
end
return replies`;

/** Counts one request for each of some budgets, by their keys in Redis; in a cluster all have to be of one slot. */
type CountAll = (keys: readonly string[], limits: readonly number[]) => Promise<readonly number[]>;

export function createCountAll(client: Redis | Cluster): CountAll {
  client.defineCommand("countUpTo", { lua: COUNT_UP_TO });
  const lastFailure = watchFailures(client);
  return async (keys, limits) => {
    if (client.status !== "ready") {
      throw new Error(`the connection to Redis is ${client.status}`, { cause: lastFailure() });
    }
    return client.countUpTo(keys.length, ...keys, WINDOW_SECONDS, ...limits);
  };
}

/** Most that one script counts, for which Redis answers nobody else: a third of a millisecond. */
const MOST_TOGETHER = 100;

interface Batch {
  readonly keys: string[];
  readonly limits: number[];
  readonly replies: Promise<readonly number[]>;
}

/**
 * Makes the function that counts one request. All that one turn of the event loop brings is counted by one script, when
 * the turn is over: a script each took a sixth of a remembered answer's time. In a cluster that goes for each budget by
 * itself, since a slot that is being moved refuses scripts of several keys.
 */
export function countTogether(client: Redis | Cluster, countAll: CountAll) {
  const groupOf = client instanceof Cluster ? (key: string) => key : () => "all";
  // A new one each turn: a Map that is kept keeps its replaced tables, and all that they held, reachable for long.
  let open = new Map<string, Batch>();

  const begin = (group: string): Batch => {
    const [keys, limits]: [string[], number[]] = [[], []];
    const replies = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      open = new Map();
      return countAll(keys, limits);
    });
    const batch = { keys, limits, replies };
    open.set(group, batch);
    return batch;
  };
  return async (key: string, limit: number): Promise<Counted> => {
    const group = groupOf(key);
    const last = open.get(group);
    const { keys, limits, replies } = last && last.keys.length < MOST_TOGETHER ? last : begin(group);
    const index = 2 * keys.length;
    keys.push(key);
    limits.push(limit);
    const { [index]: count, [index + 1]: msLeft } = await replies;
    if (count === undefined || msLeft === undefined) throw new Error("Redis has not counted all");
    return { count, msLeft };
  };
}
