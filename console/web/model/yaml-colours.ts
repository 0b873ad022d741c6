import { FIRST_LINE, lineTokens, type LineState, type Token } from './yaml-tokens.js';

/** What browsers may break a line at besides line feeds: such a text has no colours. */
const ODD_BREAK = /[\v\f\r\u0085\u2028\u2029]/;

/** The lines of a text that changes while somebody types, of which some can be seen. */
export class Colours {
  #lines: readonly string[] = [];
  /** What each line begins with, as far as somebody asked. */
  readonly #states: LineState[] = [FIRST_LINE];
  #isOdd = false;

  /** What comes before the first change stays. */
  read(text: string): void {
    const lines = text.split('\n');
    let same = 0;
    while (same < lines.length && lines[same] === this.#lines[same]) same += 1;
    this.#states.length = Math.min(this.#states.length, same + 1);
    this.#lines = lines;
    this.#isOdd = ODD_BREAK.test(text);
  }

  get count(): number {
    return this.#lines.length;
  }

  /** The parts of some lines; none if they would not lie on the text. */
  between(first: number, end: number): (readonly Token[])[] {
    if (this.#isOdd) return [];
    for (let line = this.#states.length - 1; line < first; line += 1) this.#tokens(line);
    return this.#lines.slice(first, end).map((_, index) => this.#tokens(first + index));
  }

  #tokens(line: number): readonly Token[] {
    const { tokens, next } = lineTokens(this.#lines[line] ?? '', this.#states[line] ?? FIRST_LINE);
    this.#states[line + 1] = next;
    return tokens;
  }
}
