import {execFileSync, spawnSync} from 'node:child_process';
import {cpSync, existsSync, mkdirSync, symlinkSync, writeFileSync} from 'node:fs';
import {delimiter, join} from 'node:path';
import {root} from '../main/setup/command.mjs';
import {makePrebuilt} from '../main/setup/prebuilt.mjs';

/** The npm packages of the program, as files that `npm install` takes. */
export interface Tarballs {
  readonly program: string;
  /** The prebuilt addon for this platform. */
  readonly addon: string;
}

/**
 * Packs the program and the prebuilt addon of this platform. `npm pack` runs in a copy of the repository, because it
 * changes some files for a moment, and other tests read these files.
 * @param folder an empty folder for the copy and the tarballs
 */
export async function packAll(folder: string): Promise<Tarballs> {
  const copy = join(folder, 'clone');
  copyRepository(copy);
  const addon = await makePrebuilt(join(folder, 'prebuilt'));
  return {program: pack(copy, folder), addon: pack(addon, folder)};
}

/**
 * Copies the files of the repository with their uncommitted changes, and the bundles in `dist`. Large folders that
 * `npm pack` does not change are linked.
 */
function copyRepository(copy: string): void {
  const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], {
    cwd: root,
    encoding: 'utf8',
  });
  for (const file of files.split('\0').filter(name => name !== '' && existsSync(join(root, name))))
    cpSync(join(root, file), join(copy, file));
  cpSync(join(root, 'dist'), join(copy, 'dist'), {recursive: true});
  for (const part of ['.git', 'node_modules', 'native/target']) symlinkSync(join(root, part), join(copy, part));
}

/** Runs `npm pack` in a folder. @returns the path of the tarball */
function pack(folder: string, destination: string): string {
  const output = npm(['pack', '--json', '--pack-destination', destination], folder, process.env).stdout;
  const [{filename = ''} = {}] = JSON.parse(output.slice(output.indexOf('[\n'))) as {filename: string}[];
  return join(destination, filename);
}

/** Runs npm. @throws Error with what npm printed, if it fails */
export function npm(args: readonly string[], cwd: string, env: NodeJS.ProcessEnv): {stdout: string} {
  const {status, stdout, stderr} = spawnSync('npm', args, {cwd, encoding: 'utf8', env});
  if (status !== 0) throw new Error(`npm ${args.join(' ')}: ${stderr}${stdout}`);
  return {stdout};
}

/**
 * Makes a project that has nothing but what npm installs from the tarballs.
 * @returns the environment of a user who has Node and npm, but neither cargo nor a compiler
 * @throws Error with what npm printed, for example if the registry cannot be reached
 */
export function installInto(project: string, {program, addon}: Tarballs): NodeJS.ProcessEnv {
  const bin = join(project, '..', 'bin');
  mkdirSync(bin, {recursive: true});
  for (const name of ['sh', 'env', 'node', 'npm', 'npx'])
    if (!existsSync(join(bin, name))) symlinkSync(whereIs(name), join(bin, name));
  mkdirSync(project, {recursive: true});
  writeFileSync(join(project, 'package.json'), '{"private": true}\n');
  const {HOME = '', npm_config_registry} = process.env;
  const env = {HOME, PATH: bin, ...(npm_config_registry === undefined ? {} : {npm_config_registry})};
  npm(['install', '--no-audit', '--no-fund', '--prefer-offline', program, addon], project, env);
  return env;
}

function whereIs(name: string): string {
  if (name === 'node') return process.execPath;
  const folder = (process.env['PATH'] ?? '').split(delimiter).find(each => existsSync(join(each, name)));
  return join(folder ?? '/usr/bin', name);
}
