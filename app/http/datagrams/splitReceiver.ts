import {joinedBytes} from '../buffers.ts';
import type {ResponseEvent} from '../exchange.ts';
import {HeadReader} from '../head.ts';
import {ResponseParser} from '../response.ts';
import type {Frame} from './datagramFrame.ts';
import {type Piece, readPieces} from './htmlFramePieces.ts';
import {type Receiver, SequenceReceiver} from './receiver.ts';

/**
 * Reassembles the frames of `splitResponse`. A complete abstract contains all tags of the HTML, and thus the addresses
 * in these tags. Data frames contain the texts between the tags. They are shown in the order of their arrival once the
 * abstract is complete. The frames of a response without an abstract are put in sequence.
 */
export class SplitReceiver implements Receiver {
  readonly #sequence = new SequenceReceiver();
  readonly #abstract = new Map<number, Uint8Array>();
  /** Data frames that arrived before the abstract was complete. */
  #early = new Map<number, Uint8Array>();
  #isSplit = false;
  /** Size of the body. It is null until the abstract is complete. */
  #bodyBytes: number | null = null;
  #shownBytes = 0;

  take(frame: Frame): readonly ResponseEvent[] {
    const {index, payload, abstractFrames} = frame;
    this.#isSplit = abstractFrames > 0;
    if (!this.#isSplit) return this.#sequence.take(frame);
    if (index < abstractFrames) {
      // The network reuses the payload's memory.
      this.#abstract.set(index, payload.slice());
      return this.#abstract.size === abstractFrames ? this.#completeAbstract(abstractFrames) : [];
    }
    if (this.#bodyBytes !== null) return this.#show(payload, this.#bodyBytes);
    this.#early.set(index, payload.slice());
    return [];
  }

  isWaiting(index: number): boolean {
    return this.#isSplit ? this.#bodyBytes === null : this.#sequence.isWaiting(index);
  }

  #completeAbstract(abstractFrames: number): readonly ResponseEvent[] {
    const abstract = joinedBytes(Array.from({length: abstractFrames}, (_, i) => this.#abstract.get(i) ?? NOTHING));
    const headBytes = new HeadReader().appendHead(abstract);
    const events: ResponseEvent[] = [];
    for (const event of new ResponseParser().push(abstract.subarray(0, headBytes))) {
      if (event.type === 'head') this.#bodyBytes = event.bodyBytes;
      if (event.type !== 'surplus') events.push(event);
    }
    const bodyBytes = this.#bodyBytes ?? 0;
    this.#bodyBytes = bodyBytes;
    const tags = readPieces(abstract.subarray(headBytes), bodyBytes);
    events.push({type: 'read', bytes: joinedBytes(tags.map(({bytes}) => bytes))});
    events.push(...this.#shown(tags, bodyBytes));
    const early = this.#early;
    this.#early = new Map();
    for (const payload of early.values()) events.push(...this.#show(payload, bodyBytes));
    return events;
  }

  #show(payload: Uint8Array, bodyBytes: number): readonly ResponseEvent[] {
    return this.#shown(readPieces(payload, bodyBytes), bodyBytes);
  }

  /**
   * Reports pieces as shown, up to the body's size in total. The limit guards against a server that sends a piece
   * twice.
   */
  #shown(pieces: readonly Piece[], bodyBytes: number): readonly ResponseEvent[] {
    const events: ResponseEvent[] = [];
    for (const {first, bytes} of pieces) {
      if (this.#shownBytes + bytes.length > bodyBytes) break;
      this.#shownBytes += bytes.length;
      events.push({type: 'shown', first, bytes: bytes.length});
    }
    if (events.length > 0 && this.#shownBytes === bodyBytes) events.push({type: 'end'});
    return events;
  }
}

const NOTHING = new Uint8Array(0);
