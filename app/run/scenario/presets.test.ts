import {expect, test} from 'vitest';
import {pipelines} from '../../pipelines/index.ts';
import {applyOverride} from './override.ts';
import {findPreset, PRESETS} from './presets.ts';
import {parseScenario} from './scenario.ts';

test.each(PRESETS.map(preset => [preset.name, preset] as const))(
  '%s is a valid scenario with a source',
  (name, preset) => {
    expect(parseScenario(preset.scenario)).toMatchObject({ok: true});
    expect(preset.source.length).toBeGreaterThan(20);
    expect(findPreset(name)).toBe(preset);
  },
);

test('presets of a group are adjacent, so that each heading appears once in a list', () => {
  const groups = PRESETS.map(({group}) => group);
  const starts = groups.filter((group, i) => group !== groups[i - 1]);
  expect(starts).toEqual([...new Set(groups)]);
});

test('today’s web has transports, browser and server of today, and SCTP, on the paths of LTE and bad Wi-Fi', () => {
  for (const [web, path] of [
    ['web-lte', 'lte'],
    ['web-wifi-bad', 'wifi-bad'],
  ] as const) {
    const {scenario, source} = findPreset(web) ?? {};
    expect(scenario?.['path']).toEqual(findPreset(path)?.scenario['path']);
    expect(source).toContain(findPreset(path)?.source);
    expect(scenario).toMatchObject({page: 'today', browser: 'chromium', server: 'caddy'});
    expect(scenario?.['panes']).toMatchObject([
      {pipeline: 'tcp', connections: 6, pipelining: false, tls: true},
      {pipeline: 'h2'},
      {pipeline: 'h3'},
      {pipeline: 'sctp'},
    ]);
  }
});

test('each path of the papers has a preset with all pipelines that its MTU permits', () => {
  const all = PRESETS.filter(({name}) => name.endsWith('-all'));
  const paths = all.map(({scenario}) => JSON.stringify(scenario['path']));
  for (const {name, group, scenario} of PRESETS) {
    if (group !== 'The papers' || name === 'c03-50k') continue;
    expect(paths, name).toContain(JSON.stringify(scenario['path']));
  }
  for (const {name, scenario} of all) {
    const parsed = parseScenario(scenario);
    const names = parsed.ok ? parsed.scenario.panes.map(({pipeline}) => pipeline) : [];
    const every = pipelines().map(pipeline => pipeline.name);
    expect(names, name).toEqual(name === 'l06-all' ? every.filter(each => each !== 'h3') : every);
  }
});

test('each value that is listed as varied by a preset’s source can be set', () => {
  for (const preset of PRESETS) {
    for (const range of preset.varies) {
      const [key, values = ''] = range.split('=');
      for (const value of values.split(/\||…/)) {
        const varied = applyOverride(preset.scenario, `${key}=${value.trim()}`);
        expect(parseScenario(varied), `${preset.name} ${key}=${value}`).toMatchObject({ok: true});
      }
    }
  }
});

test('the presets contain the rates, RTTs and loss rates of the papers', () => {
  const paths = PRESETS.map(preset => JSON.stringify(preset.scenario['path']));
  for (const rttMs of [120, 350, 850, 1100]) {
    expect(paths).toContain(`{"rateBps":1000000,"rttMs":${rttMs},"loss":0.03}`);
  }
  expect(paths).toContain('{"rateBps":56000,"rttMs":1080,"loss":0.043}');
});
