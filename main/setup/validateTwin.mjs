// npm run validate:twin: captures loads of a real Chromium on known paths, fits a computed load (the twin) to each
// captured load, and prints how close the twins are (docs/captures.md). It needs Linux and root, and installs what it
// needs as Debian packages.
//
//   npm run validate:twin -- [WORD…] [--out FOLDER] [--table]
//
// A cell is a combination of a page, a server, a protocol and a path, and possibly a fault that makes the load slow on
// purpose. Without words, the command captures all cells. With words, it captures the cells whose names have all these
// words. The words of a name are separated by hyphens. Loads that FOLDER already has are not captured again. With
// --table, nothing is captured, and the loads in FOLDER are compared.
import './node.mjs';
import {resolve} from 'node:path';
import {parseArgs} from 'node:util';
import {inOneLine, runTool} from './command.mjs';
import {setUpRealLoads} from './realLoads.mjs';

const SYSTEM = ['chromium', 'nginx', 'caddy', 'openssl', 'libnss3-tools', 'iproute2', 'tcpdump'];

await inOneLine(async () => {
  const {values, positionals} = parseArgs({
    allowPositionals: true,
    options: {
      out: {type: 'string', default: '.cache/captures'},
      table: {type: 'boolean', default: false},
    },
  });
  await setUpRealLoads(values.table ? null : SYSTEM);
  process.env.INTERLEAVE_VALIDATE_TWIN = JSON.stringify({
    folder: resolve(values.out),
    words: positionals,
    table: values.table,
  });
  const {code} = await runTool('vitest', ['run', '--config', 'e2e/make.config.ts', 'validateTwin']);
  process.exitCode = code;
});
