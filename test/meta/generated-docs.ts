import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { ROOT, textOf } from './repository.js';

/**
 * The part of a page between `<!-- NAME: begin -->` and `<!-- NAME: end -->`; UPDATE_GOLDEN=1 writes `wanted` there.
 */
export function generatedPart(file: string, name: string, wanted: string): string {
  const [begin, end] = [`<!-- ${name}: begin -->\n`, `<!-- ${name}: end -->`];
  const text = textOf(file);
  const [from, to] = [text.indexOf(begin) + begin.length, text.indexOf(end)];
  if (from < begin.length || to < from) throw new Error(`${file} has no part ${name}`);
  if (process.env['UPDATE_GOLDEN'] === '1') {
    writeFileSync(path.join(ROOT, file), `${text.slice(0, from)}\n${wanted}\n\n${text.slice(to)}`);
    return wanted;
  }
  return text.slice(from, to).trim();
}
