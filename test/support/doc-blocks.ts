import { readdirSync, readFileSync } from 'node:fs';

/** A block of code in a page of the docs. */
export interface DocBlock {
  /** Page and line. */
  readonly title: string;
  readonly text: string;
  /** Why a reader cannot use it as it stands: `<!-- not as it stands: REASON -->` above it. */
  readonly exempt: string | undefined;
}

/** The README and the pages for users. */
export function userPages(): string[] {
  const pages = readdirSync('docs').filter((name) => name.endsWith('.md'));
  return ['README.md', ...pages.map((name) => `docs/${name}`)];
}

/** The blocks of one language in a page, in their order. */
export function blocksIn(page: string, language: string): DocBlock[] {
  const text = readFileSync(page, 'utf8');
  const pattern = new RegExp(
    `(?:<!-- not as it stands: ([^\\n]+) -->\\n\\n?)?^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``,
    'gm',
  );
  return [...text.matchAll(pattern)].map(({ index, 1: exempt, 2: block = '' }) => ({
    title: `${page}:${text.slice(0, index).split('\n').length}`,
    text: block,
    exempt,
  }));
}
