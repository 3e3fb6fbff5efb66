import {TagContexts} from '../../page/tagContexts.ts';
import type {ResponseEvent} from '../exchange.ts';
import {ResponseParser} from '../response.ts';
import type {Frame} from './frame.ts';

/** What a client makes of one response's frames. */
export interface Receiver {
  /** Takes a frame that has not come before; gives what it lets be told. */
  take(frame: Frame): readonly ResponseEvent[];
  /** Whether a frame that came is of no use yet. */
  isWaiting(index: number): boolean;
}

/** Puts frames in sequence: HTTP/1.1's bytes, handed over as they are in order. */
export class SequenceReceiver implements Receiver {
  readonly #parser = new ResponseParser();
  readonly #waiting = new Map<number, Uint8Array>();
  #next = 0;

  take({index, payload}: Frame): readonly ResponseEvent[] {
    // its memory is the network's
    this.#waiting.set(index, index === this.#next ? payload : payload.slice());
    const events: ResponseEvent[] = [];
    for (let next = this.#takeNext(); next !== undefined; next = this.#takeNext()) {
      for (const event of this.#parser.push(next)) {
        const {type} = event;
        events.push(type === 'surplus' ? {type: 'bad', failure: {kind: 'surplus', bytes: event.bytes}} : event);
      }
    }
    return events;
  }

  isWaiting(index: number): boolean {
    return index >= this.#next;
  }

  #takeNext(): Uint8Array | undefined {
    const next = this.#waiting.get(this.#next);
    if (next !== undefined) this.#waiting.delete(this.#next++);
    return next;
  }
}

/** As {@link SequenceReceiver}, of HTML that a browser shows as soon as the tags around it are complete (C03 §2). */
export class MatchingReceiver implements Receiver {
  readonly #sequence = new SequenceReceiver();
  readonly #contexts = new TagContexts();
  #bytes = 0;

  take(frame: Frame): readonly ResponseEvent[] {
    return this.#sequence.take(frame).flatMap(event => this.#shown(event));
  }

  isWaiting(index: number): boolean {
    return this.#sequence.isWaiting(index);
  }

  #shown(event: ResponseEvent): readonly ResponseEvent[] {
    if (event.type === 'end') return [...this.#contexts.end(this.#bytes).map(shown), event];
    if (event.type !== 'body') return [event];
    this.#bytes += event.bytes.length;
    const ranges = this.#contexts.push(event.bytes);
    return [{type: 'read', bytes: event.bytes}, ...ranges.map(shown)];
  }
}

function shown({first, end}: {readonly first: number; readonly end: number}): ResponseEvent {
  return {type: 'shown', first, bytes: end - first};
}
