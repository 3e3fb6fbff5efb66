/**
 * Returns how well a typed text matches a title: the higher, the better. Returns null if it does not match. Every typed
 * word must occur in `title` or in `others`, which are other words for the same thing. It can occur as a whole, or
 * scattered: its letters are in the same order, but other letters are in between. The start of a word counts more than
 * its middle, connected letters more than scattered ones, `title` more than `others`, and a short title more than a
 * long one.
 */
export function matchScore(typed: string, title: string, others = ''): number | null {
  const words = plain(typed)
    .split(/\s+/)
    .filter(word => word !== '');
  const [inTitle, inOthers] = [plain(title), plain(others)];
  let sum = 0;
  for (const word of words) {
    const [own, other] = [wordScore(word, inTitle), wordScore(word, inOthers)];
    const best = Math.max(own ?? 0, (other ?? 0) / 2);
    if (best === 0) return null;
    sum += best;
  }
  return sum - title.length / 100;
}

/** Returns how well one typed word matches a text: a number above 0, at most 100. Returns null if it does not match. */
function wordScore(word: string, text: string): number | null {
  let best: number | null = null;
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    const isStart = at === 0 || !LETTER.test(text[at - 1] ?? '');
    const after = text[at + word.length] ?? '';
    best = Math.max(best ?? 0, !isStart ? 50 : LETTER.test(after) ? 80 : 100);
  }
  return best ?? scatteredScore(word, text);
}

/**
 * Returns how well a word matches a text that has the word's letters in the same order, but with other letters in
 * between. The word must have at least three letters, and its first letter must begin a word of the text. Returns null
 * if the word does not match.
 */
function scatteredScore(word: string, text: string): number | null {
  // one or two letters occur in almost every text
  if (word.length < 3) return null;
  let best: number | null = null;
  for (let start = 0; start < text.length; start++) {
    if (text[start] !== word[0] || (start > 0 && LETTER.test(text[start - 1] ?? ''))) continue;
    let [at, starts] = [start, 1];
    for (const letter of word.slice(1)) {
      const next = text.indexOf(letter, at + 1);
      if (next < 0) {
        at = -1;
        break;
      }
      if (next === at + 1 || !LETTER.test(text[next - 1] ?? '')) starts += 1;
      at = next;
    }
    // two thirds of the letters must directly follow the previous letter or begin a word, otherwise anything would
    // match
    if (at >= 0 && starts * 3 >= word.length * 2) best = Math.max(best ?? 0, (40 * starts) / word.length);
  }
  return best;
}

/** Returns the text in lower case and without accents. */
function plain(text: string): string {
  return text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
}

const LETTER = /[\p{L}\p{N}]/u;
