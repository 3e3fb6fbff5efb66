import {type Json, paneDocument} from '../../app/scenario/document.ts';
import type {Pane} from '../../app/scenario/pane.ts';
import {useSession, useSessionState} from '../store/context.ts';
import {ChoiceField} from './ChoiceField.tsx';
import {NumberField} from './NumberField.tsx';
import {linearScale} from './scale.ts';

const STREAMS = linearScale({from: 1, to: 64, factor: 1, digits: 2, isInteger: true});

const SEND_BUFFERS: readonly (readonly [Json, string])[] = [
  [null, 'the whole transfer'],
  [{objects: 1}, '1 object'],
  [{objects: 2}, '2 objects'],
  [{objects: 4}, '4 objects'],
  [{bytes: 4096}, '4 KiB'],
  [{bytes: 16_384}, '16 KiB'],
  [{bytes: 65_536}, '64 KiB'],
];

/** Every pane's own settings; panes are added and removed here. */
export function PaneSettings() {
  const panes = useSessionState(state => state.scenario.panes);
  const session = useSession();
  const set = (documents: readonly Json[]) => {
    session.choose('panes', documents);
  };
  return (
    <>
      {panes.map((pane, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a pane is its place
        <fieldset key={index}>
          <legend>
            Pane {index + 1}
            {panes.length > 1 && (
              <button
                type="button"
                className="quiet"
                aria-label={`remove pane ${index + 1}`}
                onClick={() => set(panes.filter((_, at) => at !== index).map(paneDocument))}
              >
                ×
              </button>
            )}
          </legend>
          <OnePane pane={pane} index={index} />
        </fieldset>
      ))}
      {panes.length < MOST_PANES && (
        <button type="button" onClick={() => set([...panes, ...panes.slice(-1)].map(paneDocument))}>
          Add a pane
        </button>
      )}
    </>
  );
}

interface OnePaneProps {
  readonly pane: Pane;
  readonly index: number;
}

function OnePane({pane, index}: OnePaneProps) {
  const session = useSession();
  const settingKey = `panes[${index}]`;
  return (
    <>
      <div className="field">
        <label>
          Pipeline{' '}
          <select
            value={pane.pipeline}
            onChange={event => {
              const pipeline = event.target.value;
              // what this pane was before over that pipeline; the settings that both have stay
              const {past} = session.store.getState();
              const last = past.map(({panes}) => panes[index]).findLast(each => each?.pipeline === pipeline);
              const {sendBuffer = null} = paneDocument(pane);
              const profile = pane.profile === 'reno' ? 'classic' : pane.profile;
              const before = last === undefined ? {} : paneDocument(last);
              session.choose(settingKey, {...before, pipeline, profile, sendBuffer});
            }}
          >
            <option value="tcp">TCP, pipelined</option>
            <option value="sctp">SCTP, streams</option>
          </select>
        </label>
      </div>
      <ChoiceField
        settingKey={`${settingKey}.profile`}
        label="Profile"
        value={pane.profile}
        choices={pane.pipeline === 'tcp' ? TCP_PROFILES : SCTP_PROFILES}
      />
      {pane.pipeline === 'sctp' && <SctpSettings pane={pane} settingKey={settingKey} />}
      <ChoiceField
        settingKey={`${settingKey}.sendBuffer`}
        label="Send buffer"
        value={paneDocument(pane)['sendBuffer'] ?? null}
        choices={SEND_BUFFERS}
      />
    </>
  );
}

interface SctpSettingsProps {
  readonly pane: Extract<Pane, {pipeline: 'sctp'}>;
  readonly settingKey: string;
}

function SctpSettings({pane, settingKey}: SctpSettingsProps) {
  return (
    <>
      <NumberField
        settingKey={`${settingKey}.streams`}
        label="Streams"
        unit=""
        value={pane.streams}
        scale={STREAMS}
      />
      <ChoiceField
        settingKey={`${settingKey}.fragmentation`}
        label="Messages"
        value={pane.fragmentation}
        choices={[
          [true, 'of one packet'],
          [false, 'one per response'],
        ]}
      />
      <ChoiceField
        settingKey={`${settingKey}.scheduler`}
        label="Scheduler"
        value={pane.scheduler}
        choices={[
          ['round-robin', 'round-robin'],
          ['first-come', 'first come'],
        ]}
      />
      <ChoiceField
        settingKey={`${settingKey}.server`}
        label="Server"
        value={pane.server}
        choices={[
          ['sequential', 'one response at a time'],
          ['interleaving', 'several at once'],
        ]}
      />
    </>
  );
}

const TCP_PROFILES = [
  ['classic', 'classic (2007)'],
  ['modern', 'modern'],
  ['reno', 'Reno, no SACK'],
] as const;
const SCTP_PROFILES = TCP_PROFILES.slice(0, 2);
const MOST_PANES = 4;
