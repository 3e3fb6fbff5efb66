import {useMemo} from 'react';
import {useStore} from 'zustand';
import type {Json} from '../../../app/base/json.ts';
import type {SyntheticSettings} from '../../../app/page/synthetic.ts';
import {pageDocument} from '../../../app/run/scenario/document.ts';
import type {BundleSource, PageSource} from '../../../app/run/scenario/pageSource.ts';
import {PRESETS} from '../../../app/run/scenario/presets.ts';
import {ChoiceField} from '../../kit/ChoiceField.tsx';
import {Icon} from '../../kit/Icon.tsx';
import {NumberField} from '../../kit/NumberField.tsx';
import {Section} from '../../kit/Section.tsx';
import {linearScale, logScale, type Scale} from '../../kit/scale.ts';
import {useSession, useSessionState} from '../../session/context.tsx';
import {presetOf} from '../../session/presetOrigin.ts';
import {useFeatures} from '../feature.ts';
import {SEED, THINK} from './fieldScales.ts';

const GROUPS = [...new Set(PRESETS.map(({group}) => group))];

/** The settings of the run: preset, page and seed. */
export function RunSettings() {
  const scenario = useSessionState(state => state.scenario);
  const session = useSession();
  const features = useFeatures();
  const origin = useMemo(() => presetOf(scenario), [scenario]);
  const anotherSeed = (
    <button
      type="button"
      className="quiet"
      onClick={() => session.anotherSeed()}
      title="another seed (N)"
      aria-label="another seed"
    >
      <Icon name="again" />
    </button>
  );
  return (
    <fieldset className="run">
      <legend>Run</legend>
      <div className="field field-choice">
        <label htmlFor="preset">Preset</label>
        <select
          id="preset"
          value={origin === null || origin.isChanged ? '' : origin.preset.name}
          title={origin?.preset.source}
          onChange={({target}) => {
            session.documents.open({name: target.value, text: target.value});
            // without the focus on this list, the keys control the run and do not choose another preset
            target.blur();
          }}
        >
          <option value="" disabled>
            {origin === null ? 'choose…' : `Changed: ${origin.preset.title}`}
          </option>
          {GROUPS.map(group => (
            <optgroup key={group} label={group}>
              {PRESETS.filter(preset => preset.group === group).map(preset => (
                <option key={preset.name} value={preset.name} title={preset.source}>
                  {preset.title}
                </option>
              ))}
            </optgroup>
          ))}
        </select>
      </div>
      <PageChoice page={scenario.page} />
      {scenario.path.live === undefined && (
        <>
          <NumberField settingKey="seed" label="Seed" unit="" value={scenario.seed} scale={SEED} action={anotherSeed} />
          {features.map(({name, runSetting: Entry}) => Entry !== undefined && <Entry key={name} />)}
        </>
      )}
    </fieldset>
  );
}

/** The settings that say how the client and the server load a page. */
export function LoadingSettings() {
  const discovery = useSessionState(state => state.scenario.discovery);
  const visit = useSessionState(state => state.scenario.visit);
  const serverThinkMs = useSessionState(state => state.scenario.serverThinkMs);
  const serverThinking = useSessionState(state => state.scenario.serverThinking);
  // a live server's own delay cannot be set
  const isLive = useSessionState(state => state.scenario.path.live !== undefined);
  const found = `found ${FOUND.find(([word]) => word === discovery)?.[1]}`;
  const hint = isLive ? found : `${found} · ${serverThinkMs} ms`;
  return (
    <Section name="loading" title={isLive ? 'Discovery' : 'Discovery, server'} hint={hint}>
      <ChoiceField settingKey="discovery" label="Objects are found" value={discovery} choices={FOUND} />
      {!isLive && (
        <>
          <ChoiceField settingKey="visit" label="The browser visits" value={visit} choices={VISITS} />
          <NumberField settingKey="serverThinkMs" label="Server thinks" unit="ms" value={serverThinkMs} scale={THINK} />
          <ChoiceField
            settingKey="serverThinking"
            label="It thinks about"
            value={serverThinking}
            choices={SERVER_THINKING}
          />
        </>
      )}
    </Section>
  );
}

const FOUND = [
  ['streaming', 'as the HTML arrives'],
  ['complete', 'when all the HTML has arrived'],
] as const;

const VISITS = [
  ['first', 'for the first time'],
  ['again', 'again'],
] as const;

const SERVER_THINKING = [
  ['concurrent', 'all requests at once'],
  ['in-turn', 'one request after the other'],
] as const;

function PageChoice({page}: {readonly page: PageSource}) {
  const names = useSessionState(state => state.pageNames);
  const chosen = pageDocument(page);
  const kept = useStore(useSession().pages.store);
  const opened = kept.map(({page}) => page);
  const isListed =
    page.kind === 'synthetic' ||
    (page.kind === 'named' && names.includes(page.name)) ||
    (page.kind === 'bundle' && opened.some(each => isSamePage(each, page)));
  const choices: readonly (readonly [Json, string])[] = [
    ...(isListed ? [] : [[chosen, page.name] as const]),
    ...names.map(name => [name, name] as const),
    ...opened.map(each => [pageDocument({kind: 'bundle', ...each}), each.name] as const),
    // for a page that is not synthetic, this option chooses the default synthetic page
    [page.kind === 'synthetic' ? chosen : {synthetic: {}}, 'synthetic'],
  ];
  return (
    <>
      <ChoiceField settingKey="page" label="Page" value={chosen} choices={choices} />
      {page.kind === 'synthetic' &&
        SYNTHETIC.map(({setting, ...field}) => (
          <NumberField key={setting} settingKey={`page.synthetic.${setting}`} value={page[setting]} {...field} />
        ))}
    </>
  );
}

/** Whether two pages have the same content and the same name. The same content can be opened under several names. */
function isSamePage(a: BundleSource, b: BundleSource): boolean {
  return a.bundle === b.bundle && a.name === b.name;
}

const SYNTHETIC: readonly {
  readonly setting: keyof SyntheticSettings;
  readonly label: string;
  readonly unit: string;
  readonly scale: Scale;
}[] = [
  {setting: 'objects', label: 'Objects', unit: '', scale: whole(0, 200)},
  {setting: 'objectBytes', label: 'Each', unit: 'B', scale: wholeLog(100, 1e6)},
  {setting: 'indexBytes', label: 'HTML', unit: 'B', scale: wholeLog(1000, 1e6)},
];

function whole(from: number, to: number): Scale {
  return linearScale({from, to, factor: 1, digits: 3, isInteger: true});
}

function wholeLog(from: number, to: number): Scale {
  return logScale({from, to, factor: 1, digits: 2, isInteger: true});
}
