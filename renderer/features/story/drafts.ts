import {createStore, type StoreApi} from 'zustand/vanilla';
import {isObject} from '../../../app/base/schema.ts';
import {messageOf, showName} from '../../../app/base/text.ts';
import type {Host, KeptDraft} from '../../../app/host/contract.ts';
import {parseStory, type Story} from '../../../app/telling/story/story.ts';
import {storyDocument} from '../../../app/telling/story/storyDocument.ts';

/** A story that is being written. */
export interface Draft {
  /** Its name among the others. */
  readonly id: string;
  readonly story: Story;
}

/** What was kept and cannot be read, by this version or at all. */
export interface UnreadDraft {
  readonly id: string;
  /** Which, and why not, in one line. */
  readonly message: string;
}

export interface DraftsState {
  /** What was written and not thrown away, newest first. */
  readonly drafts: readonly Draft[];
  /** Kept as it is until it is thrown away. */
  readonly unread: readonly UnreadDraft[];
  /** A new story that is not kept, as there are {@link MOST_DRAFTS} already. */
  readonly waiting: Draft | null;
}

/** Of which revision of a draft a page's is made, and which page that is. */
export interface DraftPlace {
  readonly revision: number;
  readonly writer: string;
}

/** The window that the drafts are written in. */
export interface DraftsWindow {
  /** Tells in a line, and offers what may help. */
  tell(title: string, action?: {readonly label: string; readonly act: () => void}): void;
  /** What is written goes on under another name. */
  rename(from: string, to: string): void;
}

/**
 * The stories that are written: the host keeps them over a crash and a restart. Other windows write there, too. Of a
 * story that two change, the second keeps its own as another one.
 */
export class Drafts {
  readonly store: StoreApi<DraftsState> = createStore(() => ({drafts: [], unread: [], waiting: null}));
  /** Of this page: another one writes when it is loaded again. */
  readonly #writer = crypto.randomUUID();
  readonly #host: Host;
  readonly #window: DraftsWindow;
  /** What the host kept when it was asked last. */
  #kept: ReadonlyMap<string, KeptDraft> = new Map();
  /** Of which revision what is written here is made; 0 of a new draft. */
  readonly #bases = new Map<string, number>();
  /** Those that the host does not have yet as they are here. */
  readonly #behind = new Set<string>();
  #isRefused = false;
  #writing: Promise<void> | null = null;

  constructor(host: Host, window: DraftsWindow) {
    this.#host = host;
    this.#window = window;
  }

