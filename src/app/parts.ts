/** A running part of the server. */
export interface Part {
  stop(): Promise<void>;
}

export interface Parts extends Part {
  add<Started extends Part>(part: Started): Started;
}

/** Creates a collection of running parts, which stops them in reverse order. */
export function createParts(): Parts {
  const started: Part[] = [];
  return {
    add(part) {
      started.push(part);
      return part;
    },
    async stop() {
      for (const part of started.splice(0).toReversed()) await part.stop();
    },
  };
}
