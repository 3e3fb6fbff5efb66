import {readJson} from '../../../app/base/json.ts';
import type {OpenedDocument} from '../../../app/host/contract.ts';
import {readBytes} from '../../../app/run/scenario/readScenario.ts';
import {isStoryDocument, parseStory, type ReadStory} from '../../../app/telling/story/story.ts';

/** The story that was opened; null if it is not meant as one. */
export function readOpenedStory(opened: OpenedDocument | Uint8Array): ReadStory | null {
  if ('problem' in opened && opened.problem !== undefined) return null;
  const read = 'text' in opened ? readJson(opened.text) : readBytes(opened);
  return read.ok && isStoryDocument(read.value) ? parseStory(read.value) : null;
}
