import type {ResponseEvent} from './exchange.ts';
import type {Field} from './hpack/field.ts';
import {checkTrailers, MessageError, responseFields} from './messageRules.ts';

/** Reads one response from its stream, in HTTP/2 or HTTP/3. */
export class ResponseReader {
  readonly #onEvent: (event: ResponseEvent) => void;
  /** Size of the body according to the head. It is undefined until the head has arrived. */
  #bodyBytes: number | undefined;
  #left = 0;
  /** Whether the response has been reported as bad. No further event is reported after that. */
  #isBad = false;

  constructor(onEvent: (event: ResponseEvent) => void) {
    this.#onEvent = onEvent;
  }

  /** Whether the head has arrived, so that further fields are trailers. */
  get hasHead(): boolean {
    return this.#bodyBytes !== undefined;
  }

  /** Handles the fields of an interim response, a head or trailers. @throws MessageError */
  handleFields(fields: readonly Field[], isEnd: boolean): void {
    if (this.#bodyBytes !== undefined) checkTrailers(fields, isEnd);
    else this.#handleHead(fields, isEnd);
    if (isEnd) this.handleEnd();
  }

  /** Handles the next bytes of the body. @throws MessageError */
  handleData(bytes: Uint8Array): void {
    if (this.#bodyBytes === undefined) throw new MessageError('DATA before the head');
    this.#left -= bytes.length;
    if (this.#left < 0) throw new MessageError('the body is longer than its content-length');
    if (bytes.length > 0) this.#report({type: 'body', bytes});
  }

  /**
   * Handles the end of the response. @throws MessageError if the response is incomplete (RFC 9113 §8.1.1, RFC 9114
   * §4.1.2)
   */
  handleEnd(): void {
    if (this.#bodyBytes === undefined) throw new MessageError('the message is incomplete: its head is missing');
    if (this.#left > 0)
      throw new MessageError(`the message is incomplete: ${this.#left} bytes of its body are missing`);
    this.#report({type: 'end'});
  }

  handleGone(reason: string): void {
    this.#report({type: 'gone', reason});
  }

  #handleHead(fields: readonly Field[], isEnd: boolean): void {
    const head = responseFields(fields);
    const status = Number(head.get(':status'));
    if (status < 200) {
      // An interim response (RFC 9113 §8.1, RFC 9114 §4.1).
      if (isEnd) throw new MessageError(`interim response ${status} with END_STREAM`);
      return;
    }
    const length = head.get('content-length');
    if (length === undefined || !/^\d{1,12}$/.test(length)) {
      this.#report({type: 'bad', failure: {kind: 'malformed', what: 'Content-Length'}});
      this.#isBad = true;
      throw new MessageError('content-length is missing or invalid');
    }
    this.#bodyBytes = Number(length);
    this.#left = this.#bodyBytes;
    const failure = status === 200 ? null : ({kind: 'status', status} as const);
    this.#report({type: 'head', status, bodyBytes: this.#bodyBytes, failure});
  }

  #report(event: ResponseEvent): void {
    if (!this.#isBad) this.#onEvent(event);
  }
}
