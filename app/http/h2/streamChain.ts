import type {Dependency} from '../responseOrder.ts';

/** A dependency, and the stream that it belongs to. */
export interface StreamDependency extends Dependency {
  readonly stream: number;
}

/**
 * The dependencies that Chromium states (`net/spdy/http2_priority_dependencies.cc`): all open streams form one chain,
 * ordered by urgency. Streams of equal urgency are in the order in which they got this urgency. Each stream depends
 * exclusively on the one before it, so a server that follows the dependencies (RFC 7540 §5.3) sends one response after
 * the other.
 */
export class StreamChain {
  /** The open streams of each urgency, in the order in which they were added. */
  readonly #levels: number[][] = Array.from({length: 8}, () => []);

  /**
   * Adds a stream behind the open streams with the same urgency. Returns the dependency that the client has to send.
   */
  add(stream: number, urgency: number): Dependency {
    const parent = this.#lastUpTo(urgency);
    this.#levels[urgency]?.push(stream);
    return {parent, weight: weightOf(urgency), isExclusive: true};
  }

  remove(stream: number): void {
    for (const level of this.#levels) if (level.includes(stream)) level.splice(level.indexOf(stream), 1);
  }

  /**
   * Gives a stream another urgency. Returns the dependencies that the client has to send, in this order. If another
   * stream was directly behind the moved stream, the new dependency of that other stream comes first, and closes the
   * gap. The dependency of the moved stream comes last. The list is empty if the stream is not open or its urgency is
   * the same.
   */
  move(stream: number, urgency: number): readonly StreamDependency[] {
    const order = this.#levels.flatMap((level, of) => level.map(each => ({stream: each, urgency: of})));
    const at = order.findIndex(each => each.stream === stream);
    if (at < 0 || order[at]?.urgency === urgency) return [];
    const [before, behind] = [order[at - 1], order[at + 1]];
    this.remove(stream);
    const gap: readonly StreamDependency[] =
      behind === undefined
        ? []
        : [{stream: behind.stream, parent: before?.stream ?? 0, weight: weightOf(behind.urgency), isExclusive: true}];
    return [...gap, {stream, ...this.add(stream, urgency)}];
  }

  #lastUpTo(urgency: number): number {
    for (let level = urgency; level >= 0; level--) {
      const last = this.#levels[level]?.at(-1);
      if (last !== undefined) return last;
    }
    return 0;
  }
}

/** The weight of an urgency, from 256 to 1 (`Spdy3PriorityToHttp2Weight`). */
function weightOf(urgency: number): number {
  return Math.floor(255.9 - (255.9 / 7) * urgency) + 1;
}
