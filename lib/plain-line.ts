/**
 * What a terminal obeys: sequences of ECMA-48. Each part ends where the next one begins, so that a line of a stranger
 * takes no longer than it is long.
 */
const SEQUENCES = [
  // Control sequences, e.g. colours and moves of the cursor.
  String.raw`(?:\u001B\[|\u009B)[0-?]*[ -/]*[@-~]`,
  // Strings, e.g. titles and links. One without an end hides nothing.
  String.raw`\u001B[\]PX^_][^\u0007\u001B]*(?:\u0007|\u001B\\)`,
  // All others.
  String.raw`\u001B[ -/]*[0-~]`,
].join('|');
const ESCAPES = new RegExp(SEQUENCES, 'g');
const CONTROLS = /[^\P{C}\t]/gu;

/** A line of a program's output as text: without what moves a cursor, paints, or turns the direction of writing. */
export function plainLine(line: string): string {
  return line.replace(ESCAPES, '').replace(CONTROLS, '');
}
