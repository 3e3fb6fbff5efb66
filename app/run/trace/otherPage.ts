import {showName} from '../../base/text.ts';
import type {PageSnapshot} from '../../page/page.ts';
import type {FilePane} from './joinRuns.ts';

/**
 * An error for people if the page that was found differs from the page of a trace file's run. Undefined if it is the
 * same, or if the file does not name its page.
 */
export function otherPage(
  {file, page}: Pick<FilePane, 'file' | 'page'>,
  {name, hash}: Pick<PageSnapshot, 'name' | 'hash'>,
): string | undefined {
  if (page === undefined || page.hash === hash) return undefined;
  const hashes = `${page.hash.slice(0, 12)}…, and is ${hash.slice(0, 12)}…`;
  return `the page ${showName(name, LONGEST_NAME)} is not the one that ${showName(file, LONGEST_NAME)} is of: its hash was ${hashes}`;
}

/** In a message, a name is cut to this many characters. */
const LONGEST_NAME = 80;
