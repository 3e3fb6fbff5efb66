import type {Scenario} from '../../../app/run/scenario/scenario.ts';
import {ChoiceField} from '../../kit/ChoiceField.tsx';
import {NumberField} from '../../kit/NumberField.tsx';
import {Section} from '../../kit/Section.tsx';
import {JITTER} from './fieldScales.ts';
import {jitterWays} from './jitterWays.ts';
import {chosenValue, isSame, LINK_CHOICES} from './linkChoices.ts';

/**
 * The fields for what a link can do besides losing and delaying packets: the discipline of its queue, a rate that
 * changes over time, jitter, and other traffic. They apply to the whole run. If the scenario has a value that is none
 * of the choices, this value stays until the user makes a choice.
 */
export function LinkFields({scenario}: {readonly scenario: Scenario}) {
  const fields = LINK_CHOICES.map(choice => {
    const {settingKey, label, choices} = choice;
    const value = chosenValue(choice, scenario.path);
    const isListed = choices.some(([each]) => isSame(each, value));
    const all = isListed ? choices : [...choices, [value, 'as the scenario says'] as const];
    return {settingKey, label, value, choices: all};
  });
  const jitters = jitterWays(scenario.path);
  const changed = fields.flatMap(({label, value, choices}) => {
    const [index, text] = [choices.findIndex(([each]) => isSame(each, value)), label.toLowerCase()];
    return index > 0 ? [`${text}: ${choices[index]?.[1]}`] : [];
  });
  const jitter = jitters.flatMap(({label, ms}) => (ms > 0 ? [`${label.toLowerCase()} ${ms} ms`] : []));
  const hint = [...changed, ...jitter].join(' · ');
  return (
    <Section name="link" title="Queue discipline, traces, traffic" hint={hint}>
      {fields.map(field => (
        <ChoiceField key={field.settingKey} {...field} />
      ))}
      {jitters.map(({settingKey, label, ms}) => (
        <NumberField key={settingKey} settingKey={settingKey} label={label} unit="ms" value={ms} scale={JITTER} />
      ))}
    </Section>
  );
}
