import {Fragment, type ReactNode} from 'react';
import {type Feature, TOOLBAR_GROUPS, useFeatures} from '../features/feature.ts';
import {Icon} from '../kit/Icon.tsx';
import {Menu} from '../kit/Menu.tsx';
import {useSession, useSessionState} from '../session/context.tsx';

/** The buttons for the run as a whole. `TimelineBar` has the buttons for the timeline. */
export function Toolbar() {
  const features = useFeatures();
  const entries = [...features, WINDOW].flatMap(({name, toolbar = []}) => toolbar.map(entry => ({name, ...entry})));
  return (
    <nav className="toolbar" aria-label="run and view">
      <Brand />
      {TOOLBAR_GROUPS.map(group => {
        const own = entries.filter(entry => entry.group === group).map(({name, Entry}) => <Entry key={name} />);
        if (group === 'wide') return <Fragment key={group}>{own}</Fragment>;
        return (
          <div key={group} className="group">
            {group === 'more' ? <More>{own}</More> : own}
          </div>
        );
      })}
      <PresentButton />
    </nav>
  );
}

/** The program's name. It leads to the start screen, if there is one. */
function Brand() {
  const {display} = useSession();
  const hasStart = useFeatures().some(({dialogs = []}) => dialogs.some(({name}) => name === 'start'));
  if (!hasStart) return <strong className="brand">Interleave</strong>;
  return (
    <button type="button" className="brand" onClick={() => display.openDialog('start')} title="go to the start screen">
      Interleave
    </button>
  );
}

/** The buttons that are seldom pressed. */
function More({children}: {readonly children: readonly ReactNode[]}) {
  if (children.length === 0) return null;
  return (
    <Menu label="Tools" title="save, copy, experiment, advice">
      {children}
    </Menu>
  );
}

function WindowButtons() {
  const {display} = useSession();
  const areControlsOpen = useSessionState(state => state.view.areControlsOpen);
  return (
    <>
      <button
        type="button"
        aria-pressed={areControlsOpen}
        onClick={() => display.toggleControls()}
        title="show or hide settings and metrics (C)"
      >
        <Icon name="settings" /> Settings
      </button>
      <button type="button" onClick={() => display.openDialog('help')} title="help (?)" aria-label="help">
        <Icon name="help" />
      </button>
    </>
  );
}

function PresentButton() {
  const {display} = useSession();
  const isPresenting = useSessionState(state => state.view.isPresenting);
  return (
    <button
      type="button"
      className="primary"
      aria-pressed={isPresenting}
      onClick={() => display.present(!isPresenting)}
      title="enter or leave presenter mode (P)"
    >
      <Icon name="present" /> Present
    </button>
  );
}

const WINDOW: Pick<Feature, 'name' | 'toolbar'> = {
  name: 'window',
  toolbar: [{group: 'window', Entry: WindowButtons}],
};
