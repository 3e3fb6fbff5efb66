/** The word nearest to what was typed, if one is near enough to be meant. */
export function nearest(typed: string, words: readonly string[]): string | undefined {
  const letters = typed.slice(0, 40).toLowerCase();
  let best: string | undefined;
  let bestDistance = Math.max(2, Math.floor(letters.length / 3)) + 1;
  for (const word of words) {
    const isStart = word.toLowerCase().startsWith(letters);
    const distance = editDistance(letters, word.toLowerCase()) - (isStart ? 0.5 : 0);
    if (distance < bestDistance) [best, bestDistance] = [word, distance];
  }
  return best;
}

/** Insertions, deletions and substitutions between two words (Levenshtein 1966). */
function editDistance(a: string, b: string): number {
  let row = Array.from({length: b.length + 1}, (_, column) => column);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const substituted = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(substituted, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
