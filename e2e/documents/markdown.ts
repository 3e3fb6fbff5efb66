import {spawnSync} from 'node:child_process';
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {root} from '../../main/setup/command.mjs';

/** A fenced block of a document. */
export interface Fenced {
  readonly language: string;
  /** What follows the language: a reason why nobody runs the block here, or the file that has the same text. */
  readonly mark: string;
  readonly text: string;
  /** The line of its fence, from 1. */
  readonly line: number;
}

/** Paths of all documents of the repository, from its root. */
export function documents(): readonly string[] {
  // what is new and not yet added counts, too
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

/** The anchors of a document's headings, as GitHub makes them. */
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

/** Where its links and pictures lead. */
export function targetsOf(text: string): readonly string[] {
  const bare = prose(text).replaceAll(/`[^`\n]*`/g, '');
  const inline = bare.matchAll(/\]\(([^()\s]+(?:\([^()\s]*\)[^()\s]*)*)\)/g);
  const html = bare.matchAll(/(?:src|href)="([^"]+)"/g);
  return [...inline, ...html].map(([, target = '']) => target);
}
