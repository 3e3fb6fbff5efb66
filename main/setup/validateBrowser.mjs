// npm run validate:browser: loads pages in real browsers from real servers over an emulated path in real time, and
// compares these loads with computed loads (docs/real-browsers.md). It needs Linux and root, and installs the browsers
// and servers as Debian packages, except the newest Caddy: cells with it are skipped unless there is a program
// `caddy-2.11` in PATH.
//
//   npm run validate:browser -- [WORD…] [--without WORD] [--all] [--loads 20] [--out FILE] [--list] [--table]
//                               [--keep FILE]
//
// A cell is a combination of a page, a browser, a server, a protocol and a path. By default the command loads the cells
// of the table in docs/real-browsers.md, and with --all also all others. With words, it loads only those of these cells
// whose names have all the words. --without leaves out the cells whose names have its WORD. Loads that FILE already has
// are not made again. --list only prints the names of the cells. --table loads nothing, and compares the loads in FILE
// with computed ones. Without --out, these are the loads of the repository (fixtures/realLoads). --keep writes the
// loads of the cells into another file in a shorter form, as the repository has them.
import './node.mjs';
import {resolve} from 'node:path';
import {parseArgs} from 'node:util';
import {inOneLine, runTool, wholeNumber} from './command.mjs';
import {setUpRealLoads} from './realLoads.mjs';

const SYSTEM = ['chromium', 'firefox-esr', 'nginx', 'caddy', 'h2o', 'apache2', 'openssl', 'libnss3-tools', 'iproute2'];

await inOneLine(async () => {
  const {values, positionals} = parseArgs({
    allowPositionals: true,
    options: {
      all: {type: 'boolean', default: false},
      loads: {type: 'string', default: '20'},
      out: {type: 'string'},
      keep: {type: 'string'},
      list: {type: 'boolean', default: false},
      table: {type: 'boolean', default: false},
      without: {type: 'string', multiple: true, default: []},
    },
  });
  const loads = wholeNumber('--loads', values.loads);
  await setUpRealLoads(values.list || values.table ? null : SYSTEM);
  process.env.INTERLEAVE_VALIDATE_BROWSER = JSON.stringify({
    cells: values.all ? 'all' : 'table',
    words: [...positionals, ...values.without.map(word => `-${word}`)],
    loads,
    out: resolve(values.out ?? (values.table ? 'fixtures/realLoads/loads.jsonl' : '.cache/real-browsers.jsonl')),
    keep: values.keep === undefined ? null : resolve(values.keep),
    list: values.list,
    table: values.table,
  });
  const {code} = await runTool('vitest', ['run', '--config', 'e2e/make.config.ts', 'validateBrowser']);
  process.exitCode = code;
});
