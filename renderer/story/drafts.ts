import {createStore, type StoreApi} from 'zustand/vanilla';
import type {Host} from '../../app/ipc/contract.ts';
import {readJson} from '../../app/scenario/readJson.ts';
import {isObject} from '../../app/scenario/schema.ts';
import {storyDocument} from '../../app/story/document.ts';
import {parseStory, type Story} from '../../app/story/story.ts';

/** A story that is being written. */
export interface Draft {
  /** Its name among the others. */
  readonly id: string;
  readonly story: Story;
}

/** What was written and not thrown away, newest first: the host keeps it over a crash and a restart. */
export class Drafts {
  readonly store: StoreApi<readonly Draft[]> = createStore(() => []);
  readonly #host: Host;
  #isWriting = false;
  #isBehind = false;

  constructor(host: Host) {
    this.#host = host;
  }

  /** What the host kept; what of it cannot be read is left out. */
  read(text: string | null): void {
    const read = readJson(text ?? '[]');
    const kept = read.ok && Array.isArray(read.value) ? (read.value as readonly unknown[]) : [];
    const drafts = kept.flatMap(each => {
      if (!isObject(each) || typeof each['id'] !== 'string') return [];
      const parsed = parseStory(each['story']);
      return parsed.ok ? [{id: each['id'], story: parsed.story}] : [];
    });
    this.store.setState(drafts, true);
  }

  keep(id: string, story: Story): void {
    const others = this.store.getState().filter(draft => draft.id !== id);
    this.#set([{id, story}, ...others].slice(0, MOST_DRAFTS));
  }

  remove(id: string): void {
    this.#set(this.store.getState().filter(draft => draft.id !== id));
  }

  #set(drafts: readonly Draft[]): void {
    this.store.setState(drafts, true);
    this.#isBehind = true;
    if (!this.#isWriting) void this.#write();
  }

  /** One call at a time, and the newest state last. */
  async #write(): Promise<void> {
    this.#isWriting = true;
    while (this.#isBehind) {
      this.#isBehind = false;
      const drafts = this.store.getState().map(({id, story}) => ({id, story: storyDocument(story)}));
      // where the host is gone, the window says so itself
      await this.#host.keepStories(JSON.stringify(drafts)).catch(() => undefined);
    }
    this.#isWriting = false;
  }
}

/** A file of a few of them stays small. */
const MOST_DRAFTS = 20;
