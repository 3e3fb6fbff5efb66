import type {ReactNode} from 'react';
import {useSession, useSessionState} from '../store/context.ts';
import {VIEWS} from '../timeline/views/list.ts';

interface TimelineBarProps {
  /** More that is chosen of the timeline, at the row's end: a `.segments` of a few, or single buttons. */
  readonly children?: ReactNode;
}

/** How the timeline below it shows the run. */
export function TimelineBar({children}: TimelineBarProps) {
  const session = useSession();
  const timeline = useSessionState(state => state.view.timeline);
  const layout = useSessionState(state => state.view.layout);
  return (
    <div className="timeline-bar" role="toolbar" aria-label="timeline">
      <fieldset className="segments">
        <legend>timeline</legend>
        {VIEWS.map(({name, label, key}) => (
          <button
            key={name}
            type="button"
            aria-pressed={timeline === name}
            onClick={() => session.setView({timeline: name})}
            title={`${label} (${key})`}
          >
            {label}
          </button>
        ))}
      </fieldset>
      <button
        type="button"
        aria-pressed={layout === 'overlaid'}
        onClick={() => session.toggleLayout()}
        title="all panes in one graph (O)"
      >
        overlaid
      </button>
      <span className="spring" />
      {children}
    </div>
  );
}
