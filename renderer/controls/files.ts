import {scenarioDocument} from '../../app/scenario/document.ts';
import type {Scenario} from '../../app/scenario/scenario.ts';
import {storyText} from '../../app/story/document.ts';
import type {Story} from '../../app/story/story.ts';

/** Hands the scenario to the browser as a file to keep. */
export function saveScenario(scenario: Scenario): void {
  const text = `${JSON.stringify(scenarioDocument(scenario), null, 2)}\n`;
  saveBytes(`interleave-seed-${scenario.seed}.json`, new TextEncoder().encode(text), 'application/json');
}

/** As {@link saveScenario}, a story by its title. */
export function saveStory(story: Story): void {
  const name = story.title.replaceAll(/[^\p{L}\p{N}]+/gu, '-').replaceAll(/^-+|-+$/g, '');
  const bytes = new TextEncoder().encode(storyText(story));
  saveBytes(`${name.toLowerCase() || 'interleave'}.story.json`, bytes, 'application/json');
}

/** Hands bytes to the browser as a file to keep. */
export function saveBytes(name: string, bytes: Uint8Array, type: string): void {
  const address = URL.createObjectURL(new Blob([bytes as Uint8Array<ArrayBuffer>], {type}));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}

/** Copies without the clipboard permission, which Electron's window denies with all others. */
export function copyText(text: string): void {
  const area = document.createElement('textarea');
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand('copy');
  area.remove();
}
