/**
 * Shrinks the story of a seed, prints it, and stores it as a named test:
 * `node --import ./test/support/register-typescript.mjs test/combination/store.ts SEED NAME [ABOUT]`
 */
import { generate } from './story/generate.js';
import { ALL, play } from './story/play.js';
import { printStory } from './story/print.js';
import { failsBy, shrink } from './story/shrink.js';
import { writeStory } from './story/stored.js';

const [seed = '', name = '', about] = process.argv.slice(2);
const story = generate(Number(seed));
// An invariant that judges random stories comes first.
const [first] = [...(await play(story)).findings, ...(await play(story, { invariants: ALL })).findings];
if (first === undefined) throw new Error(`the story of seed ${seed} holds all invariants`);
const small = await shrink(story, failsBy(first.invariant));
const found = (await play(small, { invariants: ALL })).findings.map(
  ({ invariant, message }) => `${invariant}: ${message}`,
);
const file = writeStory(name, { about: about ?? first.message, knownFailure: first.invariant, ...small });
process.stdout.write(`${printStory(small)}\n${found.join('\n')}\n${file}\n`);
