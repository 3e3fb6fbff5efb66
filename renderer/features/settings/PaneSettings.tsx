import type {Json} from '../../../app/base/json.ts';
import {type Pane, type PipelineName, pipelineOf, pipelines} from '../../../app/pipelines/index.ts';
import {titleOf} from '../../../app/pipelines/paneLabels.ts';
import {CONVERSION, type Setting} from '../../../app/pipelines/setting.ts';
import {conversionText} from '../../../app/pipelines/settingTexts.ts';
import {paneDocument} from '../../../app/run/scenario/document.ts';
import {overPipeline} from '../../../app/run/scenario/pane.ts';
import {MOST_PANES} from '../../../app/run/scenario/scenario.ts';
import {ChoiceField} from '../../kit/ChoiceField.tsx';
import {Icon} from '../../kit/Icon.tsx';
import {Menu} from '../../kit/Menu.tsx';
import {NumberField} from '../../kit/NumberField.tsx';
import {Section} from '../../kit/Section.tsx';
import {linearScale} from '../../kit/scale.ts';
import {useSession, useSessionState} from '../../session/context.tsx';

const SEND_BUFFERS: readonly (readonly [Json, string])[] = [
  [null, 'the whole transfer'],
  [{objects: 1}, '1 object'],
  [{objects: 2}, '2 objects'],
  [{objects: 4}, '4 objects'],
  [{bytes: 4096}, '4 KiB'],
  [{bytes: 16_384}, '16 KiB'],
  [{bytes: 65_536}, '64 KiB'],
];

/** The settings of every pane, and buttons that add and remove panes. */
export function PaneSettings() {
  const panes = useSessionState(state => state.scenario.panes);
  const session = useSession();
  const set = (documents: readonly Json[]) => {
    session.history.choose('panes', documents);
  };
  const add = (pipeline: PipelineName) => {
    const last = panes.findLast(pane => pane.pipeline === pipeline) ?? panes.at(-1);
    if (last !== undefined) set([...panes, overPipeline(last, pipeline, undefined)].map(paneDocument));
  };
  return (
    <>
      {panes.map((pane, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a pane is identified by its position
        <fieldset key={index}>
          <legend>
            Pane {index + 1} · {titleOf(pane)}
            {panes.length > 1 && (
              <button
                type="button"
                className="quiet"
                aria-label={`remove pane ${index + 1}`}
                onClick={() => set(panes.filter((_, at) => at !== index).map(paneDocument))}
              >
                <Icon name="close" />
              </button>
            )}
          </legend>
          <OnePane pane={pane} index={index} />
        </fieldset>
      ))}
      {panes.length < MOST_PANES && (
        <Menu label="Add a pane" title="choose the pipeline of another pane">
          {pipelines().map(({name, longLabel, about, stack}) => (
            <button key={name} type="button" title={`${about} (${stack})`} onClick={() => add(name as PipelineName)}>
              {longLabel}
            </button>
          ))}
        </Menu>
      )}
    </>
  );
}

interface OnePaneProps {
  readonly pane: Pane;
  readonly index: number;
}

function OnePane({pane, index}: OnePaneProps) {
  const session = useSession();
  const settingKey = `panes[${index}]`;
  const document = paneDocument(pane);
  const {settings, settingWords} = pipelineOf(pane.pipeline);
  const fields = Object.entries(settings).map(([key, setting]) => ({
    isAlwaysVisible: setting.isAlwaysVisible === true,
    field: (
      <SettingField key={key} settingKey={`${settingKey}.${key}`} setting={setting} value={document[key] ?? null} />
    ),
  }));
  const converted = pane.conversion === undefined ? [] : [conversionText(pane.conversion)];
  const hint = [...converted, ...settingWords(pane)].filter(word => word !== '').join(' · ');
  const choosePipeline = (pipeline: PipelineName) => {
    // restores the settings that this pane had when it used that pipeline before
    const {past} = session.store.getState();
    const before = past.map(({panes}) => panes[index]).findLast(each => each?.pipeline === pipeline);
    session.history.choose(settingKey, paneDocument(overPipeline(pane, pipeline, before)));
  };
  return (
    <>
      <div className="at-hand">{fields.filter(each => each.isAlwaysVisible).map(each => each.field)}</div>
      <Section name={`pane ${index + 1}`} title="Pipeline, pictures, buffers" hint={hint}>
        <div className="field field-choice" data-setting={`${settingKey}.pipeline`}>
          <label htmlFor={`pipeline-${index}`}>Pipeline</label>
          <select
            id={`pipeline-${index}`}
            value={pane.pipeline}
            onChange={event => choosePipeline(event.target.value as PipelineName)}
          >
            {pipelines().map(({name, longLabel, about, stack}) => (
              <option key={name} value={name} title={`${about} (${stack})`}>
                {longLabel}
              </option>
            ))}
          </select>
        </div>
        <SettingField
          settingKey={`${settingKey}.conversion`}
          setting={CONVERSION}
          value={pane.conversion ?? CONVERSION.default}
        />
        {fields.filter(each => !each.isAlwaysVisible).map(each => each.field)}
      </Section>
    </>
  );
}

interface SettingFieldProps {
  readonly settingKey: string;
  readonly setting: Setting;
  readonly value: Json;
}

/** The field of a setting. Renders nothing if the window does not show the setting. */
function SettingField({settingKey, setting, value}: SettingFieldProps) {
  if (setting.label === undefined) return null;
  const field = {settingKey, label: setting.label};
  switch (setting.kind) {
    case 'number': {
      const {least, most} = setting;
      const scale = linearScale({from: least, to: most, factor: 1, digits: 2, isInteger: true});
      return typeof value === 'number' && <NumberField {...field} unit="" value={value} scale={scale} />;
    }
    case 'choice':
      return <ChoiceField {...field} value={value} choices={setting.choices} />;
    case 'switch': {
      const [on, off] = setting.texts;
      return (
        <ChoiceField
          {...field}
          value={value}
          choices={[
            [true, on],
            [false, off],
          ]}
        />
      );
    }
    case 'send-buffer':
      return <ChoiceField {...field} value={value} choices={SEND_BUFFERS} />;
  }
}
