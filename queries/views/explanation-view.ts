/** A path in the entry without that of the entry. */
export function layerText(from: string, entry: string): string {
  if (from === entry) return 'entry';
  return from.startsWith(`${entry}.`) ? from.slice(entry.length + 1) : from;
}
