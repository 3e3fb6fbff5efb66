import {useId, useState} from 'react';
import type {Json} from '../../../app/base/json.ts';
import {showName} from '../../../app/base/text.ts';
import {describeRunPath, lossValueText} from '../../../app/run/scenario/describe.ts';
import {differences} from '../../../app/run/scenario/differences.ts';
import {lineOf, STORY_LIMITS, type Step} from '../../../app/telling/story/story.ts';
import {textProblem} from '../../../app/telling/story/storyNumbers.ts';
import {Icon} from '../../kit/Icon.tsx';
import {readTime} from './typedTime.ts';

interface StepFieldsProps {
  readonly step: Step;
  /** The previous step; null for the first step. */
  readonly before: Step | null;
  /** Whether the step is the one on screen. */
  readonly isShown: boolean;
  readonly isOnly: boolean;
  readonly onShow: () => void;
  /**
   * `field` names the field if each keystroke in it is a change, so that undo can join these changes. It is empty for
   * any other change.
   */
  readonly onChange: (part: Partial<Step>, field: string) => void;
  readonly onMove: (by: -1 | 1) => void;
  readonly onRemove: () => void;
  readonly onTakeOver: () => void;
}

/** The fields of a step: its text, its times, and its position. */
export function StepFields(props: StepFieldsProps) {
  const {step, before, isShown, isOnly, onShow, onChange, onMove, onRemove, onTakeOver} = props;
  const {notes, fromS, toS, speed} = step;
  return (
    <li aria-current={isShown ? 'step' : undefined}>
      <StepText step={step} onChange={text => onChange({text}, 'text')} />
      <textarea
        className="story-notes"
        aria-label="notes for the speaker"
        placeholder="notes, which only the speaker view shows"
        rows={2}
        maxLength={STORY_LIMITS.notesCharacters}
        value={notes}
        onChange={({target}) => onChange({notes: target.value}, 'notes')}
      />
      <p className="story-times">
        <TimeField
          label="from"
          valueS={fromS}
          onChange={fromS => fromS !== null && onChange({fromS}, '')}
          isGood={s => s !== null && (toS === null || s < toS)}
          limit={toS === null ? 'from 0 to a day' : `before the end of the step, ${toS} s`}
        />
        <TimeField
          label="to"
          hint="end"
          valueS={toS}
          onChange={toS => onChange({toS}, '')}
          isGood={s => s === null || s > fromS}
          limit={`after the start of the step, ${fromS} s, or empty for the end of the run`}
        />
        <span>{speed === 'auto' ? 'auto speed' : `${speed} ×`}</span>
      </p>
      <p className="story-run">{runText(step, before)}</p>
      <p className="story-tools">
        <button type="button" onClick={onShow}>
          Show
        </button>
        <button
          type="button"
          onClick={onTakeOver}
          title="replace the step by what is on screen: scenario, t, speed and view"
        >
          Take over
        </button>
        <button type="button" onClick={() => onMove(-1)} title="earlier" aria-label="move up">
          <Icon name="up" />
        </button>
        <button type="button" onClick={() => onMove(1)} title="later" aria-label="move down">
          <Icon name="down" />
        </button>
        <button type="button" disabled={isOnly} onClick={onRemove} title="remove this step" aria-label="remove">
          <Icon name="close" />
        </button>
      </p>
    </li>
  );
}

interface StepTextProps {
  readonly step: Step;
  readonly onChange: (text: string) => void;
}

/**
 * The field for the text that the audience reads. The text can refer to numbers of the scenario, as in `{rtt}`. If it
 * refers to a number that is unknown, or that the scenario does not have, it is marked as wrong and not set.
 */
function StepText({step, onChange}: StepTextProps) {
  const [refused, setRefused] = useState<string | null>(null);
  const id = useId();
  const problem = refused === null ? null : textProblem(lineOf(refused), step.scenario);
  return (
    <>
      <textarea
        aria-label="what the step says"
        placeholder="one thought, in one line; {rtt} shows a number that can be dragged"
        rows={2}
        maxLength={STORY_LIMITS.textCharacters}
        value={refused ?? step.text}
        aria-invalid={problem !== null}
        aria-describedby={problem === null ? undefined : id}
        onChange={({target}) => {
          const isGood = textProblem(lineOf(target.value), step.scenario) === null;
          setRefused(isGood ? null : target.value);
          if (isGood) onChange(target.value);
        }}
        onBlur={() => setRefused(null)}
      />
      {problem !== null && (
        <p className="refused" id={id} role="alert">
          The text must be {problem.limit}
          {problem.hint}
        </p>
      )}
    </>
  );
}

interface TimeFieldProps {
  readonly label: string;
  /** What an empty text means. Undefined if the text must not be empty. */
  readonly hint?: string;
  /** Seconds; null for the run's end. */
  readonly valueS: number | null;
  readonly isGood: (valueS: number | null) => boolean;
  /** What the time must be, for a message. */
  readonly limit: string;
  readonly onChange: (valueS: number | null) => void;
}

/** The field for a time in seconds. An impossible time is not set, and a message says why. */
export function TimeField({label, hint, valueS, isGood, limit, onChange}: TimeFieldProps) {
  const id = useId();
  const [typed, setTyped] = useState<string | null>(null);
  const shown = typed ?? (valueS === null ? '' : String(valueS));
  const read = readTime(shown);
  const isTaken = read !== undefined && isGood(read);
  const take = () => {
    if (typed !== null && isTaken && read !== valueS) onChange(read);
    setTyped(null);
  };
  return (
    <>
      <label>
        {label}{' '}
        <input
          type="text"
          inputMode="decimal"
          aria-invalid={!isTaken}
          aria-describedby={isTaken ? undefined : id}
          placeholder={hint}
          value={shown}
          onChange={({target}) => setTyped(target.value)}
          onBlur={take}
          onKeyDown={({key}) => key === 'Enter' && take()}
        />{' '}
        s
      </label>
      {!isTaken && (
        <span className="refused" id={id} role="alert">
          {label} must be a time in seconds, {limit}
        </span>
      )}
    </>
  );
}

/**
 * Returns the settings that differ from those of the previous step, written as in `--set`. For the first step, it
 * describes the path instead.
 */
function runText({scenario}: Step, before: Step | null): string {
  if (before === null) return describeRunPath(scenario, scenario.path);
  if (scenario === before.scenario) return 'the same run';
  // lists and objects are described in words, because nobody reads them as JSON
  const edits = differences(before.scenario, scenario).map(([key, json]) => {
    if (!/^[[{]/.test(json)) return showName(`${key}=${json}`);
    const text = key.startsWith('path.loss') ? lossValueText(JSON.parse(json) as Json) : undefined;
    return text === undefined ? `another ${key}` : `${key}: ${text}`;
  });
  return edits.length === 0 ? 'the same run' : edits.join(', ');
}
