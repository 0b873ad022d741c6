/** Width at which Markdown is wrapped, as prettier wraps the other pages. */
const WIDTH = 120;
/** Code and links are never broken. */
const WORD = /(?:`[^`]*`|\[[^\]]*\]\([^)]*\)|\S)+/g;
/** At the start of a line these would begin a list, a heading or a quote. */
const MARKER = /^(?:[*+-]|#{1,6}|\d+[.)]|>.*)$/;

function wrapped(text: string, indent: string): string {
  const lines: string[] = [];
  let line = '';
  for (const word of text.match(WORD) ?? []) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (indent.length + longer.length <= WIDTH || line === '' || MARKER.test(word)) line = longer;
    else {
      lines.push(line);
      line = word;
    }
  }
  return [...lines, line].join(`\n${indent}`);
}

/** A Markdown list, wrapped. */
export function bulletList(items: readonly string[]): string {
  return items.map((item) => `- ${wrapped(item, '  ')}`).join('\n');
}

/** A Markdown paragraph, wrapped. */
export function paragraph(text: string): string {
  return wrapped(text, '');
}
