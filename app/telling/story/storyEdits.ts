import {lineOf, STORY_LIMITS, type Step, type Story} from './story.ts';

/** With a step more, after step `k`. As it was, if there is no room for it. */
export function withStep(story: Story, k: number, step: Step): Story {
  if (story.steps.length >= STORY_LIMITS.steps) return story;
  return {...story, steps: [...story.steps.slice(0, k + 1), step, ...story.steps.slice(k + 1)]};
}

/** Without step k. As it was, if that is its only one. */
export function withoutStep(story: Story, k: number): Story {
  if (story.steps.length === 1) return story;
  return {...story, steps: story.steps.filter((_, at) => at !== k)};
}

/** With step k at place `to`; within the story's ends. */
export function movedStep(story: Story, k: number, to: number): Story {
  const step = story.steps[k];
  if (step === undefined || to < 0 || to >= story.steps.length) return story;
  const others = story.steps.filter((_, at) => at !== k);
  return {...story, steps: [...others.slice(0, to), step, ...others.slice(to)]};
}

/** With other settings of step k, its text in one line. */
export function changedStep(story: Story, k: number, part: Partial<Step>): Story {
  const change = part.text === undefined ? part : {...part, text: lineOf(part.text)};
  return {...story, steps: story.steps.map((step, at) => (at === k ? {...step, ...change} : step))};
}

/** With another title, in one line. As it was, if that is empty. */
export function titledStory(story: Story, title: string): Story {
  const line = lineOf(title);
  return line.trim() === '' ? story : {...story, title: line};
}
