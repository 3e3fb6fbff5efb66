import {spawnSync} from 'node:child_process';
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {root} from '../../main/setup/command.mjs';

/** A fenced block of a document. */
export interface Fenced {
  readonly language: string;
  /**
   * The text after the language: a word that says why tests do not run the block (`network`), or the path of the file
   * that contains the text of the block. Empty if there is none.
   */
  readonly mark: string;
  readonly text: string;
  /** The line of the opening fence, from 1. */
  readonly line: number;
}

/** The paths of all documents in the repository, relative to its root. */
export function documents(): readonly string[] {
  // the list includes new files that are not added to git yet
  const args = ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'];
  const {stdout} = spawnSync('git', args, {cwd: root, encoding: 'utf8'});
  return stdout.split('\n').filter(path => path !== '');
}

export function textOf(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

export function fencedBlocks(text: string): readonly Fenced[] {
  const blocks: Fenced[] = [];
  for (const match of text.matchAll(/^```([\w-]*) ?(.*)\n([\s\S]*?)^```$/gm)) {
    const [, language = '', mark = '', inside = ''] = match;
    const line = text.slice(0, match.index).split('\n').length;
    blocks.push({language, mark, text: inside, line});
  }
  return blocks;
}

/** The document without its fenced blocks. */
export function prose(text: string): string {
  return text.replaceAll(/^```[\s\S]*?^```$/gm, '');
}

/** The anchors that GitHub gives to a document's headings. */
export function anchorsOf(text: string): readonly string[] {
  const taken = new Map<string, number>();
  return Array.from(prose(text).matchAll(/^#{1,6} (.+)$/gm), ([, heading = '']) => {
    const plain = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1');
    const anchor = plain
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\p{M}\s_-]/gu, '')
      .trim()
      .replaceAll(' ', '-');
    const count = taken.get(anchor) ?? 0;
    taken.set(anchor, count + 1);
    return count === 0 ? anchor : `${anchor}-${count}`;
  });
}

/** The targets of a document's links and pictures. */
export function targetsOf(text: string): readonly string[] {
  const bare = prose(text).replaceAll(/`[^`\n]*`/g, '');
  const inline = bare.matchAll(/\]\(([^()\s]+(?:\([^()\s]*\)[^()\s]*)*)\)/g);
  const html = bare.matchAll(/(?:src|href)="([^"]+)"/g);
  return [...inline, ...html].map(([, target = '']) => target);
}