  /** What the host keeps now. What is not kept yet stays as it is here. */
  async read(): Promise<void> {
    const kept = await this.#host.keptDrafts();
    this.#kept = new Map(kept.map(each => [each.id, each]));
    const all = kept.filter(({id}) => !this.#behind.has(id)).map(draftOf);
    const own = this.store.getState().drafts.filter(({id}) => this.#behind.has(id));
    this.store.setState({
      drafts: [...own, ...all.filter(each => 'story' in each)],
      unread: all.filter(each => 'message' in each),
    });
  }

  /** What is written from now on is made of the revision that is in the list. */
  take(id: string): void {
    this.#bases.set(id, this.#revisionOf(id));
  }

  /** Where this page is with a draft: for the next one, after F5. */
  placeOf(id: string): DraftPlace {
    return {revision: this.#bases.get(id) ?? 0, writer: this.#writer};
  }

  /** Goes on where a page before this one was. What it wrote last may not have been kept. */
  resume(id: string, story: Story, place: DraftPlace): void {
    const kept = this.#kept.get(id);
    const isOurs = kept === undefined || kept.writer === place.writer || kept.revision === place.revision;
    this.#bases.set(id, isOurs ? (kept?.revision ?? 0) : place.revision);
    const draft = this.#draftOf(id);
    if (isOurs && (draft === undefined || !isSame(draft.story, story))) this.keep(id, story);
  }

  keep(id: string, story: Story): void {
    const {drafts, unread, waiting} = this.store.getState();
    const others = drafts.filter(draft => draft.id !== id);
    if (others.length === drafts.length && drafts.length + unread.length >= MOST_DRAFTS) {
      this.#wait({id, story});
      return;
    }
    this.store.setState({drafts: [{id, story}, ...others], waiting: waiting?.id === id ? null : waiting});
    this.#behind.add(id);
    this.#writing ??= this.#write();
  }

  /** Unless it was never kept, or another window has written it since. */
  async remove(id: string): Promise<void> {
    this.#behind.delete(id);
    await this.#writing;
    const revision = this.#revisionOf(id);
    try {
      const answer = revision === 0 ? null : await this.#host.removeDraft(id, revision);
      if (answer?.ok === false) this.#window.tell('It was written in another window, and stays as it is there');
    } catch (error) {
      this.#window.tell(`It cannot be thrown away: ${messageOf(error)}`);
    }
    this.#bases.delete(id);
    await this.read().catch(() => undefined);
    const {waiting} = this.store.getState();
    if (waiting !== null) this.keep(waiting.id, waiting.story);
  }

  /** There are as many as are kept: nothing goes without a yes. */
  #wait(waiting: Draft): void {
    const {waiting: before, drafts} = this.store.getState();
    this.store.setState({waiting});
    if (before?.id === waiting.id) return;
    const title = `${MOST_DRAFTS} stories are kept here, which is the most, and ‘${showName(waiting.story.title)}’ is not`;
    const oldest = drafts.at(-1);
    const label = `Throw away the oldest, ‘${showName(oldest?.story.title ?? '')}’, and keep it`;
    const act = () => void this.remove(oldest?.id ?? '');
    this.#window.tell(title, oldest && {label, act});
  }

  /** Of what is in the list: what the host had when it was asked last, or what this window has written since. */
  #revisionOf(id: string): number {
    return Math.max(this.#bases.get(id) ?? 0, this.#kept.get(id)?.revision ?? 0);
  }

  #draftOf(id: string): Draft | undefined {
    return this.store.getState().drafts.find(each => each.id === id);
  }

  /** One call at a time, and of each draft the newest state last. */
  async #write(): Promise<void> {
    for (const id of this.#behind) {
      const draft = this.#draftOf(id);
      if (draft !== undefined) await this.#writeOne(draft);
      const isKept = this.#draftOf(id)?.story === draft?.story;
      if (this.#behind.delete(id) && !isKept) this.#behind.add(id);
    }
    this.#writing = null;
  }

  async #writeOne({id, story}: Draft): Promise<void> {
    try {
      const base = this.#bases.get(id) ?? 0;
      const answer = await this.#host.keepDraft(id, base, this.#writer, storyDocument(story));
      this.#isRefused = false;
      if (answer.ok) this.#bases.set(id, answer.revision);
      else this.#part(id);
    } catch (error) {
      this.#tellRefused(error);
    }
  }

  /** What is written here goes on as another story: that of its name is what somebody else has made of it. */
  #part(from: string): void {
    const to = crypto.randomUUID();
    const {drafts} = this.store.getState();
    this.store.setState({drafts: drafts.map(each => (each.id === from ? {...each, id: to} : each))});
    this.#behind.delete(from);
    this.#behind.add(to);
    this.#bases.delete(from);
    this.#window.rename(from, to);
    const title = showName(this.#draftOf(to)?.story.title ?? '');
    const told = `‘${title}’ was written in another window, too: yours is a story of its own from now on`;
    this.#window.tell(told);
    // the other one is in the list again
    void this.read().catch(() => undefined);
  }

  /** Told once, not with every letter; and again after it was kept. */
  #tellRefused(error: unknown): void {
    if (this.#isRefused) return;
    this.#isRefused = true;
    this.#window.tell(`What you write is not kept, save the story to a file: ${messageOf(error)}`);
  }
}

function draftOf({id, story, problem}: KeptDraft): Draft | UnreadDraft {
  if (problem !== undefined) return {id, message: `a story: ${problem}`};
  const parsed = parseStory(story);
  if (parsed.ok) return {id, story: parsed.story};
  const title = isObject(story) && typeof story['title'] === 'string' ? story['title'] : 'a story';
  return {id, message: `${showName(title)}: ${parsed.problems[0].message}`};
}

function isSame(a: Story, b: Story): boolean {
  return JSON.stringify(storyDocument(a)) === JSON.stringify(storyDocument(b));
}

/** So that all are found in the list, and read at once when a window opens. */
const MOST_DRAFTS = 20;
