// This script draws the page times of TCP and SCTP against the loss rate, with 95 % intervals. Run it with:
//
//   node examples/figure.mjs FIGURE.svg
import {writeFileSync} from 'node:fs';
import {figure, run} from 'interleave';

const losses = [0, 0.01, 0.03];
const results = [];
for (const loss of losses) results.push(await run({page: 'gallery-3k', path: {loss}}, {seeds: '1-20'}));

for (const [i, {summary}] of results.entries()) {
  const times = summary.map(({pipeline, pageTimeMs}) => `${pipeline} ${Math.round(pageTimeMs.mean)} ms`);
  console.log(`loss ${100 * losses[i]} %: ${times.join(', ')}`);
}
writeFileSync(process.argv[2] ?? 'figure.svg', await figure(results, {x: {key: 'path.loss', values: losses}}));
