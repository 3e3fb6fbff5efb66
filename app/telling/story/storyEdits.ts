import {lineOf, notesOf, STORY_LIMITS, type Step, type Story} from './story.ts';

/** The story with another step after step `k`; unchanged if there is no room for it. */
export function withStep(story: Story, k: number, step: Step): Story {
  if (story.steps.length >= STORY_LIMITS.steps) return story;
  return {...story, steps: [...story.steps.slice(0, k + 1), step, ...story.steps.slice(k + 1)]};
}

/** The story without step k; unchanged if this is its only step. */
export function withoutStep(story: Story, k: number): Story {
  if (story.steps.length === 1) return story;
  return {...story, steps: story.steps.filter((_, at) => at !== k)};
}

/** The story with step k moved to position `to`; unchanged if the story has no such position. */
export function movedStep(story: Story, k: number, to: number): Story {
  const step = story.steps[k];
  if (step === undefined || to < 0 || to >= story.steps.length) return story;
  const others = story.steps.filter((_, at) => at !== k);
  return {...story, steps: [...others.slice(0, to), step, ...others.slice(to)]};
}

/** The story with some settings of step k replaced by those in `part`. A new text is made a single line. */
export function changedStep(story: Story, k: number, part: Partial<Step>): Story {
  const {text, notes} = part;
  const change = {
    ...part,
    ...(text === undefined ? {} : {text: lineOf(text)}),
    ...(notes === undefined ? {} : {notes: notesOf(notes)}),
  };
  return {...story, steps: story.steps.map((step, at) => (at === k ? {...step, ...change} : step))};
}

/** The story with another title, which is made a single line; unchanged if the title is empty. */
export function titledStory(story: Story, title: string): Story {
  const line = lineOf(title);
  return line.trim() === '' ? story : {...story, title: line};
}
