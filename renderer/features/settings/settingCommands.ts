import type {Json} from '../../../app/base/json.ts';
import {pipelineOf} from '../../../app/pipelines/index.ts';
import type {Setting} from '../../../app/pipelines/setting.ts';
import {PRESETS} from '../../../app/run/scenario/presets.ts';
import type {Scenario} from '../../../app/run/scenario/scenario.ts';
import {lossWays} from '../../kit/LossText.tsx';
import {ALWAYS_VISIBLE, PERCENT} from '../../kit/pathScales.ts';
import {fittingUnit, linearScale, type Scale, type UnitScale} from '../../kit/scale.ts';
import {readTyped, refusalText} from '../../kit/typedNumber.ts';
import type {Session} from '../../session/session.ts';
import type {Command, CommandValue} from '../feature.ts';
import {JITTER, QUEUE, SEED, THINK} from './fieldScales.ts';
import {focusSetting} from './focusSetting.ts';
import {jitterWays} from './jitterWays.ts';
import {LINK_CHOICES} from './linkChoices.ts';

/** The commands that open a preset or a page of the program, go to the field of a setting, or set a setting. */
export function settingCommands(session: Session): readonly Command[] {
  const {scenario, pageNames} = session.store.getState();
  const presets = PRESETS.map(
    ({name, title, group, source}): Command => ({
      id: `preset ${name}`,
      group: 'preset',
      title: `Preset: ${title}`,
      words: `${name} ${group} ${source}`,
      act: ({documents}) => documents.open({name, text: name}),
    }),
  );
  const pages = pageNames.map(
    (name): Command => ({
      id: `page ${name}`,
      group: 'page',
      title: `Page: ${name}`,
      act: ({history}) => history.choose('page', name),
    }),
  );
  // the settings of trace files cannot be changed
  if (session.traces.panesOf(scenario) !== undefined) return [...presets, ...pages];
  return [...presets, ...pages, ...settingsIn(scenario).map(commandOf)];
}

/** A setting of the scenario on screen. */
interface FoundSetting {
  /** The key that is set, written as in `--set`. */
  readonly key: string;
  /** The key of the field that shows the setting; undefined if it is the same as `key`. */
  readonly field?: string;
  readonly label: string;
  readonly words?: string;
  readonly value: /** `shown` is the unit that the field shows, and `units` are all units that can be typed. */
    | {readonly kind: 'number'; readonly shown: UnitScale; readonly units: readonly UnitScale[]}
    | {readonly kind: 'choice'; readonly choices: readonly (readonly [value: Json, text: string])[]}
    /** The command only goes to the field. */
    | {readonly kind: 'none'};
}

function settingsIn(scenario: Scenario): readonly FoundSetting[] {
  const {path, panes, page} = scenario;
  const isLive = path.live !== undefined;
  const whole = linearScale({from: 0, to: 100, factor: 1, digits: 3, isInteger: true});
  return [
    ...(isLive ? [] : pathSettings(path)),
    {key: 'page', label: 'Page', value: NONE},
    ...(page.kind === 'synthetic'
      ? [
          {key: 'page.synthetic.objects', label: 'Objects of the page', value: number('', whole)},
          {key: 'page.synthetic.objectBytes', label: 'Size of each object', value: number('B', whole)},
          {key: 'page.synthetic.indexBytes', label: 'Size of the HTML', value: number('B', whole)},
        ]
      : []),
    ...(isLive ? [] : [{key: 'seed', label: 'Seed', value: number('', SEED)}]),
    {key: 'discovery', label: 'Objects are found', words: 'discovery', value: NONE},
    ...(isLive
      ? []
      : [
          {key: 'visit', label: 'Visit', words: 'first again resume 0-RTT early data TLS', value: NONE},
          {key: 'serverThinkMs', label: 'Server thinks', value: number('ms', THINK)},
          {key: 'serverThinking', label: 'Server thinks about', words: 'think', value: NONE},
        ]),
    ...panes.flatMap((pane, index) => {
      const {label: pipeline, settings} = pipelineOf(pane.pipeline);
      const of = `Pane ${index + 1}`;
      const own = Object.entries(settings).flatMap(([key, setting]): FoundSetting[] => {
        const {label} = setting;
        if (label === undefined) return [];
        const value = valueOfSetting(setting, whole);
        return [{key: `panes[${index}].${key}`, label: `${of}: ${label}`, words: pipeline, value}];
      });
      return [
        {key: `panes[${index}].pipeline`, label: `${of}: pipeline`, words: `transport ${pipeline}`, value: NONE},
        ...own,
      ];
    }),
  ];
}

function valueOfSetting(setting: Setting, scale: Scale): FoundSetting['value'] {
  switch (setting.kind) {
    case 'number':
      return number('', scale);
    case 'choice':
      return {kind: 'choice', choices: setting.choices};
    case 'switch': {
      const [on, off] = setting.texts;
      const choices: readonly (readonly [Json, string])[] = [
        [true, on],
        [false, off],
      ];
      return {kind: 'choice', choices};
    }
    case 'send-buffer':
      return NONE;
  }
}

