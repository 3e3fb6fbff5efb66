import {type FormEvent, useId, useState} from 'react';
import {pipelineOf} from '../../app/pipelines/index.ts';
import type {Json} from '../../app/scenario/document.ts';
import {livePart} from '../../app/scenario/livePath.ts';
import type {Scenario} from '../../app/scenario/scenario.ts';
import {useSession, useSessionState} from '../store/context.ts';
import {editAll} from '../store/edit.ts';
import type {Session} from '../store/session.ts';
import {ChoiceField} from './ChoiceField.tsx';
import {RunningPathFields} from './RunningPathFields.tsx';

/** Where a live page comes from, and whether its panes load together. Nothing is loaded before Enter. */
export function LiveSettings({isAsking}: {readonly isAsking: boolean}) {
  const session = useSession();
  const {path, panes} = useSessionState(state => state.scenario);
  const [typed, setTyped] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const id = useId();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const live = (typed ?? path.live ?? '').trim();
    const wrong = chooseLive(session, {...livePart(path), live, atOnce: path.atOnce === true});
    setProblem(wrong);
    if (wrong === null) setTyped(null);
  };
  const order = (isAtOnce: boolean) => () => void session.choose('path.atOnce', isAtOnce);
  return (
    <form className="live" onSubmit={submit}>
      <div className="field field-choice">
        <label htmlFor={id}>Server</label>
        <span className="live-server">
          <input
            id={id}
            type="text"
            autoComplete="off"
            spellCheck={false}
            // biome-ignore lint/a11y/noAutofocus: whoever chose it is about to type
            autoFocus={isAsking}
            placeholder={EXAMPLE}
            title="HOST:PORT of interleave serve, or of a path that leads to it"
            aria-invalid={problem !== null}
            value={typed ?? path.live ?? ''}
            onChange={event => setTyped(event.target.value)}
          />
          <button
            type="submit"
            className="quiet"
            title="load from there (Enter)"
            aria-label="load from there"
          >
            ↻
          </button>
        </span>
        {problem !== null && (
          <p className="refused" role="alert">
            {problem}
          </p>
        )}
      </div>
      {path.live !== undefined && panes.some(({pipeline}) => pipelineOf(pipeline).live?.isOverTcp) && (
        <ChoiceField settingKey="path.tcp" label="TCP" value={path.tcp ?? 'kernel'} choices={TCPS} />
      )}
      {path.live !== undefined && panes.length > 1 && (
        <fieldset className="holds">
          <legend>Panes load</legend>
          <div className="segments">
            <label>
              <input type="radio" name="order" checked={path.atOnce !== true} onChange={order(false)} /> one
              after the other
            </label>
            <label>
              <input type="radio" name="order" checked={path.atOnce === true} onChange={order(true)} /> at
              once
            </label>
          </div>
        </fieldset>
      )}
      {path.live !== undefined && <RunningPathFields live={path.live} />}
      <p className="note">Escape ends a load, L loads again.</p>
    </form>
  );
}

/** Loads from there; or what is wrong with it. */
function chooseLive(session: Session, path: Json): string | null {
  const {scenario} = session.store.getState();
  // nobody can change the path on the way, as the emulated one's is
  const parsed = editAll(scenario, [
    ['changes', []],
    ['path', path],
  ]);
  if (!parsed.ok) return parsed.problems[0]?.message ?? 'not a server';
  session.chooseScenario(parsed.scenario);
  return null;
}

/** Back on the path that was emulated last, or the one of the beginning. */
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
  session.chooseScenario({...parsed.scenario, path, changes});
}

function withoutPaths({panes}: Scenario): readonly Json[] {
  return panes.map(({path: _, ...pane}) => ({...pane}) as Json);
}

const TCPS = [
  ['kernel', 'the kernel’s'],
  ['udp', 'ours, in UDP'],
] as const;

const EXAMPLE = '127.0.0.1:9899';
