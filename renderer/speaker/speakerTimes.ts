import type {AudienceState, ShownStep, ShownStory} from './messages.ts';

/** The name of a window, and the window's state. */
export type HeardWindow = readonly [name: string, state: AudienceState];

/**
 * The window that the speaker view follows. This is the window whose story was started last, or, if no window shows a
 * story, the window that was opened last. Null if there is no window.
 */
export function leaderOf(windows: readonly HeardWindow[]): HeardWindow | null {
  const rankOf = ([, {story, openedMs}]: HeardWindow): readonly number[] =>
    story === null ? [0, openedMs] : [1, story.startedMs];
  const [first] = windows.toSorted((a, b) => {
    const [[storyA = 0, sinceA = 0], [storyB = 0, sinceB = 0]] = [rankOf(a), rankOf(b)];
    return storyB - storyA || sinceB - sinceA || (a[0] < b[0] ? 1 : -1);
  });
  return first ?? null;
}

/** Says which of several windows the speaker view follows ({@link leaderOf}). Empty if there is only one. */
export function followedText(windows: number, {story}: AudienceState): string {
  if (windows <= 1) return '';
  const which = story === null ? 'the one that was opened last' : 'the one that started its story last';
  return `${windows} windows are open; this view follows ${which}. `;
}

/** The planned duration of the whole story, s. Null while the duration of any step is not known. */
export function plannedS({steps}: ShownStory): number | null {
  return sum(steps.map(step => step.plannedS));
}

/**
 * The time that is left, s; negative if the speaker is late. `durationS` is the duration of the talk, if the speaker
 * typed one; the result is then the rest of the talk. If `durationS` is null, the result is the planned duration of the
 * rest of the step on screen and of the steps after it. Null while one of these planned durations is not known.
 */
export function leftS(story: ShownStory, tS: number, elapsedS: number, durationS: number | null): number | null {
  if (durationS !== null) return durationS - elapsedS;
  const [shown, ...others] = story.steps.slice(story.step);
  if (shown === undefined) return null;
  const rest = shown.plannedS === null ? null : shown.plannedS * (1 - shareOf(shown, tS));
  return sum([rest, ...others.map(step => step.plannedS)]);
}

/** How much of a step has played at the run time `tS`, 0 to 1. */
export function shareOf({spanS}: Pick<ShownStep, 'spanS'>, tS: number): number {
  if (spanS === null) return 0;
  const [fromS, toS] = spanS;
  return toS > fromS ? Math.min(Math.max((tS - fromS) / (toS - fromS), 0), 1) : 1;
}

/** A duration as minutes and seconds, such as `1:05`, or `−0:07` if it is negative. */
export function minutesText(seconds: number): string {
  const whole = Math.round(Math.abs(seconds));
  const text = `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
  return seconds < 0 && whole > 0 ? `−${text}` : text;
}

function sum(times: readonly (number | null)[]): number | null {
  return times.reduce((all, one) => (all === null || one === null ? null : all + one), 0);
}
