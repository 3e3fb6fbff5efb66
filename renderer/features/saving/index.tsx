import {commandLine} from '../../../app/run/scenario/commandLine.ts';
import {scenarioDocument} from '../../../app/run/scenario/document.ts';
import {scenarioLink, siteLink} from '../../../app/run/scenario/link.ts';
import {CopyButton} from '../../kit/CopyButton.tsx';
import {useSession, useSessionState} from '../../session/context.tsx';
import type {Feature} from '../feature.ts';
import {RunFiles} from './RunFiles.tsx';
import {saveShown} from './savedRun.ts';

/** Saves the scenario and its run as files, and copies the scenario as a command and as a link. */
export const saving: Feature = {
  name: 'saving',
  toolbar: [{group: 'more', Entry: SaveButtons}],
  keys: [{key: 'Ctrl s', group: 'edit', text: 'save the scenario', act: saveShown}],
  side: [{place: 'files', region: 'the run’s files', View: RunFiles}],
};

function SaveButtons() {
  const session = useSession();
  const scenario = useSessionState(state => state.scenario);
  const isOfFiles = session.traces.panesOf(scenario) !== undefined;
  const isLive = scenario.path.live !== undefined;
  return (
    <>
      <button
        type="button"
        onClick={() => saveShown(session)}
        title={
          isOfFiles || isLive ? 'save the panes on screen as one trace file (Ctrl S)' : 'save the scenario (Ctrl S)'
        }
      >
        Save
      </button>
      <CopyButton
        isDisabled={isOfFiles}
        label="Copy command"
        title="copy the command that runs this scenario"
        text={() => commandLine('run', scenario)}
      />
      <CopyButton
        isDisabled={isOfFiles}
        label="Copy link"
        title="copy a link that contains this scenario"
        text={() => {
          const {linkAddress} = session.store.getState();
          const document = scenarioDocument(scenario);
          return linkAddress === null ? scenarioLink(document) : siteLink(document, linkAddress);
        }}
      />
    </>
  );
}
