import {execFileSync, spawnSync} from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import {afterEach, beforeEach, describe, expect, test} from 'vitest';
import {root} from './command.mjs';
import {nextMinor, raised, release, releasedChangelog} from './release.mjs';

const textOf = (path: string): string => readFileSync(join(root, path), 'utf8');
const {version: current} = JSON.parse(textOf('package.json')) as {version: string};
const next = nextMinor(current);

describe('the version', () => {
  const files = ['package.json', 'package-lock.json', 'native/Cargo.toml', 'native/Cargo.lock', 'CITATION.cff'];
  test.each([...files, 'main/python/pyproject.toml'])('is raised in %s, and nothing else is changed', path => {
    const [before, after] = [textOf(path), raised(path, textOf(path), current, next)].map(text => text.split('\n')) as [
      string[],
      string[],
    ];
    const changed = after.filter((line, i) => line !== before[i]);
    expect(after.length).toBe(before.length);
    expect(changed.length).toBeGreaterThan(0);
    for (const line of changed) expect(line).toMatch(/^\s*"?version"?\s*[:=]/);
  });

  test('of a package from a registry stays, even if it equals our version', () => {
    const lock = `[[package]]\nname = "a"\nversion = "${current}"\nsource = "registry"\n\n[[package]]\nname = "addon"\nversion = "${current}"\n`;
    expect(raised('native/Cargo.lock', lock, current, '9.9.9')).toBe(
      lock.replace(`"addon"\nversion = "${current}"`, '"addon"\nversion = "9.9.9"'),
    );
  });

  test('must be in each file', () => {
    expect(() => raised('CITATION.cff', 'version: 7\n', current, next)).toThrow(
      `CITATION.cff does not contain the version ${current}`,
    );
  });
});

describe('the changelog', () => {
  const OLD = '# Changelog\n\n## Unreleased\n\n### Added\n- A.\n\n## 0.1.0\n\n- B.\n';

  test('gets a section with version and date, and an empty section Unreleased', () => {
    expect(releasedChangelog(OLD, '0.2.0', '2026-12-01')).toEqual({
      changelog: '# Changelog\n\n## Unreleased\n\n## 0.2.0 - 2026-12-01\n\n### Added\n- A.\n\n## 0.1.0\n\n- B.\n',
      notes: '### Added\n- A.',
    });
  });

  test.each([
    ['without the section Unreleased', '# Changelog\n\n## 0.1.0\n', 'no section Unreleased'],
    ['with nothing to release', '# Changelog\n\n## Unreleased\n\n## 0.1.0\n', 'is empty'],
    ['that has the version', `${OLD}\n## 0.2.0 - 2026-01-01\n`, 'already has a section 0.2.0'],
  ])('%s is refused', (_, text, why) => {
    expect(() => releasedChangelog(text, '0.2.0', '2026-12-01')).toThrow(why);
  });
});

