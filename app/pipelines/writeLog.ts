import {firstAbove} from '../base/order.ts';

/** Remembers what an endpoint wrote for which object, and so knows whose the data in a packet is. */
export interface WriteLog {
  /** Adds the next write on a stream; null is of no object. */
  add(stream: number, bytes: number, object: number | null): void;
  /** The objects of one chunk's data. */
  piecesOf(chunk: WrittenData): readonly WrittenPiece[];
}

export interface WrittenData {
  /** As `ChunkColumns.first`. */
  readonly first: number;
  readonly bytes: number;
  readonly stream: number;
  /** Number of the message in its stream, where there are messages. */
  readonly message: number;
}

interface WrittenPiece {
  readonly object: number;
  readonly bytes: number;
}

/** By the range of bytes, on a connection of one stream. */
export class ByteLog implements WriteLog {
  readonly #ends: number[] = [];
  readonly #objects: (number | null)[] = [];

  add(_stream: number, bytes: number, object: number | null): void {
    const last = this.#objects.length - 1;
    const end = (this.#ends[last] ?? 0) + bytes;
    if (this.#objects[last] === object) this.#ends[last] = end;
    else {
      this.#ends.push(end);
      this.#objects.push(object);
    }
  }

  piecesOf({first, bytes}: WrittenData): readonly WrittenPiece[] {
    const pieces: WrittenPiece[] = [];
    let at = first;
    for (let i = firstAbove(this.#ends, first); i < this.#ends.length && at < first + bytes; i++) {
      const end = Math.min(this.#ends[i] ?? 0, first + bytes);
      const object = this.#objects[i] ?? null;
      if (object !== null) pieces.push({object, bytes: end - at});
      at = end;
    }
    return pieces;
  }
}

/** By stream, and the range of bytes in it. */
export class StreamLog implements WriteLog {
  readonly #streams = new Map<number, ByteLog>();

  add(stream: number, bytes: number, object: number | null): void {
    let log = this.#streams.get(stream);
    if (log === undefined) {
      log = new ByteLog();
      this.#streams.set(stream, log);
    }
    log.add(stream, bytes, object);
  }

  piecesOf(data: WrittenData): readonly WrittenPiece[] {
    return this.#streams.get(data.stream)?.piecesOf(data) ?? [];
  }
}

/** By stream and message. */
export class MessageLog implements WriteLog {
  readonly #streams = new Map<number, (number | null)[]>();

  add(stream: number, _bytes: number, object: number | null): void {
    const messages = this.#streams.get(stream);
    if (messages === undefined) this.#streams.set(stream, [object]);
    else messages.push(object);
  }

  piecesOf({stream, message, bytes}: WrittenData): readonly WrittenPiece[] {
    const object = this.#streams.get(stream)?.[message];
    return object === undefined || object === null ? [] : [{object, bytes}];
  }
}

/** By the number of the datagram, which its network counts from 0. */
export class DatagramLog implements WriteLog {
  readonly #objects: (number | null)[] = [];

  add(_stream: number, _bytes: number, object: number | null): void {
    this.#objects.push(object);
  }

  piecesOf({message, bytes}: WrittenData): readonly WrittenPiece[] {
    const object = this.#objects[message] ?? null;
    return object === null ? [] : [{object, bytes}];
  }
}
