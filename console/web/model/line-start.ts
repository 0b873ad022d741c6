/** Where a line of a text begins; of a line that it does not have, where it ends. Lines count from 1. */
export function lineStart(text: string, line: number): number {
  let start = 0;
  for (let before = 1; before < line; before += 1) {
    const end = text.indexOf('\n', start);
    if (end === -1) return text.length;
    start = end + 1;
  }
  return start;
}
