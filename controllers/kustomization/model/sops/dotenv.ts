import { leaf, SopsProblem, type Branch, type Tree } from './tree.js';

const METADATA = 'sops_';
const STEP = /__(map|list)_/;

/** A tree without its leaves filled in. */
type Open = Map<string, Open | string>;

function place(root: Open, name: string, value: string): void {
  const steps = name.split(STEP);
  let at = root;
  for (let index = 0; index + 1 < steps.length; index += 2) {
    const next = at.get(steps[index] ?? '') ?? new Map<string, Open | string>();
    if (typeof next === 'string') throw new SopsProblem('has sops_ lines that contradict each other');
    at.set(steps[index] ?? '', next);
    at = next;
  }
  at.set(steps.at(-1) ?? '', value);
}

/** Keys of lists are their positions. */
function closed(open: Open | string): Tree {
  if (typeof open === 'string') return leaf('text', open);
  const entries = [...open].map(([key, value]) => [key, closed(value)] as const);
  const isList = entries.length > 0 && entries.every(([key]) => /^\d+$/.test(key));
  return isList ? { kind: 'list', items: entries.map(([, value]) => value) } : { kind: 'map', entries };
}

/** A dotenv file, its metadata in a map `sops` like those of other formats. Throws SopsProblem. */
export function readDotenv(text: string): Branch {
  const metadata: Open = new Map();
  const entries: (readonly [string, Tree])[] = [];
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const at = line.indexOf('=');
    if (at < 0) throw new SopsProblem('has a line without =');
    const [name, value] = [line.slice(0, at), line.slice(at + 1).replaceAll('\\n', '\n')];
    if (name.startsWith(METADATA)) place(metadata, name.slice(METADATA.length), value);
    else entries.push([name, leaf('text', value)]);
  }
  return { kind: 'map', entries: [...entries, ['sops', closed(metadata)]] };
}

/** Throws SopsProblem. */
export function printDotenv({ entries }: Branch): string {
  return entries
    .map(([name, value]) => {
      if (value.kind === 'map' || value.kind === 'list') throw new SopsProblem('has a value that is a map or a list');
      return `${name}=${value.bytes.toString('utf8').replaceAll('\n', '\\n')}\n`;
    })
    .join('');
}
