import {expect, test} from 'vitest';
import {setKey} from '../../../app/run/scenario/override.ts';
import {parseScenario} from '../../../app/run/scenario/scenario.ts';
import {chosenValue, isSame, LINK_CHOICES} from './linkChoices.ts';

test.each(LINK_CHOICES)('each choice of $label is shown as chosen after it was chosen', choice => {
  for (const [value, text] of choice.choices) {
    const parsed = parseScenario(setKey({panes: [{pipeline: 'tcp'}]}, choice.settingKey, value));
    if (!parsed.ok) throw new Error(`${text}: ${parsed.problems[0]?.message}`);
    expect(isSame(chosenValue(choice, parsed.scenario.path), value), text).toBe(true);
  }
});

test('the other traffic goes in the direction that its text names', () => {
  const choices = LINK_CHOICES.find(({settingKey}) => settingKey === 'path.traffic')?.choices ?? [];
  expect(choices.map(([value, text]) => [text, value])).toMatchObject([
    ['none', []],
    ['an upload over TCP', [{kind: 'tcp', direction: 'up'}]],
    ['a download over TCP', [{kind: 'tcp', direction: 'down'}]],
  ]);
});
