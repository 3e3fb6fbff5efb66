import {useId} from 'react';
import type {AxisOption} from './axisOptions.ts';
import type {AxisChoice} from './choice.ts';

interface AxisFieldsProps {
  readonly label: string;
  readonly options: readonly AxisOption[];
  readonly chosen: AxisChoice | null;
  /** The text of the choice of no axis; without it there always is one. */
  readonly none?: string;
  /** What is wrong with the axis; null if nothing is. */
  readonly problem: string | null;
  readonly onChoose: (chosen: AxisChoice | null) => void;
}

/** The fields of an axis: the setting that it varies, and its values. */
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
          placeholder="as --set takes it: path.mtuBytes"
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
          title="a list, as 1, 2, 5, or a range, as 0..10 step 1"
          aria-invalid={problem !== null}
          value={chosen.text}
          onChange={event => onChoose({...chosen, text: event.target.value})}
        />
      )}
      {problem !== null && <p className="refused">{problem}</p>}
    </>
  );
}

/** A value that is no setting's name. */
const TYPED = '…';
