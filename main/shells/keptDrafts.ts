import {createHash} from 'node:crypto';
import {readdir, readFile, rename, rm, stat} from 'node:fs/promises';
import {join} from 'node:path';
import type {Json} from '../../app/base/json.ts';
import {isObject} from '../../app/base/schema.ts';
import {messageOf} from '../../app/base/text.ts';
import type {KeepDraftAnswer, KeptDraft} from '../../app/host/contract.ts';
import {makeFolders} from '../files/makeFolder.ts';
import {sweepFolder, writeNew} from '../files/outputFile.ts';

/**
 * Drafts of stories that are being written in windows. Several programs that run at the same time share the drafts.
 * Each draft is a file, which appears only when it is complete. The name of the file contains the draft's revision, as
 * in `ID.7.json`. The next revision is written by creating a file with a new name. If two programs change the same
 * revision, only one of them can create that file. The other gets the answer 'stale'.
 */
export class KeptDrafts {
  readonly #userFolder: string;
  readonly #folder: string;
  #work: Promise<unknown> = Promise.resolve();

  constructor(userFolder: string) {
    this.#userFolder = userFolder;
    this.#folder = join(userFolder, 'stories');
  }

  /**
   * Lists all drafts, the newest first. A draft whose file is damaged is listed with its problem. The list is empty if
   * the folder cannot be read, so that the window can still open.
   */
  list(): Promise<readonly KeptDraft[]> {
    return this.#inTurn(async () => {
      await sweepFolder(this.#folder);
      await this.#takeOver().catch(checkOfFiles);
      const files = await this.#files();
      // There are older revisions if a program was killed before it removed them.
      const newest = files.filter(({id, revision}) => newestOf(files, id) === revision);
      const kept = await Promise.all(newest.map(file => this.#read(file)));
      return kept
        .flatMap(each => each ?? [])
        .sort((a, b) => b.writtenMs - a.writtenMs)
        .map(({draft}) => draft);
    });
  }

  /**
   * Stores the next revision of a draft. `base` is the revision that it was made from, or 0 for a new draft. The answer
   * is 'stale' if `base` is no longer the stored revision.
   * @throws TypeError, RangeError if an argument is invalid; FileError or a system error if the draft cannot be written
   */
  async keep(id: unknown, base: unknown, writer: unknown, story: unknown): Promise<KeepDraftAnswer> {
    if (!isName(id) || !isName(writer)) throw new TypeError(`the names of a draft and of its writer ${NAMES}`);
    const revision = checkRevision(base) + 1;
    const bytes = Buffer.from(JSON.stringify({writer, story}));
    if (bytes.length > LARGEST_BYTES) {
      throw new RangeError(`the story has ${bytes.length} bytes (at most ${LARGEST_BYTES})`);
    }
    return this.#inTurn(async () => {
      if (newestOf(await this.#files(), id) !== revision - 1) return STALE;
      makeFolders(this.#folder, 0o700);
      if (!(await writeNew(this.#path({id, revision}), bytes))) return STALE;
      const files = await this.#files();
      // After the check above, another program may have stored this revision and later ones, and removed the file of
      // this revision. In that case the file was created again, although this draft is stale.
      const isNewest = newestOf(files, id) === revision;
      const isOver = (file: DraftFile) => (isNewest ? file.revision < revision : file.revision === revision);
      for (const file of files) if (file.id === id && isOver(file)) await rm(this.#path(file), {force: true});
      return isNewest ? {ok: true, revision} : STALE;
    });
  }

  /** Removes a draft, unless its revision has changed. @throws TypeError, RangeError if an argument is invalid */
  async remove(id: unknown, revision: unknown): Promise<KeepDraftAnswer> {
    if (!isName(id)) throw new TypeError(`the name of a draft ${NAMES}`);
    const known = checkRevision(revision);
    return this.#inTurn(async () => {
      if (newestOf(await this.#files(), id) !== known) return STALE;
      await rm(this.#path({id, revision: known}), {force: true});
      return {ok: true, revision: known};
    });
  }

  /** Resolves when all calls of the other methods have ended, even if a draft could not be stored. */
  async close(): Promise<void> {
    await this.#work.catch(() => undefined);
  }

  /** Runs work in the order of the calls, one at a time. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#work.then(work, work);
    this.#work = done;
    return done;
  }

  #path({id, revision}: DraftFile): string {
    return join(this.#folder, `${id}.${revision}.json`);
  }

  async #files(): Promise<readonly DraftFile[]> {
    const names = await readdir(this.#folder).catch(() => []);
    return names.flatMap(name => {
      const [, id, revision] = FILE_NAME.exec(name) ?? [];
      return id === undefined ? [] : [{id, revision: Number(revision)}];
    });
  }

  /** Reads a draft. Returns undefined if another program has removed it meanwhile. */
  async #read({id, revision}: DraftFile): Promise<{draft: KeptDraft; writtenMs: number} | undefined> {
    const path = this.#path({id, revision});
    try {
      const {size, mtimeMs} = await stat(path);
      const unread = (problem: string) => ({
        draft: {id, revision, writer: '', story: null, problem},
        writtenMs: mtimeMs,
      });
      if (size > LARGEST_BYTES) return unread(`it has ${size} bytes (at most ${LARGEST_BYTES})`);
      try {
        const document: unknown = JSON.parse(await readFile(path, 'utf8'));
        if (!isObject(document) || typeof document['writer'] !== 'string') return unread('it is not a story’s file');
        const {writer, story = null} = document as {writer: string; story?: Json};
        return {draft: {id, revision, writer, story}, writtenMs: mtimeMs};
      } catch (error) {
        return unread(messageOf(error));
      }
    } catch {
      return undefined;
    }
  }

  /**
   * Converts the single file in which the program's first version stored all drafts. If two programs do this at the
   * same time, the result is the same.
   */
  async #takeOver(): Promise<void> {
    const old = join(this.#userFolder, 'stories.json');
    const found = await stat(old).catch(() => undefined);
    if (found === undefined || !found.isFile() || found.size > LARGEST_BYTES) return;
    const text = await readFile(old, 'utf8');
    makeFolders(this.#folder, 0o700);
    // the newest draft is the first in that file, so it is written last
    for (const {id, story} of oldDrafts(text).toReversed()) {
      await writeNew(this.#path({id, revision: 1}), Buffer.from(JSON.stringify({writer: 'before', story})));
    }
    await rename(old, `${old}.old`);
  }
}

interface DraftFile {
  readonly id: string;
  readonly revision: number;
}

/** Returns the newest revision of a draft, or 0 if there is none. */
function newestOf(files: readonly DraftFile[], id: string): number {
  return Math.max(0, ...files.filter(file => file.id === id).map(({revision}) => revision));
}

/**
 * Reads the drafts in the text of `stories.json`, the file of the program's first version. Text that cannot be parsed
 * also becomes a draft, which the window reports until the user discards it.
 */
function oldDrafts(text: string): readonly {readonly id: string; readonly story: Json}[] {
  const read = (): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      return text;
    }
  };
  const list = read();
  return (Array.isArray(list) ? list : [list]).map((each: Json) => {
    const {id = null, story = each} = isObject(each) ? (each as {id?: Json; story?: Json}) : {};
    const digest = createHash('sha256').update(JSON.stringify(each)).digest('hex').slice(0, 32);
    return {id: isName(id) ? id : digest, story};
  });
}

const STALE = {ok: false, isStale: true} as const;
const NAMES = 'must have 1 to 64 letters, digits and hyphens';

/** Whether a text may be part of the name of a draft's file. */
function isName(name: unknown): name is string {
  return typeof name === 'string' && /^[0-9A-Za-z-]{1,64}$/.test(name);
}

/** @throws RangeError */
function checkRevision(revision: unknown): number {
  if (Number.isSafeInteger(revision) && Number(revision) >= 0) return Number(revision);
  throw new RangeError(`a revision is a whole number from 0 on, not ${String(revision)}`);
}

/** Ignores an error of the file system. @throws any other error, because it is a bug */
function checkOfFiles(error: unknown): void {
  if ((error as NodeJS.ErrnoException).code === undefined) throw error;
}

const FILE_NAME = /^([0-9A-Za-z-]{1,64})\.(\d{1,15})\.json$/;

/** Largest size of a draft, in bytes. The file of a story has at most 4 MiB, and escapes in JSON may double it. */
const LARGEST_BYTES = 8 * 1024 * 1024;
