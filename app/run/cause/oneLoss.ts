import type {Trace} from '../trace/trace.ts';
import {countText, isPicture, joined} from '../trace/words.ts';
import {type Effect, effectsOf} from './effect.ts';

/**
 * A sentence for runs in which every pane lost exactly one packet with data from the server: `One lost packet: the
 * whole page stood still on TCP and HTTP/2; one picture on SCTP, two pictures on HTTP/3.` Empty for other runs, and for
 * a single pane.
 */
export function oneLossSentence(traces: readonly Trace[], names: readonly string[]): string {
  const effects = traces.map(effectsOf);
  const isOne = effects.every(each => each.length === 1 && each[0]?.from === 'server');
  if (traces.length < 2 || !isOne) return '';
  const groups = new Map<number, string[]>();
  for (const [i, [effect]] of effects.entries()) {
    const count = stoppedCount(effect);
    groups.set(count, [...(groups.get(count) ?? []), names[i] ?? '']);
  }
  const stopped = effects.flatMap(([effect], i) =>
    (effect?.stopped ?? []).map(({object}) => traces[i]?.objects[object]),
  );
  const noun = stopped.every(object => isPicture(object?.url ?? '')) ? 'picture' : 'object';
  const inOrder = [...groups].sort(([a], [b]) => b - a);
  const [first, ...others] = inOrder.map(([count, who], i) => `${stoppedText(count, noun, i)} on ${joined(who)}`);
  if (others.length === 0) return `One lost packet: ${first}.`;
  return `One lost packet: ${first}; ${others.reverse().join(', ')}.`;
}

/** Number of objects that stopped. Infinity if the whole page did. */
function stoppedCount(effect: Effect | undefined): number {
  if (effect === undefined) return 0;
  return effect.pageStillNs === null ? effect.stopped.length : Number.POSITIVE_INFINITY;
}

function stoppedText(count: number, noun: string, place: number): string {
  if (count === Number.POSITIVE_INFINITY) return 'the whole page stood still';
  const counted = `${countText(count)} ${noun}${count === 1 ? '' : 's'}`;
  return place === 0 ? `${counted} stood still` : counted;
}
