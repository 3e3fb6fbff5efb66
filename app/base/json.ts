import {messageOf, showName} from './text.ts';

/** A JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | {readonly [key: string]: Json};

/** The value of a JSON text, or one line that states why the text could not be read. */
export type ReadJson = {readonly ok: true; readonly value: Json} | {readonly ok: false; readonly message: string};

/**
 * Reads a JSON text. A leading byte order mark is ignored (RFC 8259 §8.1), because some editors on Windows write one.
 */
export function readJson(text: string): ReadJson {
  if (nestingOf(text) > DEEPEST) return {ok: false, message: `nested more than ${DEEPEST} deep`};
  try {
    return {ok: true, value: JSON.parse(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text) as Json};
  } catch (error) {
    const message = messageOf(error);
    return {ok: false, message: `not JSON: ${showName(message.replaceAll(/\s+/g, ' '), 120)}`};
  }
}

/**
 * Returns how deeply a JSON text nests lists and objects. Parsers recurse once for each level, so the depth must be
 * limited.
 */
function nestingOf(text: string): number {
  let [depth, deepest, isString] = [0, 0, false];
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '"') isString = !isString;
    else if (isString) at += character === '\\' ? 1 : 0;
    else if (character === '[' || character === '{') deepest = Math.max(deepest, ++depth);
    else if (character === ']' || character === '}') depth -= 1;
  }
  return deepest;
}

/** The deepest nesting that is accepted. Our documents need far less: a scenario nests seven levels. */
export const DEEPEST = 100;
const BYTE_ORDER_MARK = '\ufeff';
