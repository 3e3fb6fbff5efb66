import {numberOf} from '../../../app/run/cause/losses.ts';
import {differences} from '../../../app/run/scenario/differences.ts';
import {type ObjectName, STORY_LIMITS, type Step} from '../../../app/telling/story/story.ts';
import type {Session} from '../../session/session.ts';
import {stageOf} from '../../session/viewSettings.ts';
import type {TimeWindow} from '../../session/zoom.ts';

/**
 * Makes a step that shows what is on screen. The step ends at t, or at the run's end if t is not after the time at
 * which the step begins. If `before` is a step of the same run and ends before t, the new step begins where `before`
 * ends; otherwise it begins at the run's start.
 */
export function stepOnShow({store, player}: Session, before: Step | null): Step {
  const {scenario, view, selected, chosenLoss, run} = store.getState();
  const {timeline, axis, layout, zoom} = view;
  const isSame = before !== null && differences(before.scenario, scenario).length === 0;
  const tS = secondsOf(player.tNs);
  const fromS = isSame && before.toS !== null && before.toS < tS ? before.toS : 0;
  const url = selected === null ? undefined : run?.page.objects[selected]?.url;
  return {
    // steps of the same run share one scenario object
    scenario: isSame ? before.scenario : scenario,
    fromS,
    toS: tS > fromS ? tS : null,
    speed: player.state.chosenSpeed,
    view: {
      timeline,
      axis,
      layout,
      zoomS: zoom === null ? null : zoomSecondsOf(zoom),
      // the setting of presenter mode is used in any mode, because stories are written to be presented
      reveal: stageOf({...view, isPresenting: true}).isUpToT,
      waiting: stageOf(view).freezesAtLosses,
    },
    objects: selected === null || url === undefined ? [] : [nameOf(selected, url)],
    loss: chosenLoss === null ? null : numberOf(run?.traces ?? [], chosenLoss),
    text: '',
    notes: '',
  };
}

/**
 * The zoom in seconds. The times are rounded to a hundredth of a second, or if the zoom is shorter than 1 s, to a power
 * of ten that is at most a hundredth of its length.
 */
function zoomSecondsOf([fromNs, toNs]: TimeWindow): readonly [fromS: number, toS: number] {
  const digits = Math.max(Math.ceil(11 - Math.log10(toNs - fromNs)), 2);
  return [Number((fromNs / 1e9).toFixed(digits)), Number((toNs / 1e9).toFixed(digits))];
}

/** The object's address, or if the address is too long for a story, the object's number. */
function nameOf(object: number, url: string): ObjectName {
  return url.length <= STORY_LIMITS.addressCharacters ? url : object;
}

/** Seconds, rounded to a hundredth. */
function secondsOf(ns: number): number {
  return Math.round(ns / 1e7) / 100;
}
