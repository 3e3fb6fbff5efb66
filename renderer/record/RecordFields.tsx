import {useId} from 'react';
import {MOVIE_FORMATS} from '../../app/movie/options.ts';
import {TIMELINE_VIEWS} from '../store/view.ts';
import type {RecordChoice} from './recordChoice.ts';

interface RecordFieldsProps {
  readonly choice: RecordChoice;
  readonly onChange: (part: Partial<RecordChoice>) => void;
}

/** What can be chosen of the kind of picture. */
export function RecordFields({choice, onChange}: RecordFieldsProps) {
  const {kind} = choice;
  const change =
    <K extends keyof RecordChoice>(key: K) =>
    (value: RecordChoice[K]) =>
      onChange({[key]: value});
  const at = <TextField label="at, s" value={choice.at} hint="4, 7, 12" onChange={change('at')} />;
  return (
    <div className="record-fields">
      {kind === 'movie' ? <MovieFields choice={choice} onChange={onChange} /> : at}
      <ListField label="size" value={choice.size} values={SIZES} onChange={change('size')} />
      {(kind === 'still' || kind === 'filmstrip') && (
        <ListField label="scale" value={choice.scale} values={[1, 2, 3, 4]} onChange={change('scale')} />
      )}
      <ListField label="theme" value={choice.theme} values={['light', 'dark']} onChange={change('theme')} />
      {kind !== 'filmstrip' && (
        <ListField
          label="timeline"
          value={choice.timeline}
          values={TIMELINE_VIEWS}
          onChange={change('timeline')}
        />
      )}
      <TextField label="file" value={choice.name} hint="interleave-seed-…" onChange={change('name')} />
      {kind === 'movie' && <Parts choice={choice} onChange={onChange} />}
    </div>
  );
}

function MovieFields({choice, onChange}: RecordFieldsProps) {
  const isAnimation = choice.format === 'gif' || choice.format === 'webp';
  return (
    <>
      <ListField
        label="format"
        value={choice.format}
        values={MOVIE_FORMATS}
        onChange={format => onChange(formatChange(format))}
      />
      <ListField
        label="frames a second"
        value={choice.fps}
        values={isAnimation ? [5, 10, 15] : [24, 25, 30, 50, 60]}
        onChange={fps => onChange({fps})}
      />
      <ListField
        label="speed"
        value={choice.speed}
        values={[0.1, 0.25, 0.5, 1, 2, 4]}
        onChange={speed => onChange({speed})}
      />
      <TextField label="from, s" value={choice.from} hint="the title" onChange={from => onChange({from})} />
      <TextField label="to, s" value={choice.to} hint="the results" onChange={to => onChange({to})} />
    </>
  );
}

function Parts({choice, onChange}: RecordFieldsProps) {
  return (
    <p className="switch">
      {(['title', 'captions', 'results'] as const).map(name => (
        <label key={name}>
          <input
            type="checkbox"
            checked={choice[name]}
            onChange={event => onChange({[name]: event.target.checked})}
          />{' '}
          {name}
        </label>
      ))}
    </p>
  );
}

interface TextFieldProps {
  readonly label: string;
  readonly value: string;
  readonly hint: string;
  readonly onChange: (value: string) => void;
}

function TextField({label, value, hint, onChange}: TextFieldProps) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type="text"
        value={value}
        placeholder={hint}
        onChange={event => onChange(event.target.value)}
      />
    </div>
  );
}

interface ListFieldProps<T> {
  readonly label: string;
  readonly value: T;
  readonly values: readonly T[];
  readonly onChange: (value: T) => void;
}

function ListField<T extends string | number>({label, value, values, onChange}: ListFieldProps<T>) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select
        id={id}
        value={value}
        onChange={event => {
          const chosen = values.find(each => String(each) === event.target.value);
          if (chosen !== undefined) onChange(chosen);
        }}
      >
        {values.map(each => (
          <option key={each}>{each}</option>
        ))}
      </select>
    </div>
  );
}

/** A slide's animation has fewer and smaller frames than a movie. */
function formatChange(format: RecordChoice['format']): Partial<RecordChoice> {
  return format === 'gif' || format === 'webp'
    ? {format, fps: 10, size: '640x360'}
    : {format, fps: 30, size: '1280x720'};
}

const SIZES = ['640x360', '854x480', '1280x720', '1920x1080', '2560x1440', '3840x2160'];
