import type {DecodedSection, QpackDecoder} from '../qpack/qpackDecoder.ts';
import {H3ConnectionError, unexpected} from './h3Error.ts';
import {FRAME, type FramePart, H3FrameReader} from './h3Frame.ts';
import type {H3PeerOwner} from './h3Peer.ts';

/**
 * Reads one direction of a request stream (RFC 9114 §4.1). If a field section refers to entries of the dynamic table
 * that have not arrived, this section and all later frames of the stream wait for them.
 */
export class MessageReader {
  readonly #stream: number;
  readonly #owner: H3PeerOwner;
  readonly #qpack: QpackDecoder;
  readonly #frames: H3FrameReader;
  #hasHead = false;
  /** Whether fields have arrived after a body. These are trailers. No HEADERS or DATA may follow (RFC 9114 §4.1). */
  #hasTrailers = false;
  #hasBody = false;
  #isGivenUp = false;
  /** The blocked field section and the parts after it, or undefined if no section is blocked. */
  #waiting: FramePart[] | undefined;
  #waitingBytes = 0;
  #isFinished = false;

  constructor(stream: number, owner: H3PeerOwner, qpack: QpackDecoder, mostFieldsBytes: number) {
    this.#stream = stream;
    this.#owner = owner;
    this.#qpack = qpack;
    this.#frames = new H3FrameReader(mostFieldsBytes);
  }

  /** Number of bytes that wait for the rest of a frame, or for an entry of the dynamic table. */
  get heldBytes(): number {
    return this.#frames.heldBytes + this.#waitingBytes;
  }

  /** Whether the stream has ended and everything on it was reported or given up. */
  get isDone(): boolean {
    return this.#isFinished && this.#waiting === undefined;
  }

  read(bytes: Uint8Array): void {
    if (this.#isGivenUp) return;
    for (const part of this.#frames.read(bytes)) {
      if (this.#waiting === undefined) this.#handle(part);
      else this.#wait(part);
      if (this.#isGivenUp) return;
    }
  }

  /** Called when all bytes of the stream have arrived. */
  end(): void {
    this.#isFinished = true;
    if (this.#isGivenUp) return;
    // A stream must not end inside a frame (RFC 9114 §7.1).
    if (!this.#frames.isAtBorder)
      throw new H3ConnectionError('H3_FRAME_ERROR', `stream ${this.#stream} ends inside a frame`);
    if (this.#waiting === undefined) this.#owner.handleEnd(this.#stream);
  }

  /** Called when the section that was blocked can be decoded. */
  resume(): void {
    const parts = this.#waiting ?? [];
    this.#waiting = undefined;
    this.#waitingBytes = 0;
    for (const [i, part] of parts.entries()) {
      this.#handle(part);
      if (this.#isGivenUp) return;
      if (this.#waiting !== undefined) {
        // A later section, such as the trailers, is blocked as well.
        for (const later of parts.slice(i + 1)) this.#wait(later);
        return;
      }
    }
    if (this.#isFinished) this.#owner.handleEnd(this.#stream);
  }

  /** Called when the peer has reset the stream. */
  reset(): void {
    if (!this.#isGivenUp) this.#qpack.cancel(this.#stream);
    this.#isGivenUp = true;
  }

  #wait(part: FramePart): void {
    const kept = keptPart(part);
    this.#waiting ??= [];
    this.#waiting.push(kept);
    this.#waitingBytes += bytesOf(kept);
  }

  #handle(part: FramePart): void {
    if (part.kind === 'data') this.#owner.handleData(this.#stream, part.bytes);
    else if (part.kind === 'data-head') {
      if (!this.#hasHead || this.#hasTrailers) throw unexpected(FRAME.data);
      this.#hasBody = true;
    } else if (part.kind === 'excessive') this.#giveUp();
    else if (part.type !== FRAME.headers) throw unexpected(part.type);
    else {
      if (this.#hasTrailers) throw unexpected(FRAME.headers);
      const section = this.#qpack.decode(this.#stream, part.payload);
      if (section.state === 'blocked') this.#wait(part);
      else this.#handleSection(section);
    }
  }

  #handleSection(section: Exclude<DecodedSection, {state: 'blocked'}>): void {
    this.#hasTrailers = this.#hasBody;
    this.#hasHead = true;
    if (section.state === 'too-large') this.#giveUp();
    else this.#owner.handleFields(this.#stream, section.fields);
  }

  #giveUp(): void {
    this.#isGivenUp = true;
    this.#qpack.cancel(this.#stream);
    this.#owner.handleBadStream(this.#stream, 'H3_EXCESSIVE_LOAD');
  }
}

/** Copies the bytes of a part, because they are valid only until the next bytes arrive. */
function keptPart(part: FramePart): FramePart {
  if (part.kind === 'data') return {...part, bytes: part.bytes.slice()};
  return part.kind === 'frame' ? {...part, payload: part.payload.slice()} : part;
}

function bytesOf(part: FramePart): number {
  if (part.kind === 'data') return part.bytes.length;
  return part.kind === 'frame' ? part.payload.length : 0;
}
