import {describe, expect, test} from 'vitest';
import {chosenSource} from './sourceSet.ts';

const ofSet = (srcset: string, width?: string) => chosenSource({srcset, width, src: 'src.png', sources: []});

describe('chosenSource', () => {
  test('is src if there are no other sources', () => {
    expect(chosenSource({src: ' a.png ', sources: []})).toBe('a.png');
    expect(ofSet(' , ')).toBe('src.png');
    expect(chosenSource({src: ' ', sources: []})).toBeUndefined();
    expect(chosenSource({sources: []})).toBeUndefined();
  });

  test('is the candidate for one pixel per CSS pixel', () => {
    expect(ofSet('two.png 2x, one.png 1x')).toBe('one.png');
    expect(ofSet('two.png 2x, one.png')).toBe('one.png');
    expect(ofSet('a,b.png, c.png 2x')).toBe('a,b.png');
    expect(chosenSource({srcset: 'a.png,b.png 2x', sources: []})).toBe('a.png,b.png');
    expect(ofSet('two.png 2x, three.png 3x')).toBe('src.png');
    expect(chosenSource({srcset: 'two.png 2x, three.png 3x', sources: []})).toBe('two.png');
  });

  test('is the narrowest candidate that is wide enough; if none is, the widest', () => {
    const srcset = 'l.png 1600w, s.png 320w,m.png 1024w , bad.png 3q';
    expect(ofSet(srcset)).toBe('m.png');
    expect(ofSet(srcset, '300')).toBe('s.png');
    expect(ofSet(srcset, '1025px')).toBe('l.png');
    expect(ofSet(srcset, '50%')).toBe('m.png');
    expect(ofSet(srcset, '9000')).toBe('l.png');
  });

  test('comes from the first source that has no condition and has a type that browsers show', () => {
    const sources = [
      {srcset: 'wide.png', media: '(width > 1px)'},
      {srcset: 'x.jxl', type: 'image/jxl'},
      {srcset: ' '},
      {srcset: 'a.avif 1x, b.avif 2x', type: 'image/AVIF'},
      {srcset: 'c.webp', type: 'image/webp'},
    ];
    expect(chosenSource({src: 'src.png', srcset: 'set.png', sources})).toBe('a.avif');
    expect(chosenSource({src: 'src.png', srcset: 'set.png', sources: sources.slice(0, 3)})).toBe('set.png');
  });

  test('treats the medium `all` as no condition, and accepts all names of a type', () => {
    const of = (source: {media?: string; type?: string}) =>
      chosenSource({src: 'src.png', sources: [{srcset: 'a.x', ...source}]});
    for (const media of ['', ' ', 'ALL']) expect(of({media})).toBe('a.x');
    expect(of({media: 'all and (width > 1px)'})).toBe('src.png');
    for (const type of ['', 'image/jpg', 'IMAGE/BMP', 'image/vnd.microsoft.icon', 'image/webp; q=1']) {
      expect(of({type})).toBe('a.x');
    }
    expect(of({type: 'text/html'})).toBe('src.png');
  });

  test('reads a long list in linear time', () => {
    expect(ofSet(`a${','.repeat(1_000_000)}b 2x`)).toBe('src.png');
    expect(ofSet('a.png 2x,'.repeat(100_000))).toBe('src.png');
  });
});
