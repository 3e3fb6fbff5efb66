import {useId, useState} from 'react';
import {showValue} from '../../../app/base/text.ts';
import type {Thresholds} from '../../../app/run/quality/states.ts';
import {NumberInput} from '../../kit/NumberInput.tsx';
import {Section} from '../../kit/Section.tsx';
import {readTyped} from '../../kit/typedNumber.ts';
import {useSession, useSessionState} from '../../session/context.tsx';

/**
 * Sets two thresholds for incomplete pictures: the SSIM from which a picture counts as recognisable, and the SSIM from
 * which it counts as good.
 */
export function QualitySettings() {
  const session = useSession();
  const {recognisable, good} = useSessionState(state => state.view.thresholds);
  const set = (thresholds: Thresholds) => session.display.set({thresholds});
  return (
    <Section name="quality" title="Recognisable, good" hint={`SSIM ${recognisable.toFixed(2)}, ${good.toFixed(2)}`}>
      <p className="note">
        An incomplete picture counts as recognisable or good if it is at least this similar to the complete picture
        (SSIM; 1 means identical).
      </p>
      <ThresholdField
        label="Recognisable"
        value={recognisable}
        onChange={value => set({recognisable: value, good: Math.max(value, good)})}
      />
      <ThresholdField
        label="Good"
        value={good}
        onChange={value => set({good: value, recognisable: Math.min(value, recognisable)})}
      />
      <button type="button" onClick={() => session.display.openDialog('quality')} title="quality by bytes (Q)">
        Quality by bytes
      </button>
    </Section>
  );
}

interface ThresholdFieldProps {
  readonly label: string;
  /** The threshold, SSIM. */
  readonly value: number;
  readonly onChange: (value: number) => void;
}

function ThresholdField({label, value, onChange}: ThresholdFieldProps) {
  const [typed, setTyped] = useState<string | null>(null);
  const id = useId();
  const take = (text: string) => {
    setTyped(text);
    const number = readTyped(text);
    if (number !== undefined && isThreshold(number)) onChange(number);
  };
  const isWrong = typed !== null && !isThreshold(readTyped(typed));
  const restore = () => setTyped(null);
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <span className="field-number">
        <NumberInput
          id={id}
          shown={typed ?? value.toFixed(2)}
          isWrong={isWrong}
          describedBy={isWrong ? `${id}-refused` : undefined}
          onType={take}
          onLeave={() => isWrong || restore()}
          onGiveUp={restore}
        />
        <span className="unit">SSIM</span>
      </span>
      <input
        type="range"
        aria-label={`${label}, slider`}
        min={0.3}
        max={1}
        step={0.01}
        value={value}
        onChange={event => {
          restore();
          onChange(event.target.valueAsNumber);
        }}
      />
      {isWrong && (
        <p className="refused" id={`${id}-refused`} role="alert">
          {label} is {showValue(typed)}: must be a number above 0, at most 1
        </p>
      )}
    </div>
  );
}

function isThreshold(number: number | undefined): boolean {
  return number !== undefined && number > 0 && number <= 1;
}
