import {useStore} from 'zustand';
import {AIMS} from '../../../app/study/advice/aims.ts';
import type {Adviser} from './adviser.ts';

/** Chooses the aims (times that should be short) whose advice is shown. The advice is computed for all aims. */
export function AimChoice({adviser}: {readonly adviser: Adviser}) {
  const shown = useStore(adviser.shown);
  return (
    <fieldset className="advice-choice" aria-label="aims">
      {AIMS.map(({name, label}) => (
        <label key={name}>
          <input
            type="checkbox"
            checked={shown.includes(name)}
            onChange={event => {
              const others = shown.filter(each => each !== name);
              adviser.shown.setState(event.target.checked ? [...others, name] : others, true);
            }}
          />
          {label}
        </label>
      ))}
    </fieldset>
  );
}
