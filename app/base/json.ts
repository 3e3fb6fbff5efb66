import {messageOf, showName} from './text.ts';

/** A JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | {readonly [key: string]: Json};

/** What a text holds, or why it is not read as JSON, in one line. */
export type ReadJson = {readonly ok: true; readonly value: Json} | {readonly ok: false; readonly message: string};

/** A document's text. A byte order mark is no part of it (RFC 8259 §8.1): editors on Windows write one. */
export function readJson(text: string): ReadJson {
  if (nestingOf(text) > DEEPEST) return {ok: false, message: `nested more than ${DEEPEST} deep`};
  try {
    return {ok: true, value: JSON.parse(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text) as Json};
  } catch (error) {
    const message = messageOf(error);
    return {ok: false, message: `not JSON: ${showName(message.replaceAll(/\s+/g, ' '), 120)}`};
  }
}

/** How deep lists and objects of a JSON text are in each other: what reads them takes a step of the stack for each. */
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

/** A scenario has six. */
const DEEPEST = 100;
const BYTE_ORDER_MARK = '\ufeff';
