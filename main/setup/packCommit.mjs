// Runs before and after `npm pack`. A package contains no Git repository, so a file in it names the commit
// (main/files/program.ts). After `npm pack`, this file gets its original content back.
import {execFileSync} from 'node:child_process';
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {root} from './command.mjs';

const file = join(root, 'main/files/commit.txt');
const isBefore = process.argv[2] === 'before';
const text = isBefore ? execFileSync('git', ['rev-parse', 'HEAD'], {cwd: root, encoding: 'utf8'}) : '$Format:%H$\n';
writeFileSync(file, text);
