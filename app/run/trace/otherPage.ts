import {showName} from '../../base/text.ts';
import type {PageSnapshot} from '../../page/page.ts';
import type {FilePane} from './joinRuns.ts';

/**
 * What is wrong with the page that is found where a trace file's run had its own, for people; undefined if it is that
 * one, or the file does not say.
 */
export function otherPage(
  {file, page}: Pick<FilePane, 'file' | 'page'>,
  {name, hash}: Pick<PageSnapshot, 'name' | 'hash'>,
): string | undefined {
  if (page === undefined || page.hash === hash) return undefined;
  const hashes = `${page.hash.slice(0, 12)}…, and is ${hash.slice(0, 12)}…`;
  return `the page ${showName(name, LONGEST_NAME)} is not the one that ${showName(file, LONGEST_NAME)} is of: its hash was ${hashes}`;
}

/** Characters of a name in a message. */
const LONGEST_NAME = 80;
