import {useStore} from 'zustand';
import {commandLine} from '../../app/run/scenario/commandLine.ts';
import {scenarioDocument} from '../../app/run/scenario/document.ts';
import {scenarioLink} from '../../app/run/scenario/link.ts';
import {AdviceButton} from '../features/advice/AdviceProgress.tsx';
import {doneRuns, wantedRuns} from '../features/experiments/gridRuns.ts';
import {AddressBar} from '../features/opening/AddressBar.tsx';
import {CopyButton} from '../kit/CopyButton.tsx';
import {useSession, useSessionState} from '../session/context.ts';
import {saveShown} from '../session/files.ts';

/** What is done with the run as a whole. How its timeline is looked at stands above that: `TimelineBar`. */
export function Toolbar() {
  const session = useSession();
  const scenario = useSessionState(state => state.scenario);
  const view = useSessionState(state => state.view);
  const isOfFiles = session.traces.panesOf(scenario) !== undefined;
  const isLive = scenario.path.live !== undefined;
  const canUndo = useSessionState(state => state.past.length > 0);
  const canRedo = useSessionState(state => state.future.length > 0);
  return (
    <nav className="toolbar" aria-label="run and view">
      <strong className="brand">Interleave</strong>
      <div className="group">
        <button type="button" disabled={!canUndo} onClick={() => session.settings.undo()} title="undo (Ctrl Z)">
          ↶
        </button>
        <button type="button" disabled={!canRedo} onClick={() => session.settings.redo()} title="redo (Ctrl Shift Z)">
          ↷
        </button>
      </div>
      <div className="group">
        <button
          type="button"
          onClick={() => session.opener.openMenu(true)}
          title="open a page, scenario, trace or story (Ctrl O)"
        >
          Open
        </button>
        <button
          type="button"
          onClick={() => saveShown(session)}
          title={isOfFiles || isLive ? 'save what is on show as one trace file (Ctrl S)' : 'save the scenario (Ctrl S)'}
        >
          Save
        </button>
        <CopyButton
          isDisabled={isOfFiles}
          label="Copy command"
          title="copy the command line that gives this run"
          text={() => commandLine('run', scenario)}
        />
        <CopyButton
          isDisabled={isOfFiles}
          label="Copy link"
          title="copy a link that holds this scenario"
          text={() => scenarioLink(scenarioDocument(scenario))}
        />
      </div>
      <div className="group">
        <button
          type="button"
          onClick={() => session.display.set({isRecordOpen: true})}
          title="record a movie or a picture (R)"
        >
          Record
        </button>
        <button type="button" onClick={() => session.story.openMenu(true)} title="stories, told step by step (S)">
          Stories
        </button>
        <ExperimentButton isOpen={view.panel === 'experiment'} isDisabled={isOfFiles || isLive} />
        <AdviceButton isDisabled={isOfFiles || isLive} />
      </div>
      <AddressBar />
      <div className="group">
        <button
          type="button"
          aria-pressed={view.areControlsOpen}
          onClick={() => session.display.toggleControls()}
          title="settings and metrics (C)"
        >
          Settings
        </button>
        <button type="button" onClick={() => session.display.set({isHelpOpen: true})} title="help (?)">
          ?
        </button>
      </div>
      <button
        type="button"
        className="primary"
        aria-pressed={view.isPresenting}
        onClick={() => session.display.present(!view.isPresenting)}
        title="presenter mode (P)"
      >
        Present
      </button>
    </nav>
  );
}

/** While its runs come and nobody looks, it tells how far they are. */
function ExperimentButton({isOpen, isDisabled}: {readonly isOpen: boolean; readonly isDisabled: boolean}) {
  const session = useSession();
  const percent = useStore(session.experiment.runs.store, state =>
    state.isBusy ? Math.floor((100 * doneRuns(state)) / wantedRuns(state)) : null,
  );
  return (
    <button
      type="button"
      disabled={isDisabled}
      aria-pressed={isOpen}
      onClick={() => session.togglePanel('experiment')}
      title="vary a setting, over many seeds, as a figure (V)"
    >
      Experiment{percent !== null && !isOpen && ` ${percent} %`}
    </button>
  );
}
