import {showName} from '../../app/base/text.ts';
import type {PageStamp} from '../../app/page/page.ts';
import {program} from '../files/program.ts';

/**
 * Formats a line for standard error: escapes control characters, and cuts out the middle of a line that is too long.
 */
export function outLine(message: string): string {
  const isLong = message.length > LONGEST_LINE;
  const shown = isLong ? `${message.slice(0, LONGEST_LINE / 2)}…${message.slice(-LONGEST_LINE / 2)}` : message;
  return `interleave: ${showName(shown, LONGEST_LINE + 1)}\n`;
}

/** Prints on standard error which parts of the page are not loaded. */
export function printLeftOut({leftOut}: PageStamp): void {
  for (const line of leftOut) process.stderr.write(outLine(`not all of the page is loaded: ${line}`));
}

/** Returns the first line of an output that has one JSON object per line: `first`, with the program's name. */
export function firstLine(first: object): string {
  return `${JSON.stringify({program: program(), ...first})}\n`;
}

/**
 * Encodes `value` as JSON. Control characters that JSON.stringify does not escape are escaped too. If `value` is not an
 * array, the JSON also names the program.
 */
export function json(value: object): string {
  const text = JSON.stringify(Array.isArray(value) ? value : {program: program(), ...value}, null, 1);
  const escaped = text.replace(/(?!\n)\p{Cc}/gu, character => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
  return `${escaped}\n`;
}

/** The maximum number of characters of a line. It leaves room for a long argument and the reason why it is wrong. */
const LONGEST_LINE = 1000;
