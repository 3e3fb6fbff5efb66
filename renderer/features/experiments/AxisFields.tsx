import {useId} from 'react';
import type {AxisOption} from './axisOptions.ts';
import type {AxisChoice} from './choice.ts';

interface AxisFieldsProps {
  readonly label: string;
  readonly options: readonly AxisOption[];
  readonly chosen: AxisChoice | null;
  /** The text of the option that chooses no axis. If it is undefined, there is no such option. */
  readonly none?: string;
  /** What is wrong with the axis; null if it is correct. */
  readonly problem: string | null;
  readonly onChoose: (chosen: AxisChoice | null) => void;
}

/** The fields for an axis: the setting that the axis varies, and its values. */
export function AxisFields({label, options, chosen, none, problem, onChoose}: AxisFieldsProps) {
  const id = useId();
  const own = options.find(({key}) => key === chosen?.key);
  const isTyped = chosen !== null && (chosen.isTyped || own === undefined);
  const choose = (key: string) => {
    const option = options.find(each => each.key === key);
    if (key === '') onChoose(null);
    else if (option === undefined) onChoose({key: '', isTyped: true, text: ''});
    else onChoose({key, isTyped: false, text: option.text});
  };
  return (
    <>
      <label htmlFor={id}>{label}</label>
      <select id={id} value={isTyped ? TYPED : (chosen?.key ?? '')} onChange={event => choose(event.target.value)}>
        {none !== undefined && <option value="">{none}</option>}
        {options.map(({key, label: text}) => (
          <option key={key} value={key}>
            {text}
          </option>
        ))}
        <option value={TYPED}>another setting …</option>
      </select>
      {isTyped && (
        <input
          type="text"
          className="experiment-key"
          aria-label={`${label}: setting`}
          placeholder="a key as in --set: path.mtuBytes"
          value={chosen.key}
          onChange={event => onChoose({...chosen, key: event.target.value.trim()})}
        />
      )}
      {chosen !== null && (
        <input
          type="text"
          className="experiment-values"
          aria-label={`${label}: values`}
          placeholder="0..10 step 1, or 1, 2, 5"
          title="a list such as 1, 2, 5, or a range such as 0..10 step 1"
          aria-invalid={problem !== null}
          value={chosen.text}
          onChange={event => onChoose({...chosen, text: event.target.value})}
        />
      )}
      {problem !== null && <p className="refused">{problem}</p>}
    </>
  );
}

/** The value of the option that lets the user type a key. No setting has this key. */
const TYPED = '…';
