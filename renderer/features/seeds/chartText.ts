import type {Chart, ChartRow, Dot} from './chart.ts';
import type {Measure} from './measures.ts';

/** Returns a text such as `seed 13: 8.2 s`. */
export function dotText({seed, ms}: Dot): string {
  return `seed ${seed}: ${timeText(ms ?? Number.POSITIVE_INFINITY)}`;
}

/** The text beside a row's name: `median 8.2 s, 3 never`. If there is little room, the word `median` is left out. */
export function rowText({medianMs, never}: ChartRow, isNarrow = false): string {
  return [
    ...(medianMs === null ? [] : [`${isNarrow ? '' : 'median '}${timeText(medianMs)}`]),
    ...(never.length === 0 ? [] : [`${never.length} never`]),
  ].join(', ');
}

/** Describes a whole chart in words, for users who cannot see it. */
export function chartText({rows}: Chart, names: readonly string[], {title}: Measure): string {
  const panes = rows.map(({medianMs, dots, never}, pane) => {
    const median = medianMs === null ? '' : `median ${timeText(medianMs)} of `;
    return `${names[pane]}: ${median}${dots.length + never.length} runs`;
  });
  return `${title}; ${panes.join('; ')}`;
}

/** A time such as `8.2 s`. Infinite times are `never`. */
export function timeText(ms: number): string {
  return ms === Number.POSITIVE_INFINITY ? 'never' : `${(ms / 1000).toFixed(1)} s`;
}
