import {expect, test} from 'vitest';
import {missingLibraries} from './wheel.ts';

test('the libraries that are missing are named', () => {
  const ldd = [
    '\tlinux-vdso.so.1 (0x00007ff03b148000)',
    '\tlibgtk-3.so.0 => not found',
    '\tlibc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x00007ff032000000)',
    '\tlibnss3.so => not found',
    '\t/lib64/ld-linux-x86-64.so.2 (0x00007ff03b14a000)',
  ];
  expect(missingLibraries(ldd.join('\n'))).toEqual(['libgtk-3.so.0', 'libnss3.so']);
});
