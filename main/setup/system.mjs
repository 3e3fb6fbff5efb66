// Installs the system packages that some tests need, where that is possible: as root on Debian and its kin.
// Elsewhere it prints the command; the tests that need them are skipped and say so.
import {run} from './command.mjs';

const packages = [
  'tshark', // reads captures back: native/addon/capture.test.ts
];

const missing = [];
for (const name of packages) {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: dpkg's own format
  const {output} = await run('dpkg-query', ['--show', '--showformat=${db:Status-Status}', name], {
    capture: true,
  });
  if (output !== 'installed') missing.push(name);
}
const command = ['apt-get', 'install', '--yes', '--no-install-recommends', ...missing];
if (missing.length > 0 && process.getuid?.() === 0) {
  console.log(`system: ${command.join(' ')}`);
  const env = {DEBIAN_FRONTEND: 'noninteractive'};
  await run('apt-get', ['update', '--quiet=2'], {capture: true, env});
  await run('apt-get', ['--quiet=2', ...command.slice(1)], {capture: true, env});
} else if (missing.length > 0) {
  console.log(`system: some tests will be skipped; to run them: sudo ${command.join(' ')}`);
}
