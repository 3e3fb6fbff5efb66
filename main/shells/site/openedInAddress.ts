import type {OpenedDocument} from '../../../app/host/contract.ts';
import {unpackedText} from '../../../app/run/scenario/link.ts';
import {findPreset} from '../../../app/run/scenario/presets.ts';
import {STORY_NAMES} from '../../../app/telling/story/story.ts';

/** The stories that are part of the program, by the paths of their files. */
const STORIES = import.meta.glob<string>('../../../fixtures/stories/*.story.json', {
  eager: true,
  query: '?raw',
  import: 'default',
});

/**
 * Returns the document that the fragment of a page's address contains, such as `#scenario=…` or `#story=…`. The value
 * is a compressed document, or the name of a preset or of a story that is part of the program. Returns null if the
 * fragment contains no document. The window parses the document, and says what is wrong with it.
 */
export function openedInAddress(fragment: string): OpenedDocument | null {
  const keys = new URLSearchParams(fragment.replace(/^#/, ''));
  const [scenario, story] = [keys.get('scenario'), keys.get('story')];
  if (scenario !== null) {
    return findPreset(scenario) === undefined ? unpacked(scenario) : {name: scenario, text: scenario};
  }
  if (story === null) return null;
  const name = STORY_NAMES.find(each => each === story);
  const text = STORIES[`../../../fixtures/stories/${name}.story.json`];
  return text === undefined ? unpacked(story) : {name: story, text};
}

function unpacked(packed: string): OpenedDocument {
  const read = unpackedText(packed);
  return read.ok ? {name: 'the link', text: read.text} : {name: 'the link', text: '', problem: read.message};
}
