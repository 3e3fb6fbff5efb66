import {showName} from '../../app/base/text.ts';
import type {PageStamp} from '../../app/page/page.ts';
import {program} from '../files/program.ts';

/** A line for standard error. Control characters are escaped. If the line is too long, its middle is left out. */
export function outLine(message: string): string {
  const isLong = message.length > LONGEST_LINE;
  const shown = isLong ? `${message.slice(0, LONGEST_LINE / 2)}…${message.slice(-LONGEST_LINE / 2)}` : message;
  return `interleave: ${showName(shown, LONGEST_LINE + 1)}\n`;
}

/** Says on standard error which parts of the page are not loaded. */
export function tellLeftOut({leftOut}: PageStamp): void {
  for (const line of leftOut) process.stderr.write(outLine(`not all of the page is loaded: ${line}`));
}

/** The first line of an output that has one JSON object per line. It names the program. */
export function firstLine(told: object): string {
  return `${JSON.stringify({program: program(), ...told})}\n`;
}

/**
 * JSON in which every control character is escaped, even those that JSON.stringify does not escape. If `value` is an
 * object, the JSON also names the program.
 */
export function json(value: object): string {
  const text = JSON.stringify(Array.isArray(value) ? value : {program: program(), ...value}, null, 1);
  const escaped = text.replace(/(?!\n)\p{Cc}/gu, character => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
  return `${escaped}\n`;
}

/** Most characters of a line: enough for a long argument and what is wrong with it. */
const LONGEST_LINE = 1000;
