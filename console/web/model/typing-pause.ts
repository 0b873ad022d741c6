const SHORTEST_MS = 400;
const CHARACTERS_PER_MS = 1_000;

/** How long nobody types before a text is read: longer for one that takes longer to read. */
export function pauseMs(text: string): number {
  return SHORTEST_MS + text.length / CHARACTERS_PER_MS;
}
