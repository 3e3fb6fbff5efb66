// npm run screenshots:browser: records the screen of a real Chromium while it loads a page from a real server, over an
// emulated path in real time. It draws the recorded load above the computed load of the same page
// (docs/real-browsers.md). It needs Linux and root, and installs the browser and the server as Debian packages.
//
//   npm run screenshots:browser -- [--loads 11] [--out FILE]
//
// The picture shows the load with the median page time. FILE is the picture of README by default.
import './node.mjs';
import {resolve} from 'node:path';
import {parseArgs} from 'node:util';
import {inOneLine, runTool, wholeNumber} from './command.mjs';
import {setUpRealLoads} from './realLoads.mjs';

await inOneLine(async () => {
  const {values} = parseArgs({
    options: {
      loads: {type: 'string', default: '11'},
      out: {type: 'string', default: 'e2e/screenshots/real-browser.webp'},
    },
  });
  const loads = wholeNumber('--loads', values.loads);
  await setUpRealLoads(['chromium', 'nginx', 'openssl', 'libnss3-tools', 'iproute2']);
  process.env.INTERLEAVE_BROWSER_FILMSTRIP = JSON.stringify({loads, out: resolve(values.out)});
  const {code} = await runTool('vitest', ['run', '--config', 'e2e/make.config.ts', 'browserFilmstrip']);
  process.exitCode = code;
});
