import {numberOf} from '../../../app/run/cause/losses.ts';
import {differences} from '../../../app/run/scenario/differences.ts';
import {type ObjectName, STORY_LIMITS, type Step} from '../../../app/telling/story/story.ts';
import type {Session} from '../../session/session.ts';
import {stageOf} from '../../session/view.ts';
import type {TimeWindow} from '../../session/zoom.ts';

/** What is on show as a step after `before`: it goes on where that ends, if it is of the same run, and ends at t. */
export function stepOnShow({store, player}: Session, before: Step | null): Step {
  const {scenario, view, selected, chosenLoss, run} = store.getState();
  const {timeline, axis, layout, zoom} = view;
  const isSame = before !== null && differences(before.scenario, scenario).length === 0;
  const tS = secondsOf(player.tNs);
  const fromS = isSame && before.toS !== null && before.toS < tS ? before.toS : 0;
  const url = selected === null ? undefined : run?.page.objects[selected]?.url;
  return {
    // a step of the same run needs none of its own
    scenario: isSame ? before.scenario : scenario,
    fromS,
    toS: tS > fromS ? tS : null,
    speed: player.state.chosenSpeed,
    view: {
      timeline,
      axis,
      layout,
      zoomS: zoom === null ? null : zoomSecondsOf(zoom),
      // it is told on a stage
      reveal: stageOf({...view, isPresenting: true}).isUpToT,
    },
    objects: selected === null || url === undefined ? [] : [nameOf(selected, url)],
    loss: chosenLoss === null ? null : numberOf(run?.traces ?? [], chosenLoss),
    text: '',
  };
}

/** To the hundredth, and to a hundredth of a short one: it stays as long as it is. */
function zoomSecondsOf([fromNs, toNs]: TimeWindow): readonly [fromS: number, toS: number] {
  const digits = Math.max(Math.ceil(11 - Math.log10(toNs - fromNs)), 2);
  return [Number((fromNs / 1e9).toFixed(digits)), Number((toNs / 1e9).toFixed(digits))];
}

/** Its address, unless that is longer than a story has it. */
function nameOf(object: number, url: string): ObjectName {
  return url.length <= STORY_LIMITS.addressCharacters ? url : object;
}

/** As people read it: to the hundredth. */
function secondsOf(ns: number): number {
  return Math.round(ns / 1e7) / 100;
}
