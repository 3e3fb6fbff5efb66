import {firstAbove} from '../base/order.ts';

/** Records the objects to which an endpoint's writes belong, so that packets can be attributed to objects. */
export interface WriteLog {
  /** Adds the next write on a stream. `object` is null if the write belongs to no object. */
  add(stream: number, bytes: number, object: number | null): void;
  /** Returns the pieces of a chunk's data that belong to objects. Data that belongs to no object is left out. */
  piecesOf(chunk: WrittenData): readonly WrittenPiece[];
}

export interface WrittenData {
  /** See `ChunkColumns.first`. */
  readonly first: number;
  readonly bytes: number;
  readonly stream: number;
  /** SCTP: number of the message in its stream. UDP: number of the datagram. TCP and QUIC: 0. */
  readonly message: number;
}

interface WrittenPiece {
  readonly object: number;
  readonly bytes: number;
}

/** Attributes data by byte range, on a connection with one stream. */
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

/** Attributes data by stream and byte range. */
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

/** Attributes data by stream and message. */
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

/** Attributes data by the number of the datagram, which the network counts from 0. */
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
