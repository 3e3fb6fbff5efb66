/** A stream of one of a pane's connections. */
export interface PaneStream {
  readonly connection: number;
  readonly stream: number;
}

/** The streams of all connections of a pane, numbered from 0 in the order in which the connections were opened. */
export class PaneStreams {
  readonly #all: PaneStream[] = [];
  /** For each connection, the number of its stream 0. */
  readonly #starts = new Map<number, number>();

  /** Adds the streams of a connection. */
  add(connection: number, streams: number): void {
    this.#starts.set(connection, this.#all.length);
    for (let stream = 0; stream < streams; stream++) this.#all.push({connection, stream});
  }

  /** The number of a stream. Undefined before its connection is added. */
  numberOf({connection, stream}: PaneStream): number | undefined {
    const start = this.#starts.get(connection);
    return start === undefined ? undefined : start + stream;
  }

  /** The numbers of a connection's streams. */
  of(connection: number): readonly number[] {
    return [...this.#all.keys()].filter(number => this.#all[number]?.connection === connection);
  }

  /** @throws RangeError if there is no stream of this number, which is a bug. */
  at(number: number): PaneStream {
    const stream = this.#all[number];
    if (stream === undefined) throw new RangeError(`invalid stream: ${number} (there are ${this.#all.length})`);
    return stream;
  }
}
