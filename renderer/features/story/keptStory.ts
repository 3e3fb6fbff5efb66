import {parseStory} from '../../../app/telling/story/story.ts';
import {storyDocument} from '../../../app/telling/story/storyDocument.ts';
import type {ResumedStory, StoryPlayer} from './storyPlayer.ts';

/** Reads the story that was open when the window's page was reloaded (F5). Null if none was open or it is invalid. */
export function readKeptStory(storage: Pick<Storage, 'getItem'>): ResumedStory | null {
  try {
    const {story, step, startedMs = 0, draft, isPanelOpen, place} = JSON.parse(storage.getItem(KEY) ?? '{}');
    const parsed = story === undefined ? undefined : parseStory(story);
    const isGood =
      [step, startedMs].every(Number.isInteger) && [null, 'string'].includes(draft === null ? null : typeof draft);
    if (!parsed?.ok || !isGood) return null;
    const {revision = 0, writer = ''} = place ?? {};
    const own = {story: parsed.story, step, startedMs, draft, isPanelOpen: isPanelOpen === true};
    return {...own, place: {revision, writer}};
  } catch {
    return null;
  }
}

/**
 * Stores the open story each time that its contents, its step or its draft change, and when its panel is opened or
 * closed. When the story ends, the stored story is removed.
 */
export function storeStoryForReload(
  {store, drafts}: StoryPlayer,
  storage: Pick<Storage, 'setItem' | 'removeItem'>,
): void {
  store.subscribe((now, before) => {
    const {story, step, startedMs, draft, isPanelOpen} = now;
    const isSame = story === before.story && step === before.step && isPanelOpen === before.isPanelOpen;
    if (isSame && draft === before.draft) return;
    try {
      if (story === null) storage.removeItem(KEY);
      else {
        const place = draft === null ? null : drafts.placeOf(draft);
        const own = {story: storyDocument(story), step, startedMs, draft, isPanelOpen, place};
        storage.setItem(KEY, JSON.stringify(own));
      }
    } catch {
      // the browser's storage is full or cannot be used, so the story is not stored
    }
  });
}

const KEY = 'interleave-story';
