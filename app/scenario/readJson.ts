import type {Json} from './document.ts';
import {showName} from './show.ts';

/** What a text holds, or why it is not JSON, in one line. */
export type ReadJson =
  | {readonly ok: true; readonly value: Json}
  | {readonly ok: false; readonly message: string};

/** A document's text. A byte order mark is no part of it (RFC 8259 §8.1): editors on Windows write one. */
export function readJson(text: string): ReadJson {
  try {
    return {ok: true, value: JSON.parse(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text) as Json};
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return {ok: false, message: showName(message.replaceAll(/\s+/g, ' '), 120)};
  }
}

const BYTE_ORDER_MARK = '\ufeff';
