import {useId} from 'react';
import type {Json} from '../../app/base/json.ts';
import {useEditing} from './editing.ts';

interface ChoiceFieldProps<T extends Json> {
  /** The key, written as in `--set`. */
  readonly settingKey: string;
  readonly label: string;
  readonly value: T;
  readonly choices: readonly (readonly [value: T, text: string])[];
}

/** A field for choosing one of a few values. */
export function ChoiceField<T extends Json>({settingKey, label, value, choices}: ChoiceFieldProps<T>) {
  const editing = useEditing();
  const refused = editing.useProblem(settingKey)?.message ?? null;
  const id = useId();
  const written = choices.findIndex(choice => JSON.stringify(choice[0]) === JSON.stringify(value));
  return (
    <div className="field field-choice" data-setting={settingKey}>
      <label htmlFor={id}>{label}</label>
      <select
        id={id}
        value={written}
        onChange={event => {
          const choice = choices[Number(event.target.value)];
          if (choice === undefined) return;
          editing.choose(settingKey, choice[0]);
        }}
      >
        {written < 0 && <option value={-1}>{JSON.stringify(value)}</option>}
        {choices.map(([each, text], index) => (
          <option key={JSON.stringify(each)} value={index}>
            {text}
          </option>
        ))}
      </select>
      {refused !== null && (
        <p className="refused" role="alert">
          {refused}
        </p>
      )}
    </div>
  );
}
