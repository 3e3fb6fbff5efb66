import {expect, test} from 'vitest';
import {fieldOf} from './focusSetting.ts';

test('a command finds the field of its setting, also if the user has split the field', () => {
  const found = (key: string, ...settings: readonly string[]) =>
    fieldOf(
      settings.map(setting => ({dataset: {setting}})),
      key,
    )?.dataset.setting;
  expect(found('path.loss.rate', 'path.loss.applies', 'path.loss.rate')).toBe('path.loss.rate');
  expect(found('path.loss.rate', 'path.loss.down.rate', 'path.loss.up.rate')).toBe('path.loss.down.rate');
  expect(found('path.loss.up.rate', 'path.loss.down.rate', 'path.loss.up.rate')).toBe('path.loss.up.rate');
  expect(found('path.rttMs', 'path.loss.rate', 'path.rttMs.down', 'path.rttMs.up')).toBe('path.rttMs.down');
  expect(found('page', 'seed')).toBeUndefined();
});
