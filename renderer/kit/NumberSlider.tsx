import {type CSSProperties, type ReactNode, useId, useState} from 'react';
import type {Problem} from '../../app/base/schema.ts';
import {NumberInput} from './NumberInput.tsx';
import {fittingUnit, type Scale, sliderSteps, type UnitScale} from './scale.ts';
import {readTyped, refusalText} from './typedNumber.ts';

interface NumberSliderProps {
  /** The key, written as in `--set`. */
  readonly settingKey: string;
  readonly label: string;
  readonly unit: string;
  /** The number, in the unit of the document that the fields edit (editing.ts), such as a scenario. */
  readonly value: number;
  readonly scale: Scale;
  /** A small button at the end of the line. */
  readonly action?: ReactNode;
  /** Why the last value was refused; null if it was accepted. */
  readonly problem: Problem | null;
  /** Called with a number, or with a text that is not a number. */
  readonly onEdit: (value: number | string) => void;
  /** Called when an edit ends. */
  readonly onLeave: () => void;
}

/** A text that was typed, and the unit that it was typed in. */
interface Typed extends UnitScale {
  readonly text: string;
  /** If the user has left the field with a wrong number: why it is wrong, and the setting's value. Otherwise null. */
  readonly refused: {readonly reason: string; readonly value: number} | null;
}

/**
 * A slider over the usual range of a number, and a text field. Typed numbers may be outside of that range. A wrong
 * number and the reason why it is refused stay until the number is corrected, the value changes, or Escape is pressed.
 */
export function NumberSlider(props: NumberSliderProps) {
  const {settingKey, label, value, action, problem, onEdit, onLeave} = props;
  const [latest, setTyped] = useState<Typed | null>(null);
  const isOutdated = latest?.refused != null && latest.refused.value !== value;
  const typed = isOutdated ? null : latest;
  // while the user types, the unit stays: the next digit must not mean another number
  const {unit, scale} = typed ?? fittingUnit(props, value);
  const id = useId();
  const shown = typed?.text ?? scale.format(value);
  const refused =
    problem === null ? (typed?.refused?.reason ?? null) : refusalText({settingKey, label, unit, scale}, shown, problem);
  const leave = () => {
    setTyped(refused === null ? null : {text: shown, unit, scale, refused: {reason: refused, value}});
    onLeave();
  };
  const giveUp = () => {
    setTyped(null);
    onLeave();
  };
  return (
    <div className="field" data-setting={settingKey}>
      <label htmlFor={id}>{label}</label>
      <span className="field-number">
        <NumberInput
          id={id}
          shown={shown}
          isWrong={refused !== null}
          describedBy={refused === null ? undefined : `${id}-refused`}
          onType={text => {
            setTyped({text, unit, scale, refused: null});
            const number = readTyped(text);
            onEdit(number === undefined ? text : scale.toDocument(number));
          }}
          onLeave={leave}
          onGiveUp={giveUp}
        />
        {unit !== '' && <span className="unit">{unit}</span>}
      </span>
      {action != null && <span className="action">{action}</span>}
      <input
        type="range"
        aria-label={`${label}, slider`}
        aria-valuetext={`${scale.format(value)} ${unit}`.trim()}
        min={0}
        max={sliderSteps}
        value={scale.toSlider(value)}
        style={{'--share': scale.toSlider(value) / sliderSteps} as CSSProperties}
        onChange={event => {
          setTyped(null);
          onEdit(scale.fromSlider(event.target.valueAsNumber));
        }}
        onPointerUp={leave}
        onKeyUp={leave}
        onBlur={leave}
      />
      {refused !== null && (
        <p className="refused" id={`${id}-refused`} role="alert">
          {refused}
        </p>
      )}
    </div>
  );
}
