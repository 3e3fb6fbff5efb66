import {showName} from '../../app/base/text.ts';
import type {PageStamp} from '../../app/page/page.ts';
import {program} from '../files/program.ts';

/** A line for standard error: nothing in it does anything to a terminal, and it ends, with the reason. */
export function outLine(message: string): string {
  const isLong = message.length > LONGEST_LINE;
  const shown = isLong ? `${message.slice(0, LONGEST_LINE / 2)}…${message.slice(-LONGEST_LINE / 2)}` : message;
  return `interleave: ${showName(shown, LONGEST_LINE + 1)}\n`;
}

/** On standard error: what is printed, saved or shown is not of the whole page. */
export function tellLeftOut({leftOut}: PageStamp): void {
  for (const line of leftOut) process.stderr.write(outLine(`not all of the page is loaded: ${line}`));
}

/** The first line of what is told in JSON, an object a line: it says which program tells it. */
export function firstLine(told: object): string {
  return `${JSON.stringify({program: program(), ...told})}\n`;
}

/**
 * As JSON.stringify, which leaves some of what a terminal obeys as it is. An object, which a list is not, says which program
 * wrote it.
 */
export function json(value: object): string {
  const text = JSON.stringify(Array.isArray(value) ? value : {program: program(), ...value}, null, 1);
  const escaped = text.replace(/(?!\n)\p{Cc}/gu, character => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
  return `${escaped}\n`;
}

/** Characters: a command line with its reason. */
const LONGEST_LINE = 1000;
