import {Icon} from '../../kit/Icon.tsx';
import {useSession, useSessionState} from '../../session/context.tsx';
import type {Feature} from '../feature.ts';
import {ChangeList} from './Changes.tsx';
import {PaneSettings} from './PaneSettings.tsx';
import {PathSettings} from './PathSettings.tsx';
import {QualitySettings} from './QualitySettings.tsx';
import {LoadingSettings, RunSettings} from './RunSettings.tsx';
import {settingCommands} from './settingCommands.ts';
import './settings.css';

/** The settings beside the run, with undo and redo. */
export const settings: Feature = {
  name: 'settings',
  toolbar: [{group: 'edit', Entry: HistoryButtons}],
  keys: [
    {key: 'Ctrl z', group: 'edit', text: 'undo', act: session => session.history.undo()},
    {key: 'Ctrl Z', group: 'edit', text: 'redo', act: session => session.history.redo()},
  ],
  commands: settingCommands,
  side: [
    {place: 'settings', region: 'the run’s settings', View: RunSettings},
    {place: 'settings', region: 'the path’s settings', View: PathAndChanges},
    {place: 'settings', region: 'the panes’ settings', View: PaneSettings},
    {place: 'settings', region: 'the settings of loading and quality', View: LoadingAndQuality},
  ],
};

function HistoryButtons() {
  const session = useSession();
  const canUndo = useSessionState(state => state.past.length > 0);
  const canRedo = useSessionState(state => state.future.length > 0);
  // a button that can do nothing is hidden but keeps its place, so that the other buttons never move
  return (
    <span className="history">
      <button
        type="button"
        disabled={!canUndo}
        onClick={() => session.history.undo()}
        title="undo (Ctrl Z)"
        aria-label="undo"
      >
        <Icon name="undo" />
      </button>
      <button
        type="button"
        disabled={!canRedo}
        onClick={() => session.history.redo()}
        title="redo (Ctrl Shift Z)"
        aria-label="redo"
      >
        <Icon name="redo" />
      </button>
    </span>
  );
}

function PathAndChanges() {
  return (
    <>
      <PathSettings />
      {/* not inside the path's fieldset: if an element is added to a fieldset, Chromium ends a drag of its sliders */}
      <ChangeList />
    </>
  );
}

function LoadingAndQuality() {
  return (
    <>
      <LoadingSettings />
      <QualitySettings />
    </>
  );
}
