import {expect, test} from 'vitest';
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

test('every value that a preset says its source varied can be set', () => {
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

test('the rates, round trips and losses of the papers are there', () => {
  const paths = PRESETS.map(preset => JSON.stringify(preset.scenario['path']));
  for (const rttMs of [120, 350, 850, 1100]) {
    expect(paths).toContain(`{"rateBps":1000000,"rttMs":${rttMs},"loss":0.03}`);
  }
  expect(paths).toContain('{"rateBps":56000,"rttMs":1080,"loss":0.043}');
});
