import {chmodSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterAll, expect, test} from 'vitest';
import {browserVersion} from './browserVersion.ts';

const folder = mkdtempSync(join(tmpdir(), 'interleave-version-'));
afterAll(() => rmSync(folder, {recursive: true, force: true}));

function program(name: string, script: string): string {
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}

test('a browser is identified by the version that it prints', async () => {
  expect(await browserVersion(program('says', 'echo "Chromium 156.0.1 "'))).toBe('Chromium 156.0.1');
});

test('a browser that prints no version is identified by its file', async () => {
  for (const [name, script] of [
    ['silent', 'true'],
    ['failing', 'exit 1'],
    ['wordy', 'echo no version'],
  ] as const) {
    const path = program(name, script);
    expect(await browserVersion(path)).toMatch(new RegExp(`^${path} \\d+ [\\d.]+$`));
  }
});
