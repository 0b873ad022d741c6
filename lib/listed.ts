/** The first `most` of `words`, and how many are left: `a, b and 3 more`. */
export function listed(words: readonly string[], most: number): string {
  const rest = words.length - most;
  const shown = words.slice(0, most).join(', ');
  return rest > 0 ? `${shown} and ${rest} more` : shown;
}
