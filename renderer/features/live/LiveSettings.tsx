import {type FormEvent, useId, useState} from 'react';
import type {Json} from '../../../app/base/json.ts';
import {pipelineOf} from '../../../app/pipelines/index.ts';
import {livePart} from '../../../app/run/scenario/livePath.ts';
import type {Scenario} from '../../../app/run/scenario/scenario.ts';
import {ChoiceField} from '../../kit/ChoiceField.tsx';
import {useSession, useSessionState} from '../../session/context.tsx';
import {editAll} from '../../session/editScenario.ts';
import type {Session} from '../../session/session.ts';
import {RunningPathFields} from './RunningPathFields.tsx';

/** The settings of a live load: its server, its TCP, whether its panes load together, and the path to its server. */
export function LiveSettings({isAsking}: {readonly isAsking: boolean}) {
  const session = useSession();
  const {path, panes} = useSessionState(state => state.scenario);
  const order = (isAtOnce: boolean) => () => void session.history.choose('path.atOnce', isAtOnce);
  return (
    <>
      <ServerForm isAsking={isAsking} />
      {path.live !== undefined && panes.some(({pipeline}) => pipelineOf(pipeline).live?.isOverTcp) && (
        <ChoiceField settingKey="path.tcp" label="TCP" value={path.tcp ?? 'kernel'} choices={TCPS} />
      )}
      {path.live !== undefined && panes.length > 1 && (
        <fieldset className="holds">
          <legend>Panes load</legend>
          <div className="segments">
            <label>
              <input type="radio" name="order" checked={path.atOnce !== true} onChange={order(false)} /> one after the
              other
            </label>
            <label>
              <input type="radio" name="order" checked={path.atOnce === true} onChange={order(true)} /> at once
            </label>
          </div>
        </fieldset>
      )}
      {/* outside of the form, so that Enter in these fields does not start a load */}
      {path.live !== undefined && <RunningPathFields live={path.live} />}
      <p className="note">Escape ends a load, L loads again.</p>
    </>
  );
}

/**
 * The fields for the server's address and, if a pane needs it, for the hash of the server's certificate. The load
 * begins when the user presses Enter.
 */
function ServerForm({isAsking}: {readonly isAsking: boolean}) {
  const session = useSession();
  const {path, panes} = useSessionState(state => state.scenario);
  const [typed, setTyped] = useState<Typed>({});
  const [problem, setProblem] = useState<string | null>(null);
  const live = typed.live ?? path.live ?? '';
  const fingerprint = typed.fingerprint ?? path.fingerprint ?? '';
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const {fingerprint: _, ...others} = livePart({...path, live: live.trim()}) ?? {};
    const pinned = fingerprint.trim() === '' ? {} : {fingerprint: fingerprint.trim()};
    const wrong = chooseLive(session, {...others, ...pinned, atOnce: path.atOnce === true});
    setProblem(wrong);
    if (wrong !== null) return;
    setTyped({});
    // without the focus in this form, the window's shortcuts work again
    const {activeElement} = document;
    if (activeElement instanceof HTMLElement && form.contains(activeElement)) activeElement.blur();
  };
  const type = (change: Typed) => setTyped({...typed, ...change});
  return (
    <form onSubmit={submit}>
      <TextField
        label="Server"
        // the user who chose this path is about to type the address
        isFirst={isAsking}
        placeholder="127.0.0.1:9899"
        title="HOST:PORT of `interleave serve`, or of an `interleave path` in front of it; Enter loads the page"
        value={live}
        onType={text => type({live: text})}
      />
      {panes.some(({pipeline}) => pipelineOf(pipeline).live?.hasCertificate === true) && (
        <TextField
          label="SHA-256"
          placeholder="of its certificate"
          title="SHA-256 of the HTTP/3 certificate: the 64 hexadecimal digits that `interleave serve` prints"
          value={fingerprint}
          onType={text => type({fingerprint: text})}
        />
      )}
      {problem !== null && (
        <p className="refused" role="alert">
          {problem}
        </p>
      )}
      {/* a form with several fields is submitted by Enter only if it has a submit button */}
      <input type="submit" hidden />
    </form>
  );
}

interface Typed {
  readonly live?: string;
  readonly fingerprint?: string;
}

interface TextFieldProps {
  readonly label: string;
  readonly isFirst?: boolean;
  readonly placeholder: string;
  readonly title: string;
  readonly value: string;
  readonly onType: (text: string) => void;
}

function TextField({label, isFirst = false, onType, ...props}: TextFieldProps) {
  const id = useId();
  return (
    <div className="field field-choice">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type="text"
        autoComplete="off"
        spellCheck={false}
        // biome-ignore lint/a11y/noAutofocus: the user asked for this field
        autoFocus={isFirst}
        onChange={event => onType(event.target.value)}
        {...props}
      />
    </div>
  );
}

/** Loads from a server. Returns a message if the settings are invalid, otherwise null. */
function chooseLive(session: Session, path: Json): string | null {
  const {scenario} = session.store.getState();
  // only an emulated path has timed changes
  const parsed = editAll(scenario, [
    ['changes', []],
    ['path', path],
  ]);
  if (!parsed.ok) return parsed.problems[0]?.message ?? 'not a server';
  session.history.chooseScenario(parsed.scenario);
  return null;
}

/** Goes back to the emulated path that was set last, or to the default path. */
export function leaveLive(session: Session): void {
  const {past, scenario} = session.store.getState();
  if (scenario.path.live === undefined) return;
  const before = past.findLast(({path}) => path.live === undefined);
  const parsed = editAll(scenario, [
    ['panes', withoutPaths(scenario)],
    ['path', {}],
  ]);
  if (!parsed.ok) return;
  const {path, changes} = before ?? parsed.scenario;
  session.history.chooseScenario({...parsed.scenario, path, changes});
}

function withoutPaths({panes}: Scenario): readonly Json[] {
  return panes.map(({path: _, ...pane}) => ({...pane}) as Json);
}

const TCPS = [
  ['kernel', 'the kernel’s'],
  ['udp', 'Interleave’s, in UDP'],
] as const;
