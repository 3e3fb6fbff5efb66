import {TagContexts} from '../../page/tagContexts.ts';
import type {ResponseEvent} from '../exchange.ts';
import {ResponseParser} from '../response.ts';
import type {Frame} from './datagramFrame.ts';

/** Converts the frames of one response into events. */
export interface Receiver {
  /** Handles a frame that has not arrived before. Returns the events that can now be reported. */
  take(frame: Frame): readonly ResponseEvent[];
  /** Returns whether a frame that has arrived cannot be used yet. */
  isWaiting(index: number): boolean;
}

/** Puts the frames of a response in sequence and parses them as HTTP/1.1. */
export class SequenceReceiver implements Receiver {
  readonly #parser = new ResponseParser();
  readonly #waiting = new Map<number, Uint8Array>();
  #next = 0;

  take({index, payload}: Frame): readonly ResponseEvent[] {
    // The network reuses the payload's memory.
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

/**
 * A {@link SequenceReceiver} for HTML. The content of an element is reported as shown when the end tag of the element
 * arrives (C03 §2; {@link TagContexts} has the exceptions).
 */
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
