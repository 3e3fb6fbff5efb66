import {TagContexts} from '../../page/tagContexts.ts';
import type {ResponseEvent} from '../exchange.ts';
import {ResponseParser} from '../response.ts';
import type {Frame} from './datagramFrame.ts';

/** Turns the frames of one response into events. */
export interface Receiver {
  /** Takes a frame that has not arrived before. Returns the events that it makes possible. */
  take(frame: Frame): readonly ResponseEvent[];
  /** Whether a frame that has arrived cannot be used yet. */
  isWaiting(index: number): boolean;
}

/** Orders the frames and reports the bytes of HTTP/1.1 in sequence. */
export class SequenceReceiver implements Receiver {
  readonly #parser = new ResponseParser();
  readonly #waiting = new Map<number, Uint8Array>();
  #next = 0;

  take({index, payload}: Frame): readonly ResponseEvent[] {
    // The network uses the payload's memory again.
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

/** Like {@link SequenceReceiver}, for HTML that a browser shows once the surrounding tags are complete (C03 §2). */
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
