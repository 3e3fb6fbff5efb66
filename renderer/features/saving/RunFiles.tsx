import {useMemo} from 'react';
import {har} from '../../../app/export/har.ts';
import {paneTitle} from '../../../app/export/paneTitle.ts';
import type {Vantage} from '../../../app/export/qlog.ts';
import {pageAs} from '../../../app/page/page.ts';
import {livePathOf} from '../../../app/run/scenario/livePath.ts';
import {Section} from '../../kit/Section.tsx';
import {saveBytes} from '../../kit/savedFile.ts';
import {useSession, useSessionState} from '../../session/context.tsx';
import type {ShownRun} from '../../session/loads.ts';
import {SavePageButton} from '../../session/SavePageButton.tsx';
import type {Session} from '../../session/session.ts';
import {labelsOf} from '../../session/sources.ts';
import {sourceOf} from '../../session/traceFiles.ts';
import {paneLog} from './paneLog.ts';
import {saveTraces} from './savedRun.ts';

/** Buttons that save the run on screen for other tools. The formats are those of the command line. */
export function RunFiles() {
  const run = useSessionState(state => state.run);
  return run === null ? null : <FilesOf run={run} />;
}

function FilesOf({run}: {readonly run: ShownRun}) {
  const session = useSession();
  const labels = useMemo(() => labelsOf(run), [run]);
  const {page} = run.scenario;
  const version = useSessionState(state => state.version);
  return (
    <Section name="files" title="Files" hint="trace, qlog, HAR, pcapng">
      {labels.map((label, pane) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a pane is identified by its position
        <fieldset key={pane} className="run-files">
          <legend>{label}</legend>
          {VANTAGES.map(vantage => (
            <button
              key={vantage}
              type="button"
              title={`what the ${vantage} saw, for qvis (qlog)`}
              onClick={() => void saveLog(session, run, pane, vantage)}
            >
              qlog {vantage}
            </button>
          ))}
          <button
            type="button"
            title="requests, times and contents, for a browser’s DevTools (HAR)"
            onClick={() => saveArchive(run, pane, version)}
          >
            HAR
          </button>
          <button
            type="button"
            title="all packets, for Wireshark (pcapng)"
            onClick={() => void savePackets(session, run, pane)}
          >
            pcapng
          </button>
        </fieldset>
      ))}
      <fieldset className="run-files">
        <legend>All panes</legend>
        <button
          type="button"
          title="the whole run, which can be opened here again, also beside other runs"
          onClick={() => saveTraces(run, version)}
        >
          trace
        </button>
      </fieldset>
      {page.kind === 'bundle' && (
        <fieldset className="run-files">
          <legend>The page</legend>
          <SavePageButton page={page}>zip</SavePageButton>
        </fieldset>
      )}
    </Section>
  );
}

const VANTAGES: readonly Vantage[] = ['client', 'server'];

async function saveLog(session: Session, run: ShownRun, pane: number, vantage: Vantage): Promise<void> {
  const {highlights, store} = session;
  const program = `interleave ${store.getState().version}`;
  const log = await paneLog(run, pane, {vantage, program, captureOf: highlights.captureOf});
  const name = `${nameOf(sourceOf(run, pane).scenario.seed, pane)}-${vantage}.sqlog`;
  if (log.ok) save(name, log.text, 'application/qlog+json-seq');
  else session.notices.showMessage(`${name} cannot be saved: ${log.message}`);
}

async function savePackets({highlights, notices}: Session, run: ShownRun, pane: number): Promise<void> {
  const name = `${nameOf(sourceOf(run, pane).scenario.seed, pane)}.pcapng`;
  const answer = await highlights.captureOf(run, pane);
  if (answer.ok) saveBytes(name, answer.capture, 'application/octet-stream');
  else notices.showMessage(`${name} cannot be saved: ${answer.message}`);
}

function saveArchive(run: ShownRun, number: number, version: string): void {
  const {page, scenario, pane: place} = sourceOf(run, number);
  const [trace, pane] = [run.traces[number], scenario.panes[place]];
  if (trace === undefined || pane === undefined) return;
  const title = paneTitle(page, scenario, place);
  const loaded = pageAs(page, pane.conversion);
  const isLive = livePathOf(scenario, pane) !== undefined;
  const text = har(trace, {page: loaded, pane, isLive, title, version, hasContent: true});
  save(`${nameOf(scenario.seed, number)}.har`, text, 'application/json');
}

function nameOf(seed: number, pane: number): string {
  return `interleave-seed-${seed}-pane-${pane + 1}`;
}

function save(name: string, text: string, type: string): void {
  saveBytes(name, new TextEncoder().encode(text), type);
}
