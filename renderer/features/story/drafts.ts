import {createStore, type StoreApi} from 'zustand/vanilla';
import {isObject} from '../../../app/base/schema.ts';
import {messageOf, showName} from '../../../app/base/text.ts';
import type {Host, KeptDraft} from '../../../app/host/contract.ts';
import {parseStory, type Story} from '../../../app/telling/story/story.ts';
import {storyDocument} from '../../../app/telling/story/storyDocument.ts';

/** A story that is being written. */
export interface Draft {
  /** The draft's name among the others. */
  readonly id: string;
  readonly story: Story;
}

/** A draft that was kept and cannot be read, by this version or at all. */
export interface UnreadDraft {
  readonly id: string;
  /** Which draft it is and why it cannot be read, in one line. */
  readonly message: string;
}

export interface DraftsState {
  /** The drafts that were not thrown away, newest first. */
  readonly drafts: readonly Draft[];
  /** Drafts that cannot be read. They are kept until they are thrown away. */
  readonly unread: readonly UnreadDraft[];
  /** A new story that is not kept, because there are {@link MOST_DRAFTS} already. */
  readonly waiting: Draft | null;
}

/** The revision of a draft that this page began with, and a name of this page. */
export interface DraftPlace {
  readonly revision: number;
  readonly writer: string;
}

/** The window that the drafts are written in. */
export interface DraftsWindow {
  /** Shows a notice of one line, and offers an action that may help. */
  tell(title: string, action?: {readonly label: string; readonly act: () => void}): void;
  /** The draft has another name from now on. */
  rename(from: string, to: string): void;
}

/**
 * The stories that are being written. The host keeps them over a crash and a restart. Other windows write drafts, too:
 * if two windows change the same draft, the second one keeps its story as another draft.
 */
export class Drafts {
  readonly store: StoreApi<DraftsState> = createStore(() => ({drafts: [], unread: [], waiting: null}));
  /** The name of this page. After a reload it is another one. */
  readonly #writer = crypto.randomUUID();
  readonly #host: Host;
  readonly #window: DraftsWindow;
  /** The drafts that the host kept when it was asked last. */
  #kept: ReadonlyMap<string, KeptDraft> = new Map();
  /** The revision that each draft here was made of; 0 for a new draft. */
  readonly #bases = new Map<string, number>();
  /** The drafts whose newest state the host does not have yet. */
  readonly #behind = new Set<string>();
  #isRefused = false;
  #writing: Promise<void> | null = null;

  constructor(host: Host, window: DraftsWindow) {
    this.#host = host;
    this.#window = window;
  }

  /** Reads the drafts that the host keeps. Drafts that it does not have yet stay as they are here. */
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

  /** Bases the draft on the revision in the list from now on. */
  take(id: string): void {
    this.#bases.set(id, this.#revisionOf(id));
  }

  /** The state of a draft on this page, for the next page after F5. */
  placeOf(id: string): DraftPlace {
    return {revision: this.#bases.get(id) ?? 0, writer: this.#writer};
  }

  /** Continues a draft after a reload of the window's page. The host may not have the last change of it. */
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

  /** Removes a draft, unless it was never kept or another window has written it since. */
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

  /** Lets a new draft wait, because there are as many as can be kept. None is removed without the user's consent. */
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

  /**
   * The revision in the list: the one that the host had when it was asked last, or that this window has written since.
   */
  #revisionOf(id: string): number {
    return Math.max(this.#bases.get(id) ?? 0, this.#kept.get(id)?.revision ?? 0);
  }

  #draftOf(id: string): Draft | undefined {
    return this.store.getState().drafts.find(each => each.id === id);
  }

  /** Sends the drafts to the host, one call at a time. The newest state of each draft is sent last. */
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

  /** Continues the draft under another name, because another window has changed the draft with this name. */
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
    // now the other window's draft is in the list again
    void this.read().catch(() => undefined);
  }

  /** Shows why drafts cannot be kept: once, not with every letter, and again only after a draft was kept. */
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

/** The most drafts that are kept. All must be easy to find in the list and quick to read when a window opens. */
const MOST_DRAFTS = 20;