function pathSettings({loss, ...path}: Scenario['path']): readonly FoundSetting[] {
  const losses = lossWays(loss, false).map(({settingKey, label, loss: each}): FoundSetting => {
    // other models have no single number for the loss; a number that is typed for them replaces the model by
    // independent losses
    const key = each.model === 'bernoulli' ? `${settingKey}.rate` : settingKey;
    return {key, label, words: 'packet loss', value: number('%', PERCENT)};
  });
  const others = ALWAYS_VISIBLE.map(({setting, label, unit, scale}): FoundSetting => {
    const words = setting === 'rttMs' ? 'round-trip time delay latency' : 'bandwidth bit rate speed of the link';
    const field = path[setting].down === path[setting].up ? `path.${setting}` : `path.${setting}.down`;
    return {key: `path.${setting}`, field, label, words, value: number(unit, scale, path[setting].down)};
  });
  const field = path.queuePackets.down === path.queuePackets.up ? 'path.queuePackets' : 'path.queuePackets.down';
  const queue = {key: 'path.queuePackets', field, label: QUEUE.label, words: 'buffer'};
  const choices = LINK_CHOICES.map(
    ({settingKey, label, words, choices}): FoundSetting => ({
      key: settingKey,
      label,
      words,
      value: {kind: 'choice', choices},
    }),
  );
  const jitters = jitterWays(path).map(
    ({settingKey: key, label}): FoundSetting => ({key, label, words: 'delay variation', value: number('ms', JITTER)}),
  );
  return [
    ...losses,
    ...others,
    // a queue discipline has its own limits, so the field for the length of the queue is not shown
    ...(path.queue === undefined ? [{...queue, value: number(QUEUE.unit, QUEUE.scale)}] : []),
    ...choices,
    ...jitters,
  ];
}

function commandOf({key, field = key, label, words, value}: FoundSetting): Command {
  const own = typedValue({key, label, value});
  return {
    id: `setting ${key}`,
    group: 'setting',
    title: label,
    ...(words === undefined ? {} : {words}),
    act: session => focusSetting(session, field),
    ...(own === null ? {} : {value: own}),
  };
}

function typedValue({key, label, value}: Pick<FoundSetting, 'key' | 'label' | 'value'>): CommandValue | null {
  switch (value.kind) {
    case 'none':
      return null;
    case 'number': {
      const {shown, units} = value;
      return {
        read: typed => {
          const {text, unit} = splitUnit(typed, shown, units);
          return readTyped(text) === undefined ? null : `${text} ${unit}`.trim();
        },
        set: (session, typed) => {
          const {text, unit, scale} = splitUnit(typed, shown, units);
          const read = readTyped(text);
          if (read === undefined) return `${label}: ${typed} is not a number`;
          return setValue(session, key, scale.toDocument(read), problem =>
            refusalText({settingKey: key, label, unit, scale}, text, problem),
          );
        },
      };
    }
    case 'choice': {
      const found = (typed: string) => {
        const wanted = typed.toLowerCase();
        return value.choices.find(([each, text]) =>
          [String(each), text].some(word => word.toLowerCase().startsWith(wanted)),
        );
      };
      return {
        read: typed => found(typed)?.[1] ?? null,
        set: (session, typed) => {
          const choice = found(typed);
          return choice === undefined ? `${label}: ${typed} is not a choice` : setValue(session, key, choice[0]);
        },
      };
    }
  }
}

/** Sets a key, which can be undone in one step. Returns why the value was refused, or null if it was accepted. */
function setValue(
  {store, history}: Session,
  key: string,
  value: Json,
  words: (problem: Refused['problem']) => string = ({message}) => message,
): string | null {
  history.choose(key, value);
  const {refused} = store.getState();
  if (refused === null || refused.key !== key) return null;
  history.endEdit();
  return words(refused.problem);
}

type Refused = NonNullable<ReturnType<Session['store']['getState']>['refused']>;

/** Splits a typed text into its number and its unit. If no unit is typed, the unit is that of the field. */
function splitUnit(typed: string, shown: UnitScale, units: readonly UnitScale[]): UnitScale & {readonly text: string} {
  const text = typed.trim();
  const written = units.find(({unit}) => unit !== '' && text.toLowerCase().endsWith(unit.toLowerCase()));
  if (written === undefined) return {text, ...shown};
  return {text: text.slice(0, -written.unit.length).trim(), ...written};
}

/** A number that the field shows with this unit, or with a larger unit if the value is large. */
function number(unit: string, scale: Scale, value = 0): FoundSetting['value'] {
  const units: UnitScale[] = [];
  for (let each: UnitScale | undefined = {unit, scale}; each !== undefined; each = each.scale.larger)
    units.unshift(each);
  return {kind: 'number', shown: fittingUnit({unit, scale}, value), units};
}

const NONE = {kind: 'none'} as const;
