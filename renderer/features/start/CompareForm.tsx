import {useId} from 'react';
import {useStore} from 'zustand';
import {COMPARE_PATHS, COMPARED_TRANSPORTS, wrongNumber} from '../../../app/run/scenario/compare.ts';
import {useModal} from '../../kit/useModal.ts';
import {useSession, useSessionState, useStateOf} from '../../session/context.tsx';
import type {DoorProps} from '../feature.ts';
import {START} from './startScreen.ts';

export function CompareDoor({leave}: DoorProps) {
  return <CompareForm onCompare={leave} />;
}

export function CompareDialog() {
  const {display} = useSession();
  const isOpen = useSessionState(state => state.view.dialog === 'compare');
  const dialog = useModal(isOpen);
  const close = () => display.closeDialog('compare');
  return (
    <dialog ref={dialog} className="compare" aria-labelledby="compare-title" onClose={close}>
      <h2 id="compare-title">Compare transports</h2>
      {isOpen && (
        <CompareForm onCompare={close}>
          <button type="button" onClick={close}>
            Close
          </button>
        </CompareForm>
      )}
    </dialog>
  );
}

interface CompareFormProps {
  readonly onCompare: () => void;
  /** More buttons beside 'Compare'. */
  readonly children?: React.ReactNode;
}

/** Chooses a path and the transports that load the page over it, each in its own pane. */
function CompareForm({onCompare, children}: CompareFormProps) {
  const start = useStateOf(START);
  const {path, transports} = useStore(start.choice);
  const problem = wrongNumber({transports});
  const id = useId();
  const toggle = (name: string) => {
    const others = transports.filter(each => each !== name);
    start.choice.setState({transports: others.length < transports.length ? others : [...transports, name]});
  };
  return (
    <form
      className="compare-form"
      onSubmit={event => {
        event.preventDefault();
        if (problem !== null) return;
        start.compare();
        onCompare();
      }}
    >
      <label htmlFor={id}>on this path</label>
      <select id={id} value={path} onChange={event => start.choice.setState({path: event.target.value})}>
        {COMPARE_PATHS.map(({preset, label}) => (
          <option key={preset} value={preset}>
            {label}
          </option>
        ))}
      </select>
      <fieldset className="transports">
        <legend>over these transports</legend>
        {COMPARED_TRANSPORTS.map(({name, label, about}) => (
          <label key={name} title={about}>
            <input type="checkbox" checked={transports.includes(name)} onChange={() => toggle(name)} /> {label}
          </label>
        ))}
      </fieldset>
      {problem !== null && (
        <p className="refused" id={`${id}-problem`} role="alert">
          {problem}
        </p>
      )}
      <p className="door-buttons">
        <button
          type="submit"
          className="primary"
          aria-disabled={problem !== null}
          aria-describedby={problem === null ? undefined : `${id}-problem`}
        >
          Compare
        </button>
        {children}
      </p>
    </form>
  );
}
