import jsonPatch from 'fast-json-patch';
import escapeRegExp from 'lodash/escapeRegExp.js';
import uniq from 'lodash/uniq.js';
import { jsonText } from './sops/tree.js';

const MASK = '*****';

/** As they are, as a server quotes them, alone or in JSON, as a step of a JSON pointer, and as the data of a Secret. */
function spellingsOf(secret: string): string[] {
  const quoted = [JSON.stringify(secret), jsonText(secret)].map((text) => text.slice(1, -1));
  return uniq([secret, ...quoted, jsonPatch.escapePathComponent(secret), Buffer.from(secret).toString('base64')]);
}

/** A text that others may read, without values that only readers of a Secret may know. */
export function masked(text: string, secrets: readonly string[]): string {
  // No spelling is shorter than the secret.
  const possible = secrets.filter(({ length }) => length > 0 && length <= text.length);
  const found = uniq(possible.flatMap(spellingsOf)).filter((each) => text.includes(each));
  if (found.length === 0) return text;
  const longestFirst = found.sort((a, b) => b.length - a.length).map(escapeRegExp);
  return text.replace(new RegExp(longestFirst.join('|'), 'g'), MASK);
}
