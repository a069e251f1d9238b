import { createSocket } from "node:dgram";

const TXT = 16;
const RCODES = { SERVFAIL: 2, NXDOMAIN: 3 } as const;

/** The response for a name: the parts of each TXT record, an error, or silence. */
export type Zone = readonly (readonly string[])[] | keyof typeof RCODES | "silence";

/** A local name server. Names without a zone do not exist. */
export interface NameServer {
  /** Its address, in the format of DNS_SERVERS. */
  readonly address: string;
  /** Names that clients have queried. */
  readonly asked: readonly string[];
  set(name: string, zone: Zone): void;
  /** Holds back all responses until the returned function is called. */
  hold(): () => void;
  stop(): Promise<void>;
}

/** Starts a name server for TXT records over UDP (RFC 1035, section 4). */
export async function startNameServer(): Promise<NameServer> {
  const zones = new Map<string, Zone>();
  const asked: string[] = [];
  const socket = createSocket("udp4");
  let held: Promise<void> | undefined;
  socket.on("message", async (query, { port, address }) => {
    const [name, end] = readName(query);
    asked.push(name);
    await held;
    const zone = zones.get(name) ?? "NXDOMAIN";
    if (zone !== "silence") socket.send(writeAnswer(query.subarray(0, end + 4), zone), port, address);
  });
  await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve));
  return {
    address: `127.0.0.1:${socket.address().port}`,
    asked,
    set: (name, zone) => void zones.set(name, zone),
    hold() {
      let release: () => void = () => undefined;
      held = new Promise((resolve) => {
        release = resolve;
      });
      return () => release();
    },
    stop: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}

/** Returns the name in the first question, and the position after it. */
function readName(query: Buffer): [name: string, end: number] {
  const labels: string[] = [];
  let place = 12;
  for (let length = query[place] ?? 0; length > 0; length = query[place] ?? 0) {
    labels.push(query.toString("latin1", place + 1, place + 1 + length).toLowerCase());
    place += 1 + length;
  }
  return [labels.join("."), place + 1];
}

function writeAnswer(question: Buffer, zone: Exclude<Zone, "silence">): Buffer {
  const records = typeof zone === "string" ? [] : zone;
  const head = Buffer.from(question);
  head.writeUInt16BE(0x8180 | (typeof zone === "string" ? RCODES[zone] : 0), 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(records.length, 6);
  head.writeUInt32BE(0, 8);
  const answers = records.map((parts) => {
    const data = Buffer.concat(
      parts.map((part) => Buffer.concat([Buffer.of(part.length), Buffer.from(part)])),
    );
    const fixed = Buffer.alloc(12);
    fixed.writeUInt16BE(0xc00c, 0);
    fixed.writeUInt16BE(TXT, 2);
    fixed.writeUInt16BE(1, 4);
    fixed.writeUInt32BE(0, 6);
    fixed.writeUInt16BE(data.length, 10);
    return Buffer.concat([fixed, data]);
  });
  return Buffer.concat([head, ...answers]);
}
