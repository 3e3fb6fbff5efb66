import {createStore, type StoreApi} from 'zustand/vanilla';
import {isObject} from '../../../app/base/schema.ts';
import {messageOf, showName} from '../../../app/base/text.ts';
import type {Host, KeptDraft} from '../../../app/host/contract.ts';
import {parseStory, type Story} from '../../../app/telling/story/story.ts';
import {storyDocument} from '../../../app/telling/story/storyDocument.ts';

/** A story that is being written. */
export interface Draft {
  /** Identifies the draft among all drafts. */
  readonly id: string;
  readonly story: Story;
}

/** A stored draft that cannot be read: it is damaged, or another version of the program wrote it. */
export interface UnreadDraft {
  readonly id: string;
  /** One line that says which draft it is and why it cannot be read. */
  readonly message: string;
}

export interface DraftsState {
  /** The drafts, newest first. */
  readonly drafts: readonly Draft[];
  /** The drafts that cannot be read. They stay until the user throws them away. */
  readonly unread: readonly UnreadDraft[];
  /** A new story that is not stored, because there are already {@link MOST_DRAFTS} drafts. */
  readonly waiting: Draft | null;
}

/** What a window must know about a draft to continue it after the window was reloaded. */
export interface DraftPlace {
  /** The revision on which the window's next change is based. The host numbers the stored revisions of each draft. */
  readonly revision: number;
  /** The name under which the window stored its changes before the reload. */
  readonly writer: string;
}

/** The window in which the drafts are written. */
export interface DraftsWindow {
  /** Shows a notice of one line, with a button if there is an action. */
  showMessage(title: string, action?: {readonly label: string; readonly act: () => void}): void;
  /** Tells the window that the id of a draft has changed. */
  rename(from: string, to: string): void;
}

/**
 * The stories that are being written. The host stores them, so that they survive a crash and a restart. Several windows
 * can write drafts. If two windows change the same draft, the second window stores its story as another draft.
 */
export class Drafts {
  readonly store: StoreApi<DraftsState> = createStore(() => ({drafts: [], unread: [], waiting: null}));
  /** The name under which this window stores its changes. A reload of the window gives it another name. */
  readonly #writer = crypto.randomUUID();
  readonly #host: Host;
  readonly #window: DraftsWindow;
  /** The drafts that the host had in its last answer. */
  #kept: ReadonlyMap<string, KeptDraft> = new Map();
  /** For each draft that was opened or changed here, the revision on which its next change is based; 0 if it is new. */
  readonly #bases = new Map<string, number>();
  /** The drafts whose newest state was not sent to the host yet. */
  readonly #behind = new Set<string>();
  /** The drafts that the host failed to store. They are sent again at the next change of any draft. */
  readonly #failed = new Set<string>();
  #isRefused = false;
  #writing: Promise<void> | null = null;

  constructor(host: Host, window: DraftsWindow) {
    this.#host = host;
    this.#window = window;
  }

  /** Reads the host's drafts. Drafts with changes that the host has not stored yet keep these changes. */
  async read(): Promise<void> {
    const kept = await this.#host.keptDrafts();
    this.#kept = new Map(kept.map(each => [each.id, each]));
    const isUnsaved = ({id}: {readonly id: string}): boolean => this.#behind.has(id) || this.#failed.has(id);
    const all = kept.filter(each => !isUnsaved(each)).map(draftOf);
    const own = this.store.getState().drafts.filter(isUnsaved);
    this.store.setState({
      drafts: [...own, ...all.filter(each => 'story' in each)],
      unread: all.filter(each => 'message' in each),
    });
  }

  /** From now on, changes of the draft are based on the newest revision that this window knows. */
  take(id: string): void {
    this.#bases.set(id, this.#revisionOf(id));
  }

