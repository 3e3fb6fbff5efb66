import {showName} from '../../app/base/text.ts';
import type {PageStamp} from '../../app/page/page.ts';
import {program} from '../files/program.ts';

/** A line for standard error. Control characters are escaped; of a long one the middle is left out. */
export function outLine(message: string): string {
  const isLong = message.length > LONGEST_LINE;
  const shown = isLong ? `${message.slice(0, LONGEST_LINE / 2)}…${message.slice(-LONGEST_LINE / 2)}` : message;
  return `interleave: ${showName(shown, LONGEST_LINE + 1)}\n`;
}

/** Says on standard error which parts of the page are not loaded. */
export function tellLeftOut({leftOut}: PageStamp): void {
  for (const line of leftOut) process.stderr.write(outLine(`not all of the page is loaded: ${line}`));
}

/** The first line of an output that has one JSON object a line. It names the program. */
export function firstLine(told: object): string {
  return `${JSON.stringify({program: program(), ...told})}\n`;
}

/** JSON with every control character escaped, also those that JSON.stringify leaves. An object names the program. */
export function json(value: object): string {
  const text = JSON.stringify(Array.isArray(value) ? value : {program: program(), ...value}, null, 1);
  const escaped = text.replace(/(?!\n)\p{Cc}/gu, character => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
  return `${escaped}\n`;
}

/** Characters. A long argument and what is wrong with it fit. */
const LONGEST_LINE = 1000;
