import type {PageStamp} from '../../app/page/page.ts';
import {showName} from '../../app/scenario/show.ts';

/** A line for standard error: nothing in it does anything to a terminal, and no name in it is endless. */
export function outLine(message: string): string {
  return `interleave: ${showName(message, LONGEST_LINE)}\n`;
}

/** On standard error: what is printed, saved or shown is not of the whole page. */
export function tellLeftOut({leftOut}: PageStamp): void {
  for (const line of leftOut) process.stderr.write(outLine(`not all of the page is loaded: ${line}`));
}

/** As JSON.stringify, which leaves some of what a terminal obeys as it is. */
export function json(value: unknown): string {
  const text = JSON.stringify(value, null, 1);
  const escaped = text.replace(/(?!\n)\p{Cc}/gu, character => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
  return `${escaped}\n`;
}

/** Characters: a command line with its reason. */
const LONGEST_LINE = 1000;
