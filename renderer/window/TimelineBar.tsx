import type {ReactNode} from 'react';
import type {Trace} from '../../app/run/trace/trace.ts';
import {ASSUMPTIONS} from '../../app/study/model/prediction.ts';
import {AXES, type TimelineName} from '../../app/telling/movie/options.ts';
import {Icon} from '../kit/Icon.tsx';
import {Popover} from '../kit/Popover.tsx';
import type {View} from '../run/timeline/model.ts';
import {VIEWS} from '../run/timeline/views/list.ts';
import {useSession, useSessionState} from '../session/context.tsx';
import {isAllLive} from '../session/sources.ts';
import {stageOf} from '../session/viewSettings.ts';
import {nextEventNs, previousEventNs} from './playing.ts';
import {NO_MODEL, toggleModel} from './toggleModel.ts';

interface TimelineBarProps {
  /** More choices at the end of the popover. */
  readonly children?: ReactNode;
}

/**
 * The buttons that choose how the timeline shows the run. The views that are often used have their buttons in the bar.
 * If a rare view is shown, its button replaces the last of these. All other views are in the popover.
 */
export function TimelineBar({children}: TimelineBarProps) {
  const timeline = useSessionState(state => state.view.timeline);
  const inBar = viewsInBar(timeline);
  const others = VIEWS.filter(view => !inBar.includes(view));
  return (
    <div className="timeline-bar" role="toolbar" aria-label="timeline">
      <fieldset className="segments" aria-label="timeline">
        {inBar.map(view => (
          <ViewButton key={view.name} view={view} isShown={view.name === timeline} />
        ))}
      </fieldset>
      <Popover label="View" title="more choices for the timeline and for playing">
        {others.map(view => (
          <ViewButton key={view.name} view={view} isShown={false} />
        ))}
        <MoreChoices />
        <PlayingChoices />
        {children}
      </Popover>
    </div>
  );
}

/** Returns the views with a button in the bar. Their number is the same whichever view is shown. */
function viewsInBar(shown: TimelineName): readonly View[] {
  const usual = VIEWS.filter(({isRare}) => isRare !== true);
  const own = VIEWS.filter(({name}) => name === shown);
  return usual.some(({name}) => name === shown) ? usual : [...usual.slice(0, -1), ...own];
}

interface ViewButtonProps {
  readonly view: View;
  readonly isShown: boolean;
}

function ViewButton({view: {name, label, key}, isShown}: ViewButtonProps) {
  const {display} = useSession();
  return (
    <button
      type="button"
      aria-pressed={isShown}
      onClick={() => display.set({timeline: name})}
      title={`${label} (${key})`}
    >
      {label}
    </button>
  );
}

/** The choices that are seldom changed. Each has a key, except the button that hides the ghost. */
function MoreChoices() {
  const session = useSession();
  const timeline = useSessionState(state => state.view.timeline);
  const axis = useSessionState(state => state.view.axis);
  const layout = useSessionState(state => state.view.layout);
  const isAxisLocked = useSessionState(({view}) => stageOf(view).isAxisLocked);
  const hasGhost = useSessionState(({view, before}) => stageOf(view).hasGhost && before !== null);
  const hasModel = useSessionState(state => stageOf(state.view).hasModel);
  const isLive = useSessionState(({run}) => run !== null && isAllLive(run));
  const panes = useSessionState(({run}) => run?.traces.length ?? 0);
  const freezes = useSessionState(({view}) => stageOf(view).freezesAtLosses);
  const isFolded = useSessionState(({view}) => view.foldedPanes.length > 0);
  return (
    <>
      <label>
        percent{' '}
        <select
          aria-label="y axis"
          title="choose what the percent view counts (Y)"
          value={axis}
          disabled={timeline !== 'percent'}
          onChange={event => {
            const chosen = AXES.find(each => each === event.target.value);
            if (chosen !== undefined) session.display.set({axis: chosen});
          }}
        >
          {AXES.map(each => (
            <option key={each} value={each}>
              {AXIS_WORDS[each]}
            </option>
          ))}
        </select>
      </label>
      <button
        type="button"
        aria-pressed={layout === 'overlaid'}
        onClick={() => session.display.toggleLayout()}
        title="draw all panes in one graph (O)"
      >
        overlaid
      </button>
      <button
        type="button"
        aria-pressed={isAxisLocked}
        onClick={() => session.display.toggleStage('isAxisLocked')}
        title="keep the time axis long enough for the previous run, too (X)"
      >
        lock axis
      </button>
      {hasGhost && (
        <button
          type="button"
          className="quiet"
          onClick={() => session.screen.dismissBefore()}
          title="hide the previous run until settings change again"
          aria-label="hide the ghost"
        >
          ghost <Icon name="close" />
        </button>
      )}
      <button
        type="button"
        aria-pressed={hasModel && !isLive}
        disabled={isLive}
        onClick={() => toggleModel(session)}
        title={isLive ? NO_MODEL : `show the page time that L06’s model predicts (M): ${ASSUMPTIONS}`}
      >
        model
      </button>
      <button
        type="button"
        aria-pressed={freezes}
        disabled={isLive}
        onClick={() => session.display.toggleFreezes()}
        title="pause at losses, and show the data that waits for the lost packets (Z)"
      >
        freeze at losses
      </button>
      <button
        type="button"
        aria-pressed={isFolded}
        onClick={() => session.display.toggleAllFolded(panes)}
        title="fold the graphs to strips with their losses, or unfold them (H)"
      >
        fold graphs
      </button>
    </>
  );
}

/** The buttons that load the run again, or move t without playing. Each has a key. */
function PlayingChoices() {
  const session = useSession();
  const {player, screen} = session;
  const goTo = (tNs: (traces: readonly Trace[]) => number) => {
    player.pause();
    void player.seek(tNs(session.store.getState().run?.traces ?? []));
  };
  return (
    <>
      <button
        type="button"
        className="begins-group"
        onClick={() => screen.reload()}
        title="load the page again from the start (L)"
      >
        load again
      </button>
      <button type="button" onClick={() => goTo(() => 0)} title="go to the start (Home)">
        to the start
      </button>
      <button
        type="button"
        onClick={() => goTo(traces => previousEventNs(traces, player.tNs))}
        title="go back to the previous event (←)"
      >
        <Icon name="stepBack" /> previous event
      </button>
      <button
        type="button"
        onClick={() => goTo(traces => nextEventNs(traces, player.tNs))}
        title="go on to the next event (→)"
      >
        <Icon name="step" /> next event
      </button>
    </>
  );
}

const AXIS_WORDS = {bytes: 'of bytes', scans: 'of scans', visual: 'visual'} as const;
