import {type ChangeEvent, useMemo, useRef} from 'react';
import {showName} from '../../../app/base/text.ts';
import {paneTitles} from '../../../app/pipelines/paneLabels.ts';
import {isComputedPath} from '../../../app/run/scenario/capturedPath.ts';
import {describeRunPath, describeSeed} from '../../../app/run/scenario/describe.ts';
import {MOST_PANES, type Scenario} from '../../../app/run/scenario/scenario.ts';
import type {FilePane} from '../../../app/run/trace/joinRuns.ts';
import {useSession, useSessionState} from '../../session/context.tsx';
import type {TracePanes} from '../../session/traceRuns.ts';
import {addChosen, filesOf} from './chosenFiles.ts';
import './opening.css';

/**
 * Replaces the settings while trace files are shown. It describes each file's run, and lets the user choose which panes
 * are shown.
 */
export function TraceFilePanes() {
  const session = useSession();
  const traces = useSessionState(({scenario}) => session.traces.panesOf(scenario));
  return traces === undefined ? null : <FilePanes traces={traces} />;
}

function FilePanes({traces}: {readonly traces: TracePanes}) {
  const session = useSession();
  const files = useMemo(() => byFile(traces.all), [traces]);
  const {shown} = traces;
  const toggle = (pane: FilePane): void => {
    const isShown = shown.includes(pane);
    const next = traces.all.filter(each => (each === pane ? !isShown : shown.includes(each)));
    session.documents.showTraces({...traces, shown: next});
  };
  return (
    <fieldset className="trace-files">
      <legend>Trace files</legend>
      <p>These runs were recorded, so their settings cannot be changed.</p>
      {files.map(([file, panes]) => (
        <section key={file}>
          <h3 title={file}>{showName(file, LONGEST_NAME)}</h3>
          {panes.map(pane => {
            const isShown = shown.includes(pane);
            return (
              <label key={pane.pane}>
                <input
                  type="checkbox"
                  checked={isShown}
                  disabled={isShown ? shown.length === 1 : shown.length === MOST_PANES}
                  onChange={() => toggle(pane)}
                />{' '}
                {paneTitles(pane.scenario.panes)[pane.pane]}
              </label>
            );
          })}
          <FileRun panes={panes} />
        </section>
      ))}
      <p className="dialog-buttons">
        <AddTraces>Add traces…</AddTraces>
      </p>
    </fieldset>
  );
}

/** The page and the path of a file's run. A button computes or loads the run again, unless the run is a capture. */
function FileRun({panes: [first]}: {readonly panes: readonly FilePane[]}) {
  const session = useSession();
  if (first === undefined) return null;
  const {scenario} = first;
  const isLive = scenario.path.live !== undefined;
  // the load in a capture was made by other programs, so it cannot be repeated here
  if (scenario.path.captured !== undefined)
    return (
      <p>
        <small>{runText(scenario)}</small>
      </p>
    );
  return (
    <p>
      <small>{runText(scenario)}</small>{' '}
      <button
        type="button"
        className="quiet"
        title={
          isLive
            ? 'load the run live again; then its settings can be changed'
            : 'compute the run again; then its settings can be changed'
        }
        onClick={() => session.history.chooseScenario(scenario)}
      >
        {isLive ? 'Load again' : 'Compute'}
      </button>
    </p>
  );
}

function runText(scenario: Scenario): string {
  const {page, path} = scenario;
  const name = page.kind === 'synthetic' ? 'synthetic page' : showName(page.name, LONGEST_NAME);
  return [name, describeRunPath(scenario, path), ...(isComputedPath(path) ? [describeSeed(scenario)] : [])].join(' · ');
}

/** A button that opens trace files or captures beside the run on screen. */
export function AddTraces({children, onChosen}: {readonly children: string; readonly onChosen?: () => void}) {
  const session = useSession();
  const input = useRef<HTMLInputElement>(null);
  const add = async ({target}: ChangeEvent<HTMLInputElement>) => {
    const files = filesOf(target.files);
    // the value is cleared, so that the same file can be chosen again
    target.value = '';
    onChosen?.();
    await addChosen(session, files);
  };
  return (
    <>
      <button
        type="button"
        title="open trace files or captures as panes beside those on screen"
        onClick={() => input.current?.click()}
      >
        {children}
      </button>
      <input
        ref={input}
        className="add-traces"
        type="file"
        multiple
        hidden
        accept=".trace,.gz,.pcapng,.pcap,.qlog,.sqlog,.json,.har,.keys,.log,.txt"
        onChange={event => void add(event)}
      />
    </>
  );
}

function byFile(panes: readonly FilePane[]): readonly (readonly [file: string, panes: readonly FilePane[]])[] {
  const files = new Map<string, FilePane[]>();
  for (const pane of panes) files.set(pane.file, [...(files.get(pane.file) ?? []), pane]);
  return [...files];
}

const LONGEST_NAME = 60;
