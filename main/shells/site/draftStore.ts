import type {Json} from '../../../app/base/json.ts';
import type {KeepDraftAnswer, KeptDraft} from '../../../app/host/contract.ts';
import {answerOf, DatabaseError, inTransaction} from './database.ts';

interface StoredDraft {
  readonly id: string;
  readonly revision: number;
  readonly writer: string;
  readonly story: Json;
  readonly writtenMs: number;
}

/**
 * Drafts of stories, in the browser's database. If two windows change the same revision of a draft, the first change is
 * stored. The second window gets the answer 'stale', and its change is not stored.
 */
export class DraftStore {
  /** Lists all drafts, the newest first. The list is empty if the browser does not let this site store anything. */
  async list(): Promise<readonly KeptDraft[]> {
    try {
      const all: readonly StoredDraft[] = await inTransaction(['drafts'], 'readonly', async drafts =>
        drafts === undefined ? [] : answerOf(drafts.getAll()),
      );
      return all
        .toSorted((a, b) => b.writtenMs - a.writtenMs)
        .map(({id, revision, writer, story}) => ({id, revision, writer, story}));
    } catch (error) {
      if (error instanceof DatabaseError) return [];
      throw error;
    }
  }

  /**
   * Stores the next revision of a draft. `base` is the revision that it was made from, or 0 for a new draft.
   * @throws RangeError if the story is too large or there are too many drafts; DatabaseError
   */
  keep(id: string, base: number, writer: string, story: Json): Promise<KeepDraftAnswer> {
    const {length} = JSON.stringify(story);
    if (length > LARGEST_CHARACTERS)
      throw new RangeError(`the story has ${length} characters (at most ${LARGEST_CHARACTERS})`);
    return this.#change(id, base, drafts => {
      const draft: StoredDraft = {id, revision: base + 1, writer, story, writtenMs: Date.now()};
      drafts.put(draft);
      return base + 1;
    });
  }

  /** Removes a draft, unless its revision has changed. @throws DatabaseError */
  remove(id: string, revision: number): Promise<KeepDraftAnswer> {
    return this.#change(id, revision, drafts => {
      drafts.delete(id);
      return revision;
    });
  }

  #change(id: string, known: number, change: (drafts: IDBObjectStore) => number): Promise<KeepDraftAnswer> {
    return inTransaction(['drafts'], 'readwrite', async (drafts): Promise<KeepDraftAnswer> => {
      if (drafts === undefined) return STALE;
      const stored: StoredDraft | undefined = await answerOf(drafts.get(id));
      if ((stored?.revision ?? 0) !== known) return STALE;
      if (stored === undefined && (await answerOf(drafts.count())) >= MOST_DRAFTS)
        throw new RangeError(`there are already ${MOST_DRAFTS} drafts: remove one`);
      return {ok: true, revision: change(drafts)};
    });
  }
}

const STALE = {ok: false, isStale: true} as const;

/** Largest number of characters of a draft's JSON. The file of a story has at most 4 MiB. */
const LARGEST_CHARACTERS = 4 * 1024 * 1024;

/** Largest number of drafts. If a site stores very much, the browser may remove all of its data. */
const MOST_DRAFTS = 50;
