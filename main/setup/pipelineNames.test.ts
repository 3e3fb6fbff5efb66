import {spawnSync} from 'node:child_process';
import {readFileSync} from 'node:fs';
import {expect, test} from 'vitest';
import {pipelines} from '../../app/pipelines/index.ts';

/** Files and folders that may name a pipeline, such as presets, papers, and the folders of the pipelines. */
const MAY_NAME = [
  'app/pipelines/',
  'app/run/scenario/presets.ts',
  'app/run/scenario/compare.ts',
  'app/run/scenario/comparisonPresets.ts',
  'app/run/scenario/linkPresets.ts',
  'app/run/scenario/pane.ts',
  'app/study/papers/',
  'app/study/advice/browsers.ts',
  // the transports of live loads have the names of pipelines
  'app/run/scenario/livePath.ts',
  'main/live/',
  'main/cli/commands/path/path.ts',
  'renderer/features/live/LiveSettings.tsx',
  'main/api/interleave.d.ts',
  // other traffic of a path may be TCP
  'app/run/scenario/traffic.ts',
  'app/run/scenario/testing/anyScenario.ts',
  'app/engine/native.ts',
  'app/engine/openSimulation.ts',
  'renderer/features/settings/linkChoices.ts',
  // a capture of another program shows which protocols it had, and so which pipeline it is
  'app/captures/',
  'app/run/trace/traceData.ts',
  'app/run/trace/traceProblem.ts',
  'app/study/figures/testing/',
  'renderer/run/timeline/testing/',
  'renderer/session/grid/testing/gridHost.ts',
];

test('only the listed files name a pipeline, and all other code uses the pipeline’s record', () => {
  const names = new RegExp(
    `(['"\`])(${pipelines()
      .map(({name}) => name)
      .join('|')})\\1`,
  );
  const listed = spawnSync('git', ['ls-files', 'app', 'main', 'renderer'], {encoding: 'utf8'}).stdout.split('\n');
  const sources = listed.filter(path => /\.tsx?$/.test(path) && !/\.test\.tsx?$/.test(path));
  const naming = sources.filter(path => names.test(readFileSync(path, 'utf8')));
  expect(naming.filter(path => path.startsWith('app/pipelines/')).length).toBeGreaterThan(1);
  expect(naming.filter(path => !MAY_NAME.some(place => path.startsWith(place)))).toEqual([]);
});
