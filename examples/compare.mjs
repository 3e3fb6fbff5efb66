// This script prints a table of the page times of TCP and SCTP at three loss rates. Run it with:
//
//   node examples/compare.mjs
import {execFileSync} from 'node:child_process';
import {join} from 'node:path';

const program = join(import.meta.dirname, '../main/cli/interleave.mjs');

/** Returns the mean page time of each pane, in seconds. */
function pageTimes(loss) {
  const scenario = ['--scenario', 'n08-south-asia', '--set', `path.loss=${loss}`];
  const args = [program, 'run', ...scenario, '--seeds', '1-20', '--json'];
  const {summary} = JSON.parse(execFileSync(process.execPath, args, {encoding: 'utf8'}));
  return summary.map(pane => pane.pageTimeMs.mean / 1000);
}

console.log('loss   TCP s  SCTP s');
for (const loss of [0, 0.01, 0.03]) {
  const times = pageTimes(loss).map(seconds => seconds.toFixed(2).padStart(6));
  console.log(`${(100 * loss).toFixed(0).padStart(3)} %  ${times.join('  ')}`);
}
