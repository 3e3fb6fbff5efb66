/**
 * How a server answers over HTTP/2 if each request has a handler in a thread of its own, as in Go (net/http,
 * h2_bundle.go). The handler queues the head or a part of the body, waits until all of it is written (`writeHeaders`,
 * `writeDataFromHandler`), and only then prepares what follows. The connection writes one of the queued frames at a
 * time (`scheduleFrameWrite`).
 */
export interface HandlerRules {
  /** The time from the end of the think time of a request until the head of the response is queued. */
  readonly headNs: number;
  /** The time from when the head or a part is completely written until the handler has queued what follows. */
  readonly nextNs: number;
  /** The time that the connection needs to write a frame, if there is room for it. */
  readonly writeNs: number;
  /** The size of the parts that a handler copies and queues (`io.Copy`). */
  readonly copyBytes: number;
  /**
   * The size of the response's buffer (`http2handlerChunkWriteSize`). A last part that fits into it is written with the
   * end of the stream. After a larger last part, the end is an empty frame, which waits for a turn of its own.
   */
  readonly keptBytes: number;
}

/** The frame that a handler has queued. */
export interface QueuedFrame {
  readonly isHead: boolean;
  /** The largest number of bytes of the body that the frame can have. It is 0 for heads and empty frames. */
  readonly mostBytes: number;
}

/** The handlers of a connection, by stream. */
export class Handlers {
  readonly #rules: HandlerRules;
  readonly #handlers = new Map<number, Handler>();
  /** The last write of a frame. It is undefined once {@link Handlers.canWrite} has noticed that the write has ended. */
  #writing: {readonly stream: number; readonly untilNs: number} | undefined;

  constructor(rules: HandlerRules) {
    this.#rules = rules;
  }

  /** Starts the handler of a request. */
  start(stream: number, bodyBytes: number, nowNs: number): void {
    const queuedNs = nowNs + this.#rules.headNs;
    this.#handlers.set(stream, {isHead: true, bodyBytes, left: bodyBytes, partLeft: 0, queuedNs});
  }

  forget(stream: number): void {
    this.#handlers.delete(stream);
  }

  forgetAll(): void {
    this.#handlers.clear();
    this.#writing = undefined;
  }

  /**
   * Returns whether the last write has ended, so that a frame can be written now. Call it only if the send buffer has
   * room, because a write ends only if there is room. The handler that waited for the write then continues.
   */
  canWrite(nowNs: number): boolean {
    if (this.#writing === undefined) return true;
    const {stream, untilNs} = this.#writing;
    if (untilNs > nowNs) return false;
    const handler = this.#handlers.get(stream);
    if (handler?.queuedNs === NOT_QUEUED) handler.queuedNs = nowNs + this.#rules.nextNs;
    this.#writing = undefined;
    return true;
  }

  /** Returns the frame that the handler of a stream has queued, or undefined if it has queued none. */
  queued(stream: number, nowNs: number): QueuedFrame | undefined {
    const handler = this.#handlers.get(stream);
    if (handler === undefined || handler.queuedNs > nowNs) return undefined;
    return {isHead: handler.isHead, mostBytes: handler.partLeft};
  }

  /**
   * Called when a stream's queued frame is written, with `bytes` bytes of the response's body. Returns whether the
   * frame ends the stream.
   */
  handleWritten(stream: number, bytes: number, nowNs: number): boolean {
    this.#writing = {stream, untilNs: nowNs + this.#rules.writeNs};
    const handler = this.#handlers.get(stream);
    if (handler === undefined) return false;
    handler.left -= bytes;
    handler.partLeft -= bytes;
    if (handler.partLeft > 0) return false;
    const {copyBytes, keptBytes} = this.#rules;
    const isKept = (handler.bodyBytes - 1) % copyBytes < keptBytes;
    const isEnd = handler.left === 0 && (bytes === 0 || isKept);
    if (isEnd) this.#handlers.delete(stream);
    handler.isHead = false;
    handler.partLeft = Math.min(handler.left, copyBytes);
    handler.queuedNs = NOT_QUEUED;
    return isEnd;
  }

  /** Returns the next time at which a frame can be written, or undefined if that time depends on other events. */
  pollTimeoutNs(nowNs: number): number | undefined {
    const times =
      this.#writing === undefined
        ? Array.from(this.#handlers.values(), ({queuedNs}) => queuedNs)
        : [this.#writing.untilNs];
    const nextNs = Math.min(...times.filter(atNs => atNs > nowNs));
    return nextNs === NOT_QUEUED ? undefined : nextNs;
  }
}

interface Handler {
  isHead: boolean;
  readonly bodyBytes: number;
  /** The number of bytes of the body that are not written. */
  left: number;
  /** The number of bytes of the queued part that are not written. */
  partLeft: number;
  /** The time at which the next frame is queued. It is {@link NOT_QUEUED} until the frame before it is written. */
  queuedNs: number;
}

const NOT_QUEUED = Number.POSITIVE_INFINITY;
