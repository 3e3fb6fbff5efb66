import {numberOf} from '../../app/cause/losses.ts';
import {differences} from '../../app/scenario/differences.ts';
import type {Step} from '../../app/story/story.ts';
import type {Session} from '../store/session.ts';
import {stageOf} from '../store/view.ts';

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
      zoomS: zoom === null ? null : [secondsOf(zoom[0]), secondsOf(zoom[1])],
      reveal: stageOf(view).isUpToT,
    },
    objects: url === undefined ? [] : [url],
    loss: chosenLoss === null ? null : numberOf(run?.traces ?? [], chosenLoss),
    text: '',
  };
}

/** As people read it: to the hundredth. */
function secondsOf(ns: number): number {
  return Math.round(ns / 1e7) / 100;
}