describe('a release', () => {
  let folder: string;
  let repository: string;
  let said: string[];
  const git = (...args: string[]): string => execFileSync('git', args, {cwd: repository, encoding: 'utf8'}).trim();
  /** Makes a repository of these files, as they are now. */
  const commitFiles = (paths: readonly string[]): void => {
    for (const path of paths) {
      mkdirSync(dirname(join(repository, path)), {recursive: true});
      cpSync(join(root, path), join(repository, path));
    }
    git('init', '--quiet', '--initial-branch=main');
    git('config', 'user.name', 'Someone');
    git('config', 'user.email', 'someone@example.org');
    git('add', '--all');
    git('commit', '--quiet', '--message', 'all');
  };
  const run = (options: object) => release(repository, {date: '2026-12-01', ...options}, line => said.push(line));

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'interleave-released-'));
    repository = join(folder, 'repository');
    mkdirSync(repository);
    said = [];
  });
  afterEach(() => rmSync(folder, {recursive: true, force: true}));

  describe('of the files with a version', () => {
    const FILES = [
      'package.json',
      'package-lock.json',
      'native/Cargo.toml',
      'native/Cargo.lock',
      'CITATION.cff',
      'CHANGELOG.md',
      'main/python/pyproject.toml',
    ];
    beforeEach(() => commitFiles(FILES));

    test('makes one commit and an annotated tag', async () => {
      await run({});
      expect(git('log', '--format=%s')).toBe(`release: ${next}\nall`);
      expect(git('cat-file', '-t', `v${next}`)).toBe('tag');
      expect(git('rev-parse', `v${next}^{commit}`)).toBe(git('rev-parse', 'HEAD'));
      expect(git('status', '--porcelain')).toBe('');
      expect(git('diff', '--name-only', 'HEAD~').split('\n').sort()).toEqual(FILES.toSorted());
      expect(JSON.parse(git('show', 'HEAD:package.json'))).toMatchObject({version: next});
      expect(readFileSync(join(repository, 'CHANGELOG.md'), 'utf8')).toContain(
        `## Unreleased\n\n## ${next} - 2026-12-01\n`,
      );
    });

    test('with --dry-run says what it would change, and changes nothing', async () => {
      const head = git('rev-parse', 'HEAD');
      await run({'dry-run': true});
      expect(said.join('\n')).toContain(`${current} → ${next} (2026-12-01)`);
      expect(said.join('\n')).toContain('native/Cargo.toml');
      expect([git('rev-parse', 'HEAD'), git('tag', '--list'), git('status', '--porcelain')]).toEqual([head, '', '']);
    });

    test('is refused if the tree is not clean, the tag exists, the version is not later, or the folder is not empty', async () => {
      await expect(run({version: current})).rejects.toThrow(`--version is ${current}: must be later than ${current}`);
      await expect(run({version: '0.0.9'})).rejects.toThrow('must be later');
      await expect(run({version: 'v2'})).rejects.toThrow(`--version is v2: must be like ${next}`);
      await expect(run({out: repository})).rejects.toThrow('is not empty');
      mkdirSync(join(folder, 'addons'));
      await expect(run({addons: join(folder, 'addons')})).rejects.toThrow('contains no .tgz');
      writeFileSync(join(folder, 'addons/interleave-darwin-x64-0.0.1.tgz'), '');
      await expect(run({addons: join(folder, 'addons')})).rejects.toThrow(`0.0.1.tgz is not of version ${next}`);
      git('tag', `v${next}`);
      await expect(run({})).rejects.toThrow(`the tag v${next} exists already`);
      writeFileSync(join(repository, 'new.txt'), '');
      await expect(run({})).rejects.toThrow('the tree is not clean; commit or remove first:\n?? new.txt');
      expect(git('log', '--format=%s')).toBe('all');
    });
  });

  test('makes all artefacts, with their checksums, from a clone', {tags: ['long']}, async () => {
    const tracked = execFileSync('git', ['ls-files', '-z'], {cwd: root, encoding: 'utf8'}).split('\0');
    commitFiles(tracked.filter(path => path !== '' && existsSync(join(root, path))));
    for (const part of ['node_modules', 'native/target']) symlinkSync(join(root, part), join(repository, part));
    writeFileSync(join(repository, '.git/info/exclude'), 'node_modules\ntarget\n');
    const [addons, out] = [join(folder, 'addons'), join(folder, 'out')];
    mkdirSync(addons);
    writeFileSync(join(addons, `interleave-darwin-x64-${next}.tgz`), 'of another machine');
    await run({out, addons, 'dry-run': true});
    expect(readdirSync(out).sort()).toEqual([
      'RELEASE_NOTES.md',
      'SHA256SUMS',
      'THIRD_PARTY_NOTICES.md',
      `interleave-${next}-source.tar.gz`,
      `interleave-${next}.cdx.json`,
      `interleave-${next}.tgz`,
      `interleave-darwin-x64-${next}.tgz`,
    ]);
    expect(spawnSync('sha256sum', ['--check', '--strict', 'SHA256SUMS'], {cwd: out}).status).toBe(0);
    const bom = JSON.parse(readFileSync(join(out, `interleave-${next}.cdx.json`), 'utf8'));
    expect(bom).toMatchObject({bomFormat: 'CycloneDX', metadata: {component: {name: 'interleave', version: next}}});
    expect(readFileSync(join(out, 'THIRD_PARTY_NOTICES.md'), 'utf8')).toContain('## Texts');
    const packed = (path: string): string =>
      execFileSync('tar', ['-xzOf', `interleave-${next}.tgz`, `package/${path}`], {cwd: out, encoding: 'utf8'});
    expect(JSON.parse(packed('package.json'))).toMatchObject({
      version: next,
      optionalDependencies: {'interleave-linux-x64-gnu': next},
    });
    expect(packed('main/files/commit.txt')).toMatch(/^[0-9a-f]{40}\n$/);
    expect(packed('CHANGELOG.md')).toContain(`## ${next} - 2026-12-01`);
    expect(git('status', '--porcelain')).toBe('');
  });
});
