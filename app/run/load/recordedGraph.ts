import type {RecordedBox, RecordedCause, RecordedRequest, Recording} from '../../page/recording.ts';

export interface GraphOptions {
  readonly recording: Recording;
  /** The factor by which the times that scripts, style and layout took in the recording are multiplied, at least 0. */
  readonly cpuFactor: number;
  /** Whether the HTML or a style sheet names the object, so that it is found without the recording. */
  readonly isNamed: (object: number) => boolean;
}

/** Something that may cause requests, as the load sees it. */
export type Happening =
  /** This object is complete, or has failed. */
  | {readonly type: 'done'; readonly object: number}
  /** The script of this object runs. */
  | {readonly type: 'runs'; readonly object: number}
  /** The script element with this number, from 0, runs. It has no file. */
  | {readonly type: 'runs inline'; readonly script: number}
  | {readonly type: 'event'; readonly event: 'DOMContentLoaded' | 'load'};

/**
 * The part of a load that follows a recording: the requests that scripts make, the requests for other objects that our
 * own reader does not find in the HTML and the style sheets, and the insertions of HTML by scripts. It does no I/O: the
 * caller reports what happens ({@link RecordedGraph.handle}), and takes the requests that are due.
 *
 * Times that scripts, style and layout took are multiplied by `cpuFactor`; the waits of timers stay as they were.
 */
export class RecordedGraph {
  readonly #factor: number;
  readonly #caused = new Map<string, Caused>();
  readonly #runMs = new Map<number, number>();
  readonly #boxes = new Map<number, RecordedBox>();
  /** The requests that will be made, in the order in which their causes happened. */
  #scheduled: Scheduled[] = [];
  readonly #insertedNs: (number | null)[];

  constructor({recording, cpuFactor, isNamed}: GraphOptions) {
    this.#factor = cpuFactor;
    this.#insertedNs = recording.insertions.map(() => null);
    for (const request of recording.requests) {
      if (request.runMs > 0) this.#runMs.set(request.object, request.runMs);
      if (request.object !== 0 && !isNamed(request.object)) this.#causedBy(request.cause).requests.push(request);
    }
    for (const [number, {cause}] of recording.insertions.entries()) this.#causedBy(cause).insertions.push(number);
    for (const box of recording.boxes)
      if (box.object !== null && !this.#boxes.has(box.object)) this.#boxes.set(box.object, box);
  }

  /** Returns for how long a script keeps the page from doing anything else, in ns. */
  runNs(object: number): number {
    return (this.#runMs.get(object) ?? 0) * this.#factor * 1e6;
  }

  /** Returns the box in which a picture was shown when the page was complete. Undefined if it was not shown. */
  boxOf(object: number): RecordedBox | undefined {
    return this.#boxes.get(object);
  }

  /** Handles what happens at `nowNs`. If a script runs, `endNs` is the time when it ends. */
  handle(happening: Happening, nowNs: number, endNs = nowNs): void {
    for (const key of keysOf(happening)) {
      const caused = this.#caused.get(key);
      if (caused === undefined) continue;
      // each cause counts once
      this.#caused.delete(key);
      for (const number of caused.insertions) this.#insertedNs[number] = endNs;
      for (const {object, type, priority, cpuMs, waitMs} of caused.requests) {
        const atNs = Math.round(nowNs + (cpuMs * this.#factor + waitMs) * 1e6);
        this.#scheduled.push({object, type, priority, atNs, isTimer: waitMs > 0});
      }
    }
  }

  /**
   * Takes the requests that are due, in the order of their times. Requests for the same time are in the order in which
   * their causes happened. Those of one cause are in the order of the recording.
   */
  due(nowNs: number): readonly Scheduled[] {
    if (this.#scheduled.every(({atNs}) => atNs > nowNs)) return [];
    const due = this.#scheduled.filter(({atNs}) => atNs <= nowNs).sort((a, b) => a.atNs - b.atNs);
    this.#scheduled = this.#scheduled.filter(({atNs}) => atNs > nowNs);
    return due;
  }

  /** The time when the next request is due. Undefined if none is scheduled. */
  pollTimeoutNs(): number | undefined {
    if (this.#scheduled.length === 0) return undefined;
    return this.#scheduled.reduce((first, {atNs}) => Math.min(first, atNs), Number.POSITIVE_INFINITY);
  }

  /** Whether no request is scheduled. */
  get isIdle(): boolean {
    return this.#scheduled.length === 0;
  }

  /** Whether the load event waits, because a request will be made that no timer delays. */
  get holdsUpLoad(): boolean {
    return this.#scheduled.some(({isTimer}) => !isTimer);
  }

  /**
   * The time when this load made each insertion of the recording. Null if the cause of the insertion has not happened.
   */
  get insertedNs(): readonly (number | null)[] {
    return this.#insertedNs;
  }

  #causedBy(cause: RecordedCause): Caused {
    const key = keyOf(cause);
    const known = this.#caused.get(key);
    if (known !== undefined) return known;
    const made: Caused = {requests: [], insertions: []};
    this.#caused.set(key, made);
    return made;
  }
}

/** A request that will be made. */
export interface Scheduled extends Pick<RecordedRequest, 'object' | 'type' | 'priority'> {
  readonly atNs: number;
  /** Whether a timer of the page delays it. */
  readonly isTimer: boolean;
}

interface Caused {
  readonly requests: RecordedRequest[];
  /** Indexes of insertions in the recording. */
  readonly insertions: number[];
}

function keyOf(cause: RecordedCause): string {
  if (cause.by === 'inline') return `inline ${cause.script}`;
  return cause.by === 'load' ? cause.event : `${cause.by} ${cause.object}`;
}

/**
 * Returns the keys of the causes that happen. The HTML or a style sheet may name objects that our own reader does not
 * find there. The load finds these objects when all of the HTML or of the style sheet has arrived.
 */
function keysOf(happening: Happening): readonly string[] {
  switch (happening.type) {
    case 'done':
      return [`html ${happening.object}`, `style ${happening.object}`, `data ${happening.object}`];
    case 'runs':
      return [`script ${happening.object}`];
    case 'runs inline':
      return [`inline ${happening.script}`];
    case 'event':
      return [happening.event];
  }
}
