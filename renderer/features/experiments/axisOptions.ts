import {shortNames} from '../../../app/pipelines/paneLabels.ts';
import {paneDocument} from '../../../app/run/scenario/document.ts';
import type {Scenario} from '../../../app/run/scenario/scenario.ts';
import {axisText, keyQuantity} from '../../../app/study/figures/quantities.ts';

/** A setting that an experiment can vary. */
export interface AxisOption {
  /** The key, written as in `--set`. */
  readonly key: string;
  /** The setting's name, with the unit of its values. */
  readonly label: string;
  /** The values that the field has when the setting is chosen, as text. */
  readonly text: string;
}

/** The settings that are often varied, then the numeric settings of each pane. Any other key can be typed. */
export function axisOptions({panes, page, path}: Scenario): readonly AxisOption[] {
  const names = shortNames(panes);
  const own = panes.flatMap((pane, i) => {
    return Object.entries(paneDocument(pane)).flatMap(([name, value]): readonly AxisOption[] => {
      if (typeof value !== 'number') return [];
      const text = name === 'streams' ? '1, 2, 5, 10' : [value, value * 2, value * 4].join(', ');
      return [{key: `panes.${i}.${name}`, label: `${names[i]}: ${name}`, text}];
    });
  });
  const note = page.kind === 'synthetic' ? '' : ' of an artificial page';
  // `path.loss` is a share of packets that are lost at random, which replaces the scenario's model of losses
  const isReplaced = path.loss.down.model !== 'bernoulli' || path.loss.up.model !== 'bernoulli';
  const lossNote = isReplaced ? ' at random, not as in this scenario' : '';
  return [
    ...OF_PATH.map(([key, text]) => ({key, label: `${labelOf(key)}${key === 'path.loss' ? lossNote : ''}`, text})),
    ...OF_PAGE.map(([key, text]) => ({key, label: `${labelOf(key)}${note}`, text})),
    ...own,
  ];
}

function labelOf(key: string): string {
  return axisText(keyQuantity(key));
}

/**
 * Settings of the path and the server, with the values that their field has at first, in the units that figures show.
 */
const OF_PATH: readonly (readonly [key: string, text: string])[] = [
  ['path.loss', '0..10 step 1'],
  ['path.rttMs', '50, 100, 200, 400, 800'],
  ['path.rateBps', '0.1, 0.2, 0.5, 1, 2, 5'],
  ['path.queuePackets', '5, 10, 20, 50, 100'],
  ['serverThinkMs', '0, 50, 100, 200, 500'],
];

/** The numbers of objects and the object sizes (KB) of the paper N07. */
const OF_PAGE: readonly (readonly [key: string, text: string])[] = [
  ['page.synthetic.objects', '5, 10, 15'],
  ['page.synthetic.objectBytes', '3, 5, 10, 15'],
];
