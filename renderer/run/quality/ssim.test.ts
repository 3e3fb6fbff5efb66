import {readFileSync} from 'node:fs';
import sharp, {type Sharp} from 'sharp';
import {describe, expect, test} from 'vitest';
import {type Plane, planeOf, ssim} from './ssim.ts';

describe('SSIM', () => {
  // `byDefinition` is equation 13 of Wang et al. (2004), written as its three factors. Unlike `ssim`, it computes the
  // mean, variance and covariance of each window from the pixels of this window.
  test.each([
    ['of a picture that whole windows cover', 32, 24],
    ['of a picture with smaller windows at its edges', 37, 29],
    ['of a line', 21, 1],
    ['of a column', 3, 30],
    ['of less than a window', 5, 7],
    ['of one block', 4, 4],
    ['of a pixel', 1, 1],
  ])('%s equals the value of its equation', (_, width, height) => {
    const [a, b] = [noise(width, height, 1), noise(width, height, 2)];
    expect(ssim(a, b)).toBeCloseTo(byDefinition(a, b), 9);
  });

  test('of equal pictures is 1, and of different pictures does not depend on their order', () => {
    const [a, b] = [noise(40, 30, 1), noise(40, 30, 2)];
    expect(ssim(a, a)).toBeCloseTo(1, 12);
    expect(ssim(a, b)).toBe(ssim(b, a));
  });

  test('of flat pictures is the similarity of their brightness', () => {
    const flat = (value: number): Plane => ({width: 16, height: 16, luma: new Float32Array(256).fill(value)});
    expect(ssim(flat(100), flat(200))).toBeCloseTo((2 * 100 * 200 + 6.5025) / (100 ** 2 + 200 ** 2 + 6.5025), 6);
  });

  test('of a negative is below 0', () => {
    const a = noise(40, 30, 1);
    expect(ssim(a, {...a, luma: a.luma.map(value => 255 - value)})).toBeLessThan(-0.5);
  });

  test('of pictures with different sizes is refused, and the message has both sizes', () => {
    expect(() => ssim(noise(8, 8, 1), noise(9, 8, 1))).toThrow('8x8 and 9x8');
  });

  test.each([
    ['blurred', (picture: Sharp) => picture.blur(2)],
    ['darker', (picture: Sharp) => picture.linear(0.7)],
    ['reduced to few colours', (picture: Sharp) => picture.png({colours: 8, dither: 0})],
    ['compressed to a poor JPEG', (picture: Sharp) => picture.jpeg({quality: 8})],
  ])('of a picture that is %s differs by less than 0.04 from SSIM with Wang’s Gaussian windows', async (_, spoil) => {
    for (const name of ['lake', 'planet', 'autumn']) {
      const whole = sharp(readFileSync(`fixtures/pages/gallery/${name}.jpg`));
      const spoilt = sharp(await spoil(whole.clone()).toBuffer());
      const [a, b] = [await pixelsOf(whole), await pixelsOf(spoilt)];
      expect(ssim(a, b)).toBeLessThan(0.97);
      expect(Math.abs(ssim(a, b) - gaussian(a, b)), name).toBeLessThan(0.04);
    }
  });
});

test('the brightness is that of Rec. 601', () => {
  const rgba = Uint8ClampedArray.of(255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255, 255, 255, 255, 255);
  const {luma} = planeOf(rgba, 2, 2);
  expect(Array.from(luma, value => value.toFixed(3))).toEqual(['76.245', '149.685', '29.070', '255.000']);
});

async function pixelsOf(picture: Sharp): Promise<Plane> {
  const {data, info} = await picture.ensureAlpha().raw().toBuffer({resolveWithObject: true});
  return planeOf(new Uint8ClampedArray(data), info.width, info.height);
}

/**
 * A picture in which each pixel is similar to the one before it in its row. It is always the same for the same seed.
 */
function noise(width: number, height: number, seed: number): Plane {
  let [state, value] = [seed, 128];
  const luma = Float32Array.from({length: width * height}, () => {
    state = (state * 48271) % 2147483647;
    value = Math.min(Math.max(value + (state % 61) - 30, 0), 255);
    return value;
  });
  return {width, height, luma};
}

const [C1, C2, C3] = [6.5025, 58.5225, 58.5225 / 2];

function byDefinition(a: Plane, b: Plane): number {
  const starts = (length: number) => {
    const blocks = Math.ceil(length / 4);
    return Array.from({length: Math.max(blocks - 1, 1)}, (_, i) => 4 * i);
  };
  const likenesses = starts(a.height).flatMap(top =>
    starts(a.width).map(left => {
      const window = (plane: Plane): number[] => {
        const values: number[] = [];
        for (let y = top; y < Math.min(top + 8, plane.height); y++)
          for (let x = left; x < Math.min(left + 8, plane.width); x++)
            values.push(plane.luma[y * plane.width + x] ?? 0);
        return values;
      };
      const [p, q] = [window(a), window(b)];
      return likeness(
        p,
        q,
        p.map(() => 1 / p.length),
      );
    }),
  );
  return mean(likenesses);
}

/** The mean SSIM with Gaussian windows of 11 × 11 px, σ = 1.5 (Wang et al., §III B), of every third row and column. */
function gaussian(a: Plane, b: Plane): number {
  const offsets = Array.from({length: 121}, (_, i) => [Math.floor(i / 11) - 5, (i % 11) - 5] as const);
  const raw = offsets.map(([y, x]) => Math.exp(-(x * x + y * y) / (2 * 1.5 ** 2)));
  const sum = raw.reduce((total, weight) => total + weight, 0);
  const weights = raw.map(weight => weight / sum);
  const likenesses: number[] = [];
  // only every ninth window (every third row and column): the mean differs by less than a thousandth
  for (let y = 5; y < a.height - 5; y += 3) {
    for (let x = 5; x < a.width - 5; x += 3) {
      const window = ({luma, width}: Plane) => offsets.map(([dy, dx]) => luma[(y + dy) * width + x + dx] ?? 0);
      likenesses.push(likeness(window(a), window(b), weights));
    }
  }
  return mean(likenesses);
}

/** Luminance · contrast · structure (eq. 6, 9 and 10), with weights (eq. 14 to 16). */
function likeness(p: readonly number[], q: readonly number[], weights: readonly number[]): number {
  const weighted = (values: readonly number[]): number =>
    values.reduce((sum, value, i) => sum + value * (weights[i] ?? 0), 0);
  const [meanP, meanQ] = [weighted(p), weighted(q)];
  const deviation = (values: readonly number[], mean: number): number =>
    Math.sqrt(weighted(values.map(value => (value - mean) ** 2)));
  const [sigmaP, sigmaQ] = [deviation(p, meanP), deviation(q, meanQ)];
  const covariance = weighted(p.map((value, i) => (value - meanP) * ((q[i] ?? 0) - meanQ)));
  const luminance = (2 * meanP * meanQ + C1) / (meanP ** 2 + meanQ ** 2 + C1);
  const contrast = (2 * sigmaP * sigmaQ + C2) / (sigmaP ** 2 + sigmaQ ** 2 + C2);
  return luminance * contrast * ((covariance + C3) / (sigmaP * sigmaQ + C3));
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
