import {createStore, type StoreApi} from 'zustand/vanilla';
import type {Host} from '../../app/ipc/contract.ts';
import type {Json} from '../../app/scenario/document.ts';
import {messageOf} from '../../app/scenario/messageOf.ts';
import {readJson} from '../../app/scenario/readJson.ts';
import {isObject} from '../../app/scenario/schema.ts';
import {showName} from '../../app/scenario/show.ts';
import {storyDocument} from '../../app/story/document.ts';
import {parseStory, type Story} from '../../app/story/story.ts';

/** A story that is being written. */
export interface Draft {
  /** Its name among the others. */
  readonly id: string;
  readonly story: Story;
}

/** What was kept and cannot be read, by this version or at all. */
export interface UnreadDraft {
  /** As it was kept. */
  readonly value: Json;
  /** Which, and why not, in one line. */
  readonly message: string;
}

export interface DraftsState {
  /** What was written and not thrown away, newest first. */
  readonly drafts: readonly Draft[];
  /** Kept as it is until it is thrown away. */
  readonly unread: readonly UnreadDraft[];
}

/** The stories that are written: the host keeps them over a crash and a restart. */
export class Drafts {
  readonly store: StoreApi<DraftsState> = createStore(() => ({drafts: [], unread: []}));
  readonly #host: Host;
  readonly #tell: (title: string) => void;
  #isRefused = false;
  #isWriting = false;
  #isBehind = false;

  /** `tell` is told when the host no longer keeps them. */
  constructor(host: Host, tell: (title: string) => void) {
    this.#host = host;
    this.#tell = tell;
  }

  /** What the host kept. */
  read(text: string | null): void {
    const read = readJson(text ?? '[]');
    // a file that is no list is one that cannot be read
    const kept = read.ok && Array.isArray(read.value) ? (read.value as readonly Json[]) : [text];
    const all = kept.map(draftOf);
    this.store.setState({
      drafts: all.filter(each => 'story' in each),
      unread: all.filter(each => 'value' in each),
    });
  }

  keep(id: string, story: Story): void {
    const others = this.store.getState().drafts.filter(draft => draft.id !== id);
    this.#set({drafts: [{id, story}, ...others].slice(0, MOST_DRAFTS)});
  }

  remove(id: string): void {
    this.#set({drafts: this.store.getState().drafts.filter(draft => draft.id !== id)});
  }

  removeUnread(gone: UnreadDraft): void {
    this.#set({unread: this.store.getState().unread.filter(each => each !== gone)});
  }

  #set(change: Partial<DraftsState>): void {
    this.store.setState(change);
    this.#isBehind = true;
    if (!this.#isWriting) void this.#write();
  }

  /** One call at a time, and the newest state last. */
  async #write(): Promise<void> {
    this.#isWriting = true;
    while (this.#isBehind) {
      this.#isBehind = false;
      const {drafts, unread} = this.store.getState();
      const documents = drafts.map(({id, story}) => ({id, story: storyDocument(story)}));
      const kept = [...documents, ...unread.map(({value}) => value)];
      await this.#host.keepStories(JSON.stringify(kept)).then(
        () => this.#setRefused(null),
        (error: unknown) => this.#setRefused(error),
      );
    }
    this.#isWriting = false;
  }

  /** Told once, not with every letter; and again after it was kept. */
  #setRefused(error: unknown): void {
    const isNew = error !== null && !this.#isRefused;
    this.#isRefused = error !== null;
    if (!isNew) return;
    const message = messageOf(error);
    this.#tell(`What you write is not kept, save the story to a file: ${message}`);
  }
}

function draftOf(kept: Json): Draft | UnreadDraft {
  const {id = null, story} = isObject(kept) ? kept : {story: kept};
  const parsed = parseStory(story);
  if (parsed.ok) return {id: typeof id === 'string' ? id : crypto.randomUUID(), story: parsed.story};
  const title = isObject(story) && typeof story['title'] === 'string' ? story['title'] : 'a story';
  return {value: kept, message: `${showName(title)}: ${parsed.problems[0].message}`};
}

/** A file of a few of them stays small. */
const MOST_DRAFTS = 20;