  /** What this window must know about a draft after a reload (F5). */
  placeOf(id: string): DraftPlace {
    return {revision: this.#bases.get(id) ?? 0, writer: this.#writer};
  }

  /**
   * Continues a draft after a reload of the window. Stores the story again if the host lacks its last change, unless
   * another window has changed the draft meanwhile.
   */
  resume(id: string, story: Story, place: DraftPlace): void {
    const kept = this.#kept.get(id);
    const isOurs = kept === undefined || kept.writer === place.writer || kept.revision === place.revision;
    this.#bases.set(id, isOurs ? (kept?.revision ?? 0) : place.revision);
    const draft = this.#draftOf(id);
    if (isOurs && (draft === undefined || !isSame(draft.story, story))) this.keep(id, story);
  }

  /** Stores the new state of a draft, or a new draft. A new draft waits if there are already {@link MOST_DRAFTS}. */
  keep(id: string, story: Story): void {
    const {drafts, unread, waiting} = this.store.getState();
    const others = drafts.filter(draft => draft.id !== id);
    if (others.length === drafts.length && drafts.length + unread.length >= MOST_DRAFTS) {
      this.#wait({id, story});
      return;
    }
    this.store.setState({drafts: [{id, story}, ...others], waiting: waiting?.id === id ? null : waiting});
    for (const each of [id, ...this.#failed]) this.#behind.add(each);
    this.#failed.clear();
    this.#writing ??= this.#write();
  }

  /** Removes a draft, here and from the host. A draft that another window has changed meanwhile is kept. */
  async remove(id: string): Promise<void> {
    this.#behind.delete(id);
    await this.#writing;
    this.#failed.delete(id);
    const revision = this.#revisionOf(id);
    try {
      const answer = revision === 0 ? null : await this.#host.removeDraft(id, revision);
      if (answer?.ok === false)
        this.#window.showMessage('The story was not thrown away, because another window has changed it');
    } catch (error) {
      this.#window.showMessage(`The story cannot be thrown away: ${messageOf(error)}`);
    }
    this.#bases.delete(id);
    await this.read().catch(() => undefined);
    const {waiting} = this.store.getState();
    if (waiting !== null) this.keep(waiting.id, waiting.story);
  }

  /** Lets a new draft wait, because the limit is reached. No draft is removed without the user's consent. */
  #wait(waiting: Draft): void {
    const {waiting: before, drafts} = this.store.getState();
    this.store.setState({waiting});
    if (before?.id === waiting.id) return;
    const limit = `no more than ${MOST_DRAFTS} stories can be stored here`;
    const title = `‘${showName(waiting.story.title)}’ is not stored: ${limit}`;
    const oldest = drafts.at(-1);
    const label = `Throw away the oldest, ‘${showName(oldest?.story.title ?? '')}’, and store the new one`;
    const act = () => void this.remove(oldest?.id ?? '');
    this.#window.showMessage(title, oldest && {label, act});
  }

  /** The newest known revision: the one in the host's last answer, or a later one that this window has written. */
  #revisionOf(id: string): number {
    return Math.max(this.#bases.get(id) ?? 0, this.#kept.get(id)?.revision ?? 0);
  }

  #draftOf(id: string): Draft | undefined {
    return this.store.getState().drafts.find(each => each.id === id);
  }

  /** Sends the changed drafts to the host, one at a time. A draft that changes while it is being sent is sent again. */
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
      this.#failed.delete(id);
      if (answer.ok) this.#bases.set(id, answer.revision);
      else this.#part(id);
    } catch (error) {
      this.#failed.add(id);
      this.#showRefused(error);
    }
  }

  /** Continues the draft under another id, because another window has changed the draft with this id. */
  #part(from: string): void {
    const to = crypto.randomUUID();
    const {drafts} = this.store.getState();
    this.store.setState({drafts: drafts.map(each => (each.id === from ? {...each, id: to} : each))});
    this.#behind.delete(from);
    this.#behind.add(to);
    this.#bases.delete(from);
    this.#window.rename(from, to);
    const title = showName(this.#draftOf(to)?.story.title ?? '');
    const message = `‘${title}’ was changed in another window, too: your version is now a separate story`;
    this.#window.showMessage(message);
    // reads the list again, which now contains the other window's draft
    void this.read().catch(() => undefined);
  }

  /**
   * Shows why drafts cannot be stored. It does not show this at every keystroke, but only once until a draft can be
   * stored again.
   */
  #showRefused(error: unknown): void {
    if (this.#isRefused) return;
    this.#isRefused = true;
    this.#window.showMessage(`Your changes cannot be stored; save the story to a file: ${messageOf(error)}`);
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

/**
 * The largest number of drafts that are stored. The user must find all of them easily, and a window must read them
 * quickly.
 */
export const MOST_DRAFTS = 20;
