import {expect, test} from 'vitest';
import {measure} from '../../../app/run/metrics/metrics.ts';
import {parseScenario} from '../../../app/run/scenario/scenario.ts';
import {DEFAULT_MOVIE, type Look} from '../../../app/telling/movie/options.ts';
import {sctpLoad, tcpLoad} from './testing/handmadeLoads.ts';
import {timelineSvg} from './timelineSvg.ts';

const parsed = parseScenario({});
if (!parsed.ok) throw new Error(parsed.problems[0]?.message);
const {scenario} = parsed;
const panes = [tcpLoad(), sctpLoad()].map((trace, i) => ({
  trace,
  metrics: measure(trace.data),
  label: `${i}`,
}));
const svgOf = (part: Partial<Look>) =>
  timelineSvg({panes, scenario, look: {...DEFAULT_MOVIE.look, ...part}, eye: null, tNs: 1e9});

test('the timeline shows the effect of an explained loss', () => {
  expect(svgOf({})).not.toMatch(/waited|there</);
  // packet 5 of testing/handmadeLoads.ts is lost at 255 ms
  const svg = svgOf({loss: {pane: 0, number: 1}});
  expect(svg).toContain('>b.png waited 235 ms<');
  expect(svgOf({loss: {pane: 1, number: 1}})).not.toBe(svg);
});
