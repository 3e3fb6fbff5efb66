import {mkdirSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import {afterEach, expect, test} from 'vitest';
import {forbiddenImports} from './floors.mjs';

const root = mkdtempSync(join(tmpdir(), 'interleave-floors-'));
afterEach(() => rmSync(root, {recursive: true}));

/** Lists what is reported for a tree with these files. */
function reported(files: {readonly [path: string]: string}): readonly string[] {
  for (const floor of ['app', 'main', 'renderer']) mkdirSync(join(root, floor), {recursive: true});
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), {recursive: true});
    writeFileSync(join(root, path), `${text}\n`);
  }
  return forbiddenImports(root);
}

test('no import of this repository breaks the rules', () => {
  expect(forbiddenImports('.')).toEqual([]);
});

test.each([
  ['app/page/a.ts', "import {a} from '../http/http1.ts';", '../http/http1.ts'],
  ['app/page/a.ts', "export * from '../http/http1.ts';", '../http/http1.ts'],
  ['app/run/trace/a.ts', "import type {Load} from '../load/load.ts';", '../load/load.ts'],
  ['app/pipelines/tcp/a.ts', "import {\n  a,\n  b,\n} from '../../run/trace/trace.ts';", '../../run/trace/trace.ts'],
  ['main/net/a.ts', "const module = await import('../pages/openPage.ts');", '../pages/openPage.ts'],
  ['main/pages/store/a.ts', "import {openPage} from '../pages.ts';", '../pages.ts'],
  ['renderer/host/a.tsx', "import '../kit/theme.css';", '../kit/theme.css'],
])('%s may not contain %s', (path, text, imported) => {
  const [line = '', ...others] = reported({[path]: text});
  expect(line).toContain(`${path} imports ${join(dirname(path), imported)}`);
  expect(others).toEqual([]);
});

test.each([
  ['app/run/trace/a.ts', "import {a} from '../scenario/scenario.ts';"],
  ['app/run/trace/a.test.ts', "import {a} from '../load/load.ts';"],
  ['app/run/trace/testing/a.ts', "import {a} from '../../load/load.ts';"],
  ['app/pipelines/tcp/a.ts', "import {a} from '../pipeline.ts';"],
  ['app/page/a.ts', "import {a} from 'htmlparser2';"],
  ['main/setup/start.mjs', "const shell = await import('../shells/webShell.ts');"],
  ['main/jobs/papers/a.ts', "import {a} from '../experiment/a.ts';"],
])('%s may contain %s', (path, text) => {
  expect(reported({[path]: text})).toEqual([]);
});

test.each([
  ['../story/story.ts', 'renderer/features/seeds and renderer/features/story may not import each other'],
  ['../list.ts', 'renderer/features/seeds may not import renderer/features'],
  ['../../window/App.tsx', 'renderer/features/seeds may not import renderer/window'],
])('a feature of the window may not import %s', (imported, why) => {
  const file = 'renderer/features/seeds/a.tsx';
  expect(reported({[file]: `import {a} from '${imported}';`})).toEqual([
    `${file} imports ${join(dirname(file), imported)}: ${why}`,
  ]);
});

test('a feature of the window may import itself, feature.ts and lower folders, and the list may import it', () => {
  const imports = ['./parts/b.ts', '../feature.ts', '../../session/session.ts', '../../kit/Section.tsx'];
  const text = imports.map(imported => `import {a} from '${imported}';`).join('\n');
  expect(reported({'renderer/features/seeds/a.tsx': text})).toEqual([]);
  expect(reported({'renderer/features/seeds/parts/b.ts': "import {a} from '../a.tsx';"})).toEqual([]);
  expect(reported({'renderer/features/list.ts': "import {seeds} from './seeds/a.tsx';"})).toEqual([]);
});

test('app may import only the packages that are listed', () => {
  expect(reported({'app/http/a.ts': "import {Parser} from 'htmlparser2';"})).toEqual([
    'app/http/a.ts imports htmlparser2: app/http may not import this package',
  ]);
});

test('a folder that is not listed is reported', () => {
  expect(reported({'app/new/a.ts': 'export {};'})).toEqual([
    'app/new/a.ts: its folder is not in main/setup/floors.mjs',
  ]);
});
