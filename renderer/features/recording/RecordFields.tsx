import {useId} from 'react';
import {AXES, MOVIE_FORMATS} from '../../../app/telling/movie/options.ts';
import {VIEWS} from '../../run/timeline/views/list.ts';
import {type LookChoice, type RecordChoice, TIMELINE_FORMATS} from './recordChoice.ts';

interface RecordFieldsProps {
  readonly choice: RecordChoice;
  readonly onChange: (part: Partial<RecordChoice>) => void;
}

/** The fields for the chosen kind of recording. */
export function RecordFields({choice, onChange}: RecordFieldsProps) {
  const {kind} = choice;
  const {look} = choice;
  const changeLook = (part: Partial<LookChoice>) => onChange({look: {...look, ...part}});
  // only a filmstrip can have several times
  const hint = kind === 'filmstrip' ? '4, 7, 12' : '4';
  const at = <TextField label="at, s" value={choice.at} hint={hint} onChange={at => onChange({at})} />;
  return (
    <div className="record-fields">
      {kind === 'movie' ? <MovieFields choice={choice} onChange={onChange} /> : at}
      <ListField label="size" value={look.size} values={SIZES} onChange={size => changeLook({size})} />
      {kind === 'timeline' && (
        <ListField
          label="format"
          value={choice.timelineFormat}
          values={TIMELINE_FORMATS}
          onChange={timelineFormat => onChange({timelineFormat})}
        />
      )}
      {kind !== 'movie' && (kind !== 'timeline' || choice.timelineFormat === 'png') && (
        <ListField label="scale" value={choice.scale} values={[1, 2, 3, 4]} onChange={scale => onChange({scale})} />
      )}
      <ListField label="theme" value={look.theme} values={['light', 'dark']} onChange={theme => changeLook({theme})} />
      {kind !== 'filmstrip' && (
        <ListField
          label="timeline"
          value={look.timeline}
          values={VIEWS.map(({name}) => name)}
          onChange={timeline => changeLook({timeline})}
        />
      )}
      {kind !== 'filmstrip' && look.timeline === 'percent' && (
        <ListField label="percent" value={look.axis} values={AXES} onChange={axis => changeLook({axis})} />
      )}
      {kind !== 'timeline' && (
        <TextField
          label="title"
          value={look.pageTitle}
          hint="the page’s name"
          onChange={pageTitle => changeLook({pageTitle})}
        />
      )}
      <TextField
        label="loss explained"
        value={look.loss}
        hint="none, or PANE:LOSS"
        onChange={loss => changeLook({loss})}
      />
      <TextField label="file" value={choice.name} hint="interleave-seed-…" onChange={name => onChange({name})} />
      <Parts choice={choice} onChange={onChange} />
    </div>
  );
}

function MovieFields({choice, onChange}: RecordFieldsProps) {
  return (
    <>
      <ListField
        label="format"
        value={choice.format}
        values={MOVIE_FORMATS}
        onChange={format => onChange(formatChange(choice, format))}
      />
      <ListField
        label="frames a second"
        value={choice.fps}
        values={isAnimation(choice.format) ? [5, 10, 15] : [24, 25, 30, 50, 60]}
        onChange={fps => onChange({fps})}
      />
      <ListField
        label="speed"
        value={choice.speed}
        values={['auto', 0.1, 0.25, 0.5, 1, 2, 4]}
        onChange={speed => onChange({speed})}
      />
      <TextField label="from, s" value={choice.from} hint="the title" onChange={from => onChange({from})} />
      <TextField label="to, s" value={choice.to} hint="the results" onChange={to => onChange({to})} />
    </>
  );
}

function Parts({choice, onChange}: RecordFieldsProps) {
  const {kind, title, results, look} = choice;
  const isMovie = kind === 'movie';
  const changeLook = (part: Partial<LookChoice>) => onChange({look: {...look, ...part}});
  if (kind === 'filmstrip') {
    return (
      <p className="switch">
        <Toggle label="scroll long pages" isOn={look.scroll} onChange={scroll => changeLook({scroll})} />
      </p>
    );
  }
  return (
    <p className="switch">
      {isMovie && <Toggle label="title card" isOn={title} onChange={isOn => onChange({title: isOn})} />}
      {kind !== 'timeline' && (
        <Toggle label="captions" isOn={look.captions} onChange={captions => changeLook({captions})} />
      )}
      <Toggle label="timeline only up to t" isOn={look.reveal} onChange={reveal => changeLook({reveal})} />
      <Toggle label="data that waits for losses" isOn={look.waiting} onChange={waiting => changeLook({waiting})} />
      {isMovie && <Toggle label="results card" isOn={results} onChange={isOn => onChange({results: isOn})} />}
    </p>
  );
}

interface ToggleProps {
  readonly label: string;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
}

function Toggle({label, isOn, onChange}: ToggleProps) {
  return (
    <label>
      <input type="checkbox" checked={isOn} onChange={event => onChange(event.target.checked)} /> {label}
    </label>
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
      <input id={id} type="text" value={value} placeholder={hint} onChange={event => onChange(event.target.value)} />
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

/** What changes with the format: an animation for slides has fewer and smaller frames than a movie. */
function formatChange({format, look}: RecordChoice, wanted: RecordChoice['format']): Partial<RecordChoice> {
  if (isAnimation(format) === isAnimation(wanted)) return {format: wanted};
  return isAnimation(wanted)
    ? {format: wanted, fps: 10, look: {...look, size: '640x360'}}
    : {format: wanted, fps: 30, look: {...look, size: '1280x720'}};
}

function isAnimation(format: RecordChoice['format']): boolean {
  return format === 'gif' || format === 'webp';
}

const SIZES = ['640x360', '854x480', '1280x720', '1920x1080', '2560x1440', '3840x2160'];
